//! Frames in files, without a window.

use super::scene::Scene;
use super::{ViewCommand, instance_options, open};
use crate::argument::Inputs;
use crate::failure::{Failure, Result};
use crate::file::picture::PictureFormat;
use crate::job::Job;
use crate::{console, file};
use clvk::runtime::{Instance, ValidationMessage};
use image::RgbaImage;
use indicatif::ProgressBar;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// Draws `--frames` frames, `--fps` of them a second, and writes them; returns the messages of the validation
/// layer.
pub fn record(command: &ViewCommand, job: Job, path: &Path) -> Result<Vec<ValidationMessage>> {
    let frames = command.frames.unwrap_or(1);
    let target = Target::of(path, frames)?;
    let instance = Instance::new(&instance_options(command, None))?;
    let device = open(command, &job, &instance, false)?;
    let mut scene = Scene::new(&device, job, command.size, command.show.as_deref())?;
    let mut writer = target.open(scene.size(), frames, command.fps)?;
    let progress = ProgressBar::new(frames.into());
    for frame in 0..frames {
        let time = f64::from(frame) / f64::from(command.fps);
        scene.draw(&Inputs { time, frame: frame.into(), ..Inputs::default() })?;
        scene.wait()?;
        writer.write(frame, &scene)?;
        progress.inc(1);
    }
    writer.finish()?;
    progress.finish_and_clear();
    console::tell(format!(
        "wrote {} to {}\n",
        crate::failure::counted(frames as usize, "frame"),
        path.display()
    ));
    drop(scene);
    Ok(instance.take_validation_messages())
}

/// Where the frames go.
enum Target<'a> {
    /// A file for each; the parts of the name around its number, and the number's width.
    Pictures { before: &'a str, width: usize, after: &'a str, format: PictureFormat },
    /// One picture.
    Picture(&'a Path, PictureFormat),
    /// An animated PNG.
    Animation(&'a Path),
    /// YUV4MPEG2, which video encoders read.
    Video(&'a Path),
}

impl<'a> Target<'a> {
    fn of(path: &'a Path, frames: u32) -> Result<Target<'a>> {
        let wrong = |why: &str| {
            Failure::usage(format!(
                "`{}` {why}: write `FILE.apng`, `FILE.y4m`, or `FILE-%04d.png` for a picture of each frame",
                path.display()
            ))
        };
        let text = path.to_str().ok_or_else(|| wrong("is not valid UTF-8"))?;
        let ending = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        match ending.as_str() {
            "apng" => return Ok(Target::Animation(path)),
            "y4m" => return Ok(Target::Video(path)),
            _ => {}
        }
        let format =
            PictureFormat::of_ending(&ending).ok_or_else(|| wrong("has no ending of a picture or a film"))?;
        match number_in(text) {
            Some((before, width, after)) => Ok(Target::Pictures { before, width, after, format }),
            None if frames == 1 => Ok(Target::Picture(path, format)),
            None => Err(wrong("is one picture for several frames")),
        }
    }

    fn open(self, size: [u32; 2], frames: u32, fps: u32) -> Result<Writer<'a>> {
        let create = |path: &Path| {
            let created = File::create(path).map(BufWriter::new);
            created.map_err(|error| file::cannot("write", path, error))
        };
        let [width, height] = size;
        Ok(match self {
            Target::Pictures { .. } | Target::Picture(..) => Writer::Pictures(self),
            Target::Animation(path) => {
                let failed = |error| file::cannot("write", path, error);
                let mut encoder = png::Encoder::new(create(path)?, width, height);
                encoder.set_color(png::ColorType::Rgba);
                encoder.set_depth(png::BitDepth::Eight);
                encoder.set_animated(frames, 0).map_err(failed)?;
                let delay = u16::try_from(fps).unwrap_or(u16::MAX);
                encoder.set_frame_delay(1, delay).map_err(failed)?;
                Writer::Animation(path, Box::new(encoder.write_header().map_err(failed)?))
            }
            Target::Video(path) => {
                let mut file = create(path)?;
                let head = format!("YUV4MPEG2 W{width} H{height} F{fps}:1 Ip A1:1 C444\n");
                file.write_all(head.as_bytes()).map_err(|error| file::cannot("write", path, error))?;
                Writer::Video(path, file)
            }
        })
    }
}

/// The number in a name as C writes it, `%d` or `%04d`: what is before it, its width, what is after it.
fn number_in(text: &str) -> Option<(&str, usize, &str)> {
    let (before, rest) = text.split_once('%')?;
    let (digits, after) = rest.split_once('d')?;
    let width = if digits.is_empty() { Some(0) } else { digits.parse().ok() };
    Some((before, width.filter(|&width: &usize| width < 20)?, after))
}

enum Writer<'a> {
    Pictures(Target<'a>),
    Animation(&'a Path, Box<png::Writer<BufWriter<File>>>),
    Video(&'a Path, BufWriter<File>),
}

impl Writer<'_> {
    fn write(&mut self, frame: u32, scene: &Scene) -> Result<()> {
        let picture = scene.picture()?;
        match self {
            Writer::Pictures(Target::Picture(path, format)) => picture.save(path, *format),
            Writer::Pictures(Target::Pictures { before, width, after, format }) => {
                let width = *width;
                let path = PathBuf::from(format!("{before}{frame:0width$}{after}"));
                picture.save(&path, *format)
            }
            Writer::Pictures(_) => unreachable!("films have writers of their own"),
            Writer::Animation(path, writer) => {
                let pixels = picture.pixels.to_rgba8();
                writer.write_image_data(&pixels).map_err(|error| file::cannot("write", path, error))
            }
            Writer::Video(path, file) => {
                let failed = |error| file::cannot("write", path, error);
                file.write_all(b"FRAME\n").map_err(failed)?;
                file.write_all(&planes(&picture.pixels.to_rgba8())).map_err(failed)
            }
        }
    }

    fn finish(self) -> Result<()> {
        match self {
            Writer::Pictures(_) => Ok(()),
            Writer::Animation(path, writer) => {
                writer.finish().map_err(|error| file::cannot("write", path, error))
            }
            Writer::Video(path, mut file) => file.flush().map_err(|error| file::cannot("write", path, error)),
        }
    }
}

/// Luma and both chroma planes, each of the picture's size (ITU-R BT.601, limited range).
fn planes(picture: &RgbaImage) -> Vec<u8> {
    let mut planes = Vec::with_capacity(3 * picture.pixels().len());
    for [red, green, blue, offset] in [
        [65.738, 129.057, 25.064, 16.0],
        [-37.945, -74.494, 112.439, 128.0],
        [112.439, -94.154, -18.285, 128.0],
    ] {
        planes.extend(picture.pixels().map(|pixel| {
            let [r, g, b, _] = pixel.0.map(f64::from);
            (offset + (red * r + green * g + blue * b) / 256.0).round() as u8
        }));
    }
    planes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_numbers() {
        assert_eq!(number_in("a-%04d.png"), Some(("a-", 4, ".png")));
        assert_eq!(number_in("%d.png"), Some(("", 0, ".png")));
        assert_eq!(number_in("a.png"), None);
        assert_eq!(number_in("100%done.png"), Some(("100", 0, "one.png")));
        assert_eq!(number_in("%99999999999999999999d"), None);
        let target =
            |path: &str, frames| Target::of(Path::new(path), frames).map(|_| ()).map_err(|e| e.text());
        assert_eq!(target("a.png", 1), Ok(()));
        assert!(target("a.png", 2).unwrap_err().contains("FILE-%04d.png"));
        assert!(target("a.mp4", 2).unwrap_err().contains("FILE.y4m"));
    }

    #[test]
    fn colours_are_those_of_the_standard() {
        // ITU-R BT.601: black, white, red, green and blue in 8 bits.
        let colours = [[0, 0, 0], [255, 255, 255], [255, 0, 0], [0, 255, 0], [0, 0, 255]];
        let pixels: Vec<u8> = colours.iter().flat_map(|&[r, g, b]| [r, g, b, 255]).collect();
        let planes = planes(&RgbaImage::from_raw(5, 1, pixels).unwrap());
        assert_eq!(planes[..5], [16, 235, 81, 145, 41]);
        assert_eq!(planes[5..10], [128, 128, 90, 54, 240]);
        assert_eq!(planes[10..], [128, 128, 240, 34, 110]);
    }
}
