//! Which accesses stay in their objects, whatever the work-item: the host finds it out at a launch, where it
//! knows sizes and integer arguments, and then their checks are not executed.

use super::form::{Bounds, Forms};
use super::place::Site;
use super::{ArgumentMemory, KernelHabits, Shape, UNKNOWN_SIZE};
use serde::{Deserialize, Serialize};

/// Bytes that an access reaches, or a part of an object that it reaches something in.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Confined {
    /// In what.
    pub object: Extent,
    /// Where.
    pub site: Site,
    /// The bit of [`INSIDE`] that needs this to be inside.
    pub bit: u32,
}

/// The bytes of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Extent {
    /// Those of the memory of an argument, which the host knows.
    Argument(u32),
    /// That many.
    Bytes(u64),
}

/// The specialisation constant with a bit for accesses that need no checks in a launch.
pub const INSIDE: u32 = (1 << 16) + 2;
/// The number of its bits for accesses.
pub const MOST_INSIDE: usize = 31;
/// Its bit for launches whose arguments all begin at the start of memory of less than 2 GiB.
pub const PLAIN: u32 = 1 << 31;

/// The bits of accesses that stay in their objects in a launch, and [`PLAIN`].
#[must_use]
pub fn inside(habits: &KernelHabits, arguments: &[ArgumentMemory], shape: &Shape) -> u32 {
    let (mut all, mut outside) = (0, 0);
    for confined in &habits.confined {
        let bit = 1 << confined.bit;
        all |= bit;
        let looks = outside & bit == 0;
        if looks && !stays(habits, arguments, shape, Bounds::Launch, confined).unwrap_or(false) {
            outside |= bit;
        }
    }
    let is_plain = arguments.iter().all(|memory| memory.before == 0 && memory.all < 1 << 31);
    all & !outside | if is_plain { PLAIN } else { 0 }
}

/// Whether accesses stay in their objects in all launches whose work-groups have this size, or any.
#[must_use]
pub fn always_inside(habits: &KernelHabits, local: Option<[u32; 3]>, confined: &Confined) -> bool {
    let local = local.unwrap_or([u32::MAX; 3]);
    let shape = Shape { global: [u32::MAX; 3], offset: [0; 3], local, sub_group: 0 };
    stays(habits, &[], &shape, Bounds::Always, confined).unwrap_or(false)
}

fn stays(
    habits: &KernelHabits,
    arguments: &[ArgumentMemory],
    shape: &Shape,
    bounds: Bounds,
    Confined { object, site, .. }: &Confined,
) -> Option<bool> {
    let (before, all) = match *object {
        Extent::Bytes(all) => (0, all),
        Extent::Argument(position) => {
            let memory = arguments.get(position as usize)?;
            (memory.before, memory.all)
        }
    };
    if all == UNKNOWN_SIZE {
        return None;
    }
    let (before, all) = (i64::try_from(before).ok()?, i64::try_from(all).ok()?);
    let mut forms = Forms::bounding(habits, arguments, shape, bounds);
    forms.count(site);
    if !forms.learn(&site.facts) {
        return Some(true);
    }
    let form = forms.form(site.place)?;
    let (least, most) = forms.bounds(&form)?;
    let end = before.checked_add(most)?.checked_add(site.bytes.into())?;
    Some(before.checked_add(least)? >= 0 && end <= all)
}
