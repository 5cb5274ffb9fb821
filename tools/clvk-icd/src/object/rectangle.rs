//! Boxes of bytes in linear memory, as rectangular transfers describe them.

use crate::code::{self, Result, ensure};
use vk_runtime::Rectangle;

/// A checked box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Box3 {
    /// Where its rows are.
    pub rectangle: Rectangle,
    /// Offset of the byte after its last one.
    pub end: usize,
}

impl Box3 {
    /// A box from an origin and a region in bytes, rows and slices; pitches of 0 mean no padding.
    pub fn new(origin: [usize; 3], region: [usize; 3], row_pitch: usize, slice_pitch: usize) -> Result<Self> {
        ensure(region.iter().all(|&size| size > 0), code::INVALID_VALUE)?;
        ensure(row_pitch == 0 || row_pitch >= region[0], code::INVALID_VALUE)?;
        let row = if row_pitch == 0 { region[0] } else { row_pitch };
        let plane = row.checked_mul(region[1]).ok_or(code::INVALID_VALUE)?;
        let aligned = slice_pitch >= plane && slice_pitch.is_multiple_of(row);
        ensure(slice_pitch == 0 || aligned, code::INVALID_VALUE)?;
        let slice = if slice_pitch == 0 { plane } else { slice_pitch };
        let at = |[x, y, z]: [usize; 3]| {
            let rows = y.checked_mul(row)?;
            z.checked_mul(slice)?.checked_add(rows)?.checked_add(x)
        };
        let offset = at(origin).ok_or(code::INVALID_VALUE)?;
        let last = at([region[0], region[1] - 1, region[2] - 1]).ok_or(code::INVALID_VALUE)?;
        let end = offset.checked_add(last).ok_or(code::INVALID_VALUE)?;
        let (row_pitch, slice_pitch) = (row as u64, slice as u64);
        Ok(Box3 { rectangle: Rectangle { offset: offset as u64, row_pitch, slice_pitch }, end })
    }
}

/// Whether two boxes of the same size in one memory have a byte in common.
pub fn overlap(from: &Rectangle, to: &Rectangle, region: [usize; 3]) -> bool {
    let [width, rows, slices] = region.map(|it| it as u64);
    let starts = |place: &Rectangle| {
        let (offset, row, slice) = (place.offset, place.row_pitch, place.slice_pitch);
        (0..slices).flat_map(move |z| (0..rows).map(move |y| offset + z * slice + y * row))
    };
    // Rows of either box are in ascending order, so one walk along both finds rows that meet.
    let (mut a, mut b) = (starts(from).peekable(), starts(to).peekable());
    while let (Some(&x), Some(&y)) = (a.peek(), b.peek()) {
        if x.abs_diff(y) < width {
            return true;
        }
        if x < y {
            a.next();
        } else {
            b.next();
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pitches_of_zero_stand_for_no_padding() {
        let packed = Box3::new([1, 1, 1], [4, 3, 2], 0, 0).unwrap();
        assert_eq!(packed.rectangle, Rectangle { offset: 17, row_pitch: 4, slice_pitch: 12 });
        assert_eq!(packed.end, 17 + 24);
        let padded = Box3::new([0, 0, 0], [4, 3, 2], 8, 40).unwrap();
        assert_eq!(padded.end, 40 + 16 + 4);
    }

    #[test]
    fn wrong_boxes_are_refused() {
        for (region, row, slice) in [
            ([0, 1, 1], 0, 0),
            ([4, 1, 1], 3, 0),
            ([4, 2, 1], 4, 7),
            ([4, 2, 1], 4, 9),
            ([usize::MAX, 2, 2], 0, 0),
        ] {
            assert_eq!(
                Box3::new([0; 3], region, row, slice),
                Err(code::INVALID_VALUE),
                "{region:?} {row} {slice}"
            );
        }
    }

    #[test]
    fn boxes_side_by_side_do_not_overlap() {
        let place = |offset| Rectangle { offset, row_pitch: 16, slice_pitch: 64 };
        assert!(!overlap(&place(0), &place(8), [8, 4, 2]));
        assert!(overlap(&place(0), &place(7), [8, 4, 2]));
        assert!(!overlap(&place(0), &place(128), [16, 4, 2]));
        assert!(overlap(&place(0), &place(64), [16, 4, 2]));
        assert!(
            overlap(&place(0), &place(16), [8, 4, 1]),
            "the second row of the one is the first of the other"
        );
    }
}
