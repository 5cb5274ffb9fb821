//! Files of elements: NPY, CSV, pictures, or raw little-endian bytes. The ending of a name says which.
//!
//! `-` is the standard input or output, with raw bytes or, by its first bytes, NPY; `-.csv`, `-.png` and the
//! like say what it has. What a file holds is checked here; what suits a kernel, in `resource`.

pub mod csv;
pub mod netpbm;
pub mod npy;
pub mod picture;

use crate::console;
use crate::failure::{Failure, Result};
use crate::number::ElementType;
use picture::PictureFormat;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// What a file holds, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// NumPy's.
    Npy,
    /// Numbers in text.
    Csv,
    /// A picture.
    Picture(PictureFormat),
    /// Little-endian bytes.
    Raw,
}

impl Format {
    /// Of a file.
    pub fn of(path: &Path) -> Format {
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
        match ending.as_deref() {
            Some("npy") => Format::Npy,
            Some("csv") => Format::Csv,
            Some(ending) => PictureFormat::of_ending(ending).map_or(Format::Raw, Format::Picture),
            None => Format::Raw,
        }
    }
}

/// The endings of names that say what a file holds.
pub const ENDINGS: &str = ".npy .csv .png .jpg .bmp .exr .pfm .pgm .ppm .pam";

/// Endings that have a meaning elsewhere, so that raw bytes under such a name would mislead.
const FOREIGN: &[(&str, &[&str])] = &[
    (
        "a picture",
        &[
            "avif", "dds", "gif", "hdr", "heic", "ico", "jp2", "jxl", "ktx", "qoi", "svg", "tga", "tif",
            "tiff", "webp",
        ],
    ),
    ("text", &["html", "json", "md", "toml", "tsv", "txt", "xml", "yaml", "yml"]),
    (
        "an array",
        &["arrow", "fits", "h5", "hdf5", "mat", "nc", "npz", "parquet", "pkl", "pt", "safetensors", "xlsx"],
    ),
    ("a sound or a film", &["avi", "flac", "mkv", "mp3", "mp4", "ogg", "wav"]),
    ("a program", &["c", "cl", "cpp", "exe", "h", "o", "py", "so", "spv"]),
    ("an archive", &["gz", "tar", "xz", "zip", "zst"]),
];

/// Warns where raw bytes go to a file whose name promises something else.
pub fn warn_of_ending(path: &Path) {
    let Some(ending) = path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase()) else {
        return;
    };
    if let Some((what, _)) = FOREIGN.iter().find(|(_, endings)| endings.contains(&ending.as_str())) {
        console::warn(format!(
            "`{}` gets raw bytes, although its name promises {what}; the endings that clvk-run knows are {ENDINGS}, \
             and `.bin` for raw bytes",
            path.display()
        ));
    }
}

/// Whether a file is the standard input or output.
pub fn is_standard(path: &Path) -> bool {
    path.file_stem().is_some_and(|stem| stem == "-") && path.parent() == Some(Path::new(""))
}

/// The name of a source in messages, and the file to read it from.
pub fn source(path: &Path) -> (&Path, &Path) {
    match is_standard(path) {
        true => (Path::new("<stdin>"), Path::new("/dev/stdin")),
        false => (path, path),
    }
}

/// A file, for messages.
pub fn name_of(path: &Path, verb: &str) -> String {
    match (is_standard(path), verb) {
        (false, _) => format!("`{}`", path.display()),
        (true, "read") => "the standard input".to_owned(),
        (true, _) => "the standard output".to_owned(),
    }
}

/// A failure to read or write a file.
pub fn cannot(verb: &str, path: &Path, error: impl std::fmt::Display) -> Failure {
    Failure::usage(format!("cannot {verb} {}: {error}", name_of(path, verb)))
}

/// Elements of a file.
pub struct Contents {
    /// Their bytes, as a buffer has them.
    pub bytes: Vec<u8>,
    /// Extent in each dimension, in elements.
    pub extents: Vec<u64>,
    /// How to write them back.
    pub form: Form,
}

/// What a file's format keeps beyond elements.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Form {
    /// The shape of the file's array, where that is not the elements' with their lanes.
    pub shape: Option<Vec<u64>>,
    /// Whether the array has complex numbers.
    pub complex: bool,
}

impl Form {
    /// Nothing but elements.
    pub const PLAIN: Form = Form { shape: None, complex: false };
}

/// Reads a file of at most `limit` bytes. Devices, which may never end, are refused.
pub fn read_bytes(path: &Path, limit: u64) -> Result<Vec<u8>> {
    if is_standard(path) {
        return read_stream(std::io::stdin().lock(), path, limit);
    }
    let data = std::fs::metadata(path)
        .map_err(|error| cannot("read", path, format!("{error}; name an existing file")))?;
    if is_pipe(&data) {
        return read_stream(File::open(path).map_err(|error| cannot("read", path, error))?, path, limit);
    }
    if !data.is_file() {
        return Err(cannot("read", path, "it is not a regular file; name a file of elements"));
    }
    if data.len() > limit {
        let length = data.len();
        return Err(cannot(
            "read",
            path,
            format!("it holds {length} bytes, and at most {limit} can be used"),
        ));
    }
    std::fs::read(path).map_err(|error| cannot("read", path, error))
}

/// Whether a file is one that a shell makes of a command's output.
fn is_pipe(data: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;
    data.file_type().is_fifo()
}

fn read_stream(stream: impl Read, path: &Path, limit: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = stream.take(limit.saturating_add(1)).read_to_end(&mut bytes);
    read.map_err(|error| cannot("read", path, error))?;
    if bytes.len() as u64 > limit {
        return Err(cannot("read", path, format!("it holds more than the {limit} bytes that can be used")));
    }
    Ok(bytes)
}

/// Writes a file.
pub fn write_bytes(path: &Path, bytes: &[u8]) -> Result<()> {
    if is_standard(path) {
        return console::write(bytes);
    }
    std::fs::write(path, bytes).map_err(|error| cannot("write", path, error))
}

/// What a header, or text instead of bytes, may add to the elements of a file.
fn with_overhead(format: Format, limit: u64) -> u64 {
    match format {
        Format::Raw => limit,
        Format::Npy => limit.saturating_add(npy::MOST_HEADER),
        Format::Csv => limit.saturating_mul(32),
        Format::Picture(_) => limit.saturating_mul(2).saturating_add(npy::MOST_HEADER),
    }
}

/// Reads the elements for a parameter, at most `limit` bytes.
pub fn read(path: &Path, element: ElementType, parameter: &str, limit: u64) -> Result<Contents> {
    let format = Format::of(path);
    let bytes = read_bytes(path, with_overhead(format, limit))?;
    let format =
        if format == Format::Raw && is_standard(path) && npy::is_npy(&bytes) { Format::Npy } else { format };
    let contents = match format {
        Format::Npy => npy::read(path, &bytes, element, parameter)?,
        Format::Csv => csv::read(path, &bytes, element, parameter)?,
        Format::Picture(format) => {
            picture::decode(path, &bytes, format)?.elements(path, element, parameter)?
        }
        Format::Raw => {
            let count = bytes.len() as u64 / u64::from(element.size().unwrap_or(1));
            Contents { bytes, extents: vec![count], form: Form::default() }
        }
    };
    let length = contents.bytes.len();
    if length == 0 {
        return Err(Failure::usage(format!(
            "{} holds no elements; a buffer needs at least one",
            name_of(path, "read")
        )));
    }
    match element.size() {
        Some(size) if !length.is_multiple_of(size as usize) => Err(Failure::usage(format!(
            "{} holds {length} bytes, which is not a whole number of `{element}` ({size} bytes each) for {parameter}",
            name_of(path, "read")
        ))),
        _ => Ok(contents),
    }
}

/// Whether elements of this type and shape can be written to a file of this name.
pub fn check(path: &Path, element: ElementType, extents: &[u64]) -> Result<()> {
    match Format::of(path) {
        Format::Npy => npy::check(element),
        Format::Csv | Format::Raw => Ok(()),
        Format::Picture(_) => picture::Layout::of(path, element, extents).map(|_| ()),
    }
}

/// Writes elements.
pub fn write(path: &Path, element: ElementType, extents: &[u64], form: &Form, bytes: &[u8]) -> Result<()> {
    match Format::of(path) {
        Format::Npy => npy::write(path, element, extents, form, bytes),
        Format::Csv => csv::write(path, element, extents, bytes),
        Format::Picture(format) => {
            let layout = picture::Layout::of(path, element, extents)?;
            layout.picture(bytes).save(path, format)
        }
        Format::Raw => write_bytes(path, bytes),
    }
}

/// The extents in elements of an array of scalars: the lanes of a vector are its last dimension or a part of
/// it.
fn in_elements(shape: &[u64], element: ElementType) -> Option<Vec<u64>> {
    let lanes = u64::from(element.stride());
    let mut extents = shape.to_vec();
    match extents.as_mut_slice() {
        _ if lanes == 1 => {}
        [_, .., last] if *last == lanes => drop(extents.pop()),
        [.., last] if last.is_multiple_of(lanes) => *last /= lanes,
        _ => return None,
    }
    Some(extents)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_say_what_a_file_holds() {
        let of = |name: &str| Format::of(Path::new(name));
        assert_eq!(
            [of("a.NPY"), of("-.csv"), of("a.bin"), of("a")],
            [Format::Npy, Format::Csv, Format::Raw, Format::Raw]
        );
        assert!(matches!(of("x.jpeg"), Format::Picture(_)));
        assert!(is_standard(Path::new("-")) && is_standard(Path::new("-.npy")));
        assert!(!is_standard(Path::new("./-")) && !is_standard(Path::new("a-.npy")));
    }

    #[test]
    fn lanes_are_the_last_dimension_or_a_part_of_it() {
        let extents = |shape: &[u64], ty| in_elements(shape, ElementType::parse(ty).unwrap());
        assert_eq!(extents(&[4, 512], "double2"), Some(vec![4, 256]));
        assert_eq!(extents(&[512, 2], "double2"), Some(vec![512]));
        assert_eq!(extents(&[12], "float4"), Some(vec![3]));
        assert_eq!(extents(&[4, 3], "float3"), None);
        assert_eq!(extents(&[4, 3], "float"), Some(vec![4, 3]));
    }
}
