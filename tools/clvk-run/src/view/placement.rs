//! Where in the window the picture is.

use clvk::runtime::PixelRectangle;

/// How the picture is moved and scaled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement {
    /// How much larger than its fit to the window it is.
    zoom: f64,
    /// The point of the picture in the middle of the window, from 0 to 1.
    centre: [f64; 2],
}

impl Default for Placement {
    fn default() -> Self {
        Placement { zoom: 1.0, centre: [0.5; 2] }
    }
}

/// Zooms beyond this show less than a pixel.
const MOST_ZOOM: f64 = 64.0;

impl Placement {
    /// Pixels of the window for each of the picture.
    fn scale(&self, picture: [u32; 2], window: [u32; 2]) -> f64 {
        let fit = |axis: usize| f64::from(window[axis]) / f64::from(picture[axis].max(1));
        fit(0).min(fit(1)) * self.zoom
    }

    /// The place in the picture, in pixels, of a place in the window.
    pub fn place_in_picture(&self, at: [f64; 2], picture: [u32; 2], window: [u32; 2]) -> [f64; 2] {
        let scale = self.scale(picture, window);
        [0, 1].map(|axis| {
            let from_middle = at[axis] - f64::from(window[axis]) / 2.0;
            self.centre[axis] * f64::from(picture[axis]) + from_middle / scale
        })
    }

    /// The part of the picture that is visible, and where in the window it is; `None` if nothing is.
    pub fn rectangles(
        &self,
        picture: [u32; 2],
        window: [u32; 2],
    ) -> Option<(PixelRectangle, PixelRectangle)> {
        if picture.contains(&0) || window.contains(&0) {
            return None;
        }
        let scale = self.scale(picture, window);
        let (mut from, mut to) = (PixelRectangle { origin: [0; 2], extent: [0; 2] }, None);
        let mut shown = PixelRectangle { origin: [0; 2], extent: [0; 2] };
        for axis in 0..2 {
            let (size, room) = (f64::from(picture[axis]), f64::from(window[axis]));
            // Where the picture's first pixel is.
            let start = room / 2.0 - self.centre[axis] * size * scale;
            let first = ((-start / scale).max(0.0) + 1e-9).floor().min(size - 1.0);
            let end = (((room - start) / scale).min(size) - 1e-9).ceil().clamp(first + 1.0, size);
            let left = (start + first * scale).round().clamp(0.0, room);
            let right = (start + end * scale).round().clamp(0.0, room);
            if right <= left {
                return None;
            }
            (from.origin[axis], from.extent[axis]) = (first as u32, (end - first) as u32);
            (shown.origin[axis], shown.extent[axis]) = (left as u32, (right - left) as u32);
            to = Some(shown);
        }
        Some((from, to?))
    }

    /// Zooms by a factor around a place in the window.
    pub fn zoom(&mut self, factor: f64, at: [f64; 2], picture: [u32; 2], window: [u32; 2]) {
        let fixed = self.place_in_picture(at, picture, window);
        self.zoom = (self.zoom * factor).clamp(1.0, MOST_ZOOM);
        let moved = self.place_in_picture(at, picture, window);
        for axis in 0..2 {
            self.centre[axis] += (fixed[axis] - moved[axis]) / f64::from(picture[axis].max(1));
            // The window stays full of picture.
            let rim = 0.5 / self.zoom;
            self.centre[axis] = self.centre[axis].clamp(rim, 1.0 - rim);
        }
    }

    /// Whether pixels are larger than they were drawn, so that they are shown as squares.
    pub fn enlarges(&self, picture: [u32; 2], window: [u32; 2]) -> bool {
        self.scale(picture, window) > 1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rectangle(x: u32, y: u32, width: u32, height: u32) -> PixelRectangle {
        PixelRectangle { origin: [x, y], extent: [width, height] }
    }

    #[test]
    fn pictures_fit_the_window_in_their_shape() {
        let placement = Placement::default();
        let place = |picture, window| placement.rectangles(picture, window).unwrap();
        assert_eq!(place([64, 48], [64, 48]), (rectangle(0, 0, 64, 48), rectangle(0, 0, 64, 48)));
        assert_eq!(place([64, 48], [128, 200]), (rectangle(0, 0, 64, 48), rectangle(0, 52, 128, 96)));
        assert_eq!(place([100, 10], [50, 50]), (rectangle(0, 0, 100, 10), rectangle(0, 23, 50, 5)));
        assert_eq!(placement.rectangles([64, 48], [0, 0]), None);
    }

    #[test]
    fn zooming_keeps_the_place_under_the_mouse() {
        let (picture, window) = ([100, 100], [200, 200]);
        let mut placement = Placement::default();
        let before = placement.place_in_picture([150.0, 50.0], picture, window);
        assert_eq!(before, [75.0, 25.0]);
        placement.zoom(2.0, [150.0, 50.0], picture, window);
        let after = placement.place_in_picture([150.0, 50.0], picture, window);
        assert!((after[0] - before[0]).abs() < 1e-9 && (after[1] - before[1]).abs() < 1e-9, "{after:?}");
        let (from, to) = placement.rectangles(picture, window).unwrap();
        assert_eq!((from, to), (rectangle(37, 12, 51, 51), rectangle(0, 0, 200, 200)));
    }

    #[test]
    fn every_zoom_stays_within_picture_and_window() {
        let mut placement = Placement::default();
        for step in 0..200u32 {
            let (picture, window) = ([37 + step, 211 - step], [1 + 7 * step, 900 - 4 * step]);
            placement.zoom(if step % 3 == 0 { 0.4 } else { 1.7 }, [f64::from(step), 3.0], picture, window);
            let Some((from, to)) = placement.rectangles(picture, window) else { continue };
            for axis in 0..2 {
                assert!(from.extent[axis] > 0 && from.origin[axis] + from.extent[axis] <= picture[axis]);
                assert!(to.extent[axis] > 0 && to.origin[axis] + to.extent[axis] <= window[axis]);
            }
        }
    }
}
