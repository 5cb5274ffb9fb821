//! Whether work-items reach places of their own ([`unwatched`]), against executing what the places are
//! computed from for each work-item, in the kernel's arithmetic.

mod kernels;

use clvk_interface::sanitize::{ArgumentMemory, Holder, Shape, unwatched};
use kernels::{Kernel, Random};
use std::collections::HashMap;

fn is_apart(kernel: &Kernel, shape: &Shape) -> bool {
    let buffer = ArgumentMemory { holder: Some((Holder::Buffer(1), 0)), ..ArgumentMemory::default() };
    unwatched(&kernel.habits, &kernel.arguments(buffer), shape) == 1
}

/// Whether that is so.
fn runs_apart(kernel: &Kernel, shape: &Shape) -> bool {
    let mut owners: HashMap<i64, u32> = HashMap::new();
    let mut apart = true;
    kernel.run(shape, |item, start, bytes| {
        for offset in 0..i64::from(bytes) {
            apart &= *owners.entry(start.wrapping_add(offset)).or_insert(item) == item;
        }
    });
    apart
}

/// Random kernels.
const CASES: u32 = 3000;

/// Nothing is taken for apart that is not.
#[test]
fn random_places_are_apart_where_that_is_said() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (mut said, mut are) = (0, 0);
    for case in 0..CASES {
        let kernel = random.kernel(false);
        let shape = random.shape();
        let (says, is_so) = (is_apart(&kernel, &shape), runs_apart(&kernel, &shape));
        assert!(is_so || !says, "case {case}: {shape:?} {:?} {:#?}", kernel.values, kernel.habits);
        let several = shape.global != [1; 3];
        said += u32::from(says && several);
        are += u32::from(is_so && several);
    }
    println!("{said} of {are} are found");
    assert!(said * 3 > are, "{said} of {are} are found");
}
