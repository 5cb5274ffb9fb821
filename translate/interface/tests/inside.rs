//! Which accesses stay in their objects ([`inside`], [`always_inside`]), against executing what the places
//! are computed from for each work-item, in the kernel's arithmetic.

mod kernels;

use clvk_interface::sanitize::{ArgumentMemory, Confined, Extent, Way, always_inside, inside};
use kernels::Random;

/// Random kernels.
const CASES: u32 = 2000;

/// Nothing is taken for inside that is not.
#[test]
fn random_accesses_are_inside_where_that_is_said() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (mut said, mut are, mut always) = (0, 0, 0);
    for case in 0..CASES {
        let mut kernel = random.kernel(true);
        let (before, all) = (random.one(&[0, 0, 0, 4, 20]), random.one(&[4, 16, 32, 64, 200, 1024]));
        let memory = ArgumentMemory { before, all, ..ArgumentMemory::default() };
        let Way::Sites(sites) = kernel.habits.arguments[0].way.clone() else { continue };
        let confined = |object| {
            let all = sites.iter().cloned();
            all.map(move |site| Confined { object, site, bit: 0 }).collect::<Vec<Confined>>()
        };
        let always_stays = confined(Extent::Bytes(all));
        kernel.habits.confined = confined(Extent::Argument(0));
        let shape = random.shape();
        let arguments = kernel.arguments(memory);
        let says = inside(&kernel.habits, &arguments, &shape) & 1 != 0;
        let says_always = always_stays.iter().all(|it| always_inside(&kernel.habits, Some(shape.local), it));
        let (mut reaches, mut is_so, mut is_always) = (false, true, true);
        kernel.run(&shape, |_, start, bytes| {
            let fits = |start: i64| start >= 0 && start as u64 + u64::from(bytes) <= all;
            reaches = true;
            is_so &= fits(start.wrapping_add(before as i64));
            is_always &= fits(start);
        });
        let what =
            || format!("case {case}: {shape:?} {before} {all} {:?} {:#?}", kernel.values, kernel.habits);
        assert!(is_so || !says, "{}", what());
        assert!(is_always || !says_always, "always, {}", what());
        (said, are) = (said + u32::from(says && reaches), are + u32::from(is_so && reaches));
        always += u32::from(says_always && reaches);
    }
    println!("{said} of {are} are found, {always} without the launch");
    assert!(said * 3 > are && always > 0, "{said} of {are} are found, {always} without the launch");
}
