//! The parts of a SPIR-V module that the runtime reads: its version and its entry points.
//!
//! This is not validation: it only refuses modules that must not reach a driver.

const MAGIC: u32 = 0x0723_0203;
const OP_ENTRY_POINT: u32 = 15;
const MODEL_GL_COMPUTE: u32 = 5;

/// The version and entry points of a module.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Summary {
    /// (major, minor).
    pub(crate) version: (u32, u32),
    /// Names of the compute entry points.
    pub(crate) entry_points: Vec<String>,
}

/// Reads the header and the instructions' lengths.
pub(crate) fn summarise(words: &[u32]) -> Result<Summary, String> {
    let [magic, version, _, _, _, instructions @ ..] = words else {
        return Err(format!("{} words are too few for a SPIR-V module", words.len()));
    };
    if *magic != MAGIC {
        return Err(format!(
            "the first word is {magic:#010x}, so it is not a SPIR-V module of this byte order"
        ));
    }
    let version = (version >> 16 & 0xff, version >> 8 & 0xff);
    let mut entry_points = Vec::new();
    let mut rest = instructions;
    while let [first, ..] = rest {
        let length = (first >> 16) as usize;
        if length == 0 || length > rest.len() {
            return Err(format!("the instruction at word {} is cut off", words.len() - rest.len()));
        }
        let (instruction, after) = rest.split_at(length);
        if let [first, MODEL_GL_COMPUTE, _, name @ ..] = instruction
            && first & 0xffff == OP_ENTRY_POINT
        {
            entry_points.push(literal_string(name));
        }
        rest = after;
    }
    Ok(Summary { version, entry_points })
}

/// A null-terminated string, four bytes per word.
fn literal_string(words: &[u32]) -> String {
    let bytes: Vec<u8> =
        words.iter().flat_map(|word| word.to_le_bytes()).take_while(|&byte| byte != 0).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entry_points_are_found() {
        let name = u32::from_le_bytes(*b"abc\0");
        let words = [MAGIC, 0x0001_0500, 0, 9, 0, 2 << 16 | 17, 1, 4 << 16 | OP_ENTRY_POINT, 5, 2, name];
        let summary = summarise(&words).unwrap();
        assert_eq!(summary, Summary { version: (1, 5), entry_points: vec!["abc".to_owned()] });
    }

    #[test]
    fn damaged_modules_are_refused() {
        assert!(summarise(&[]).is_err());
        assert!(summarise(&[0x0302_2307, 0, 0, 0, 0]).unwrap_err().contains("byte order"));
        assert!(summarise(&[MAGIC, 0, 0, 0, 0, 0]).unwrap_err().contains("word 5"));
        assert!(summarise(&[MAGIC, 0, 0, 0, 0, 3 << 16 | 17, 1]).unwrap_err().contains("cut off"));
    }
}
