//! How much memory large modules take: no time is measured, so these tests say the same on every machine.

mod counting;

use clvk_spirv::{Indexed, Wishes};
use counting::{allocations_of, peak_of};
use std::sync::Arc;

/// Kernels of the module, and the products in each.
const KERNELS: u32 = 1_700;
const PRODUCTS: u32 = 60;

/// Operations, storage classes and other numbers of SPIR-V.
const HEADER: [u32; 5] = [0x0723_0203, 0x0001_0000, 0, 0, 0];
const ADDRESSES: u32 = 4;
const KERNEL: u32 = 6;
const CROSS_WORKGROUP: u32 = 5;
const FUNC_PARAM_ATTR: u32 = 38;
const NO_CAPTURE: u32 = 5;

/// The ids of the types; those of the kernels follow.
const VOID: u32 = 1;
const FLOAT: u32 = 2;
const POINTER: u32 = 3;
const TYPE: u32 = 4;
const FIRST: u32 = 5;

fn push(words: &mut Vec<u32>, opcode: u32, operands: &[u32]) {
    words.push((operands.len() as u32 + 1) << 16 | opcode);
    words.extend(operands);
}

/// The words of a text of up to 7 bytes.
fn text(text: &str) -> [u32; 2] {
    let mut bytes = [0; 8];
    bytes[..text.len()].copy_from_slice(text.as_bytes());
    let bytes = u64::from_le_bytes(bytes);
    [bytes as u32, (bytes >> 32) as u32]
}

/// A module with many kernels, each with a name, a decorated argument and a body of one block.
fn module() -> Arc<[u32]> {
    let ids_of_kernel = 4 + PRODUCTS;
    let first = |kernel: u32| FIRST + kernel * ids_of_kernel;
    let mut words = HEADER.to_vec();
    words[3] = first(KERNELS);
    push(&mut words, 17, &[ADDRESSES]);
    push(&mut words, 17, &[KERNEL]);
    push(&mut words, 14, &[2, 2]);
    for kernel in 0..KERNELS {
        let [low, high] = text(&format!("k{kernel}"));
        push(&mut words, 15, &[KERNEL, first(kernel), low, high]);
    }
    for kernel in 0..KERNELS {
        push(&mut words, 5, &[first(kernel) + 1, text("out")[0]]);
    }
    for kernel in 0..KERNELS {
        push(&mut words, 71, &[first(kernel) + 1, FUNC_PARAM_ATTR, NO_CAPTURE]);
    }
    push(&mut words, 19, &[VOID]);
    push(&mut words, 22, &[FLOAT, 32]);
    push(&mut words, 32, &[POINTER, CROSS_WORKGROUP, FLOAT]);
    push(&mut words, 33, &[TYPE, VOID, POINTER]);
    for kernel in 0..KERNELS {
        let id = first(kernel);
        push(&mut words, 54, &[VOID, id, 0, TYPE]);
        push(&mut words, 55, &[POINTER, id + 1]);
        push(&mut words, 248, &[id + 2]);
        push(&mut words, 61, &[FLOAT, id + 3, id + 1, 2, 4]);
        for product in id + 4..id + 4 + PRODUCTS {
            push(&mut words, 133, &[FLOAT, product, product - 1, product - 1]);
        }
        push(&mut words, 62, &[id + 1, id + 3 + PRODUCTS, 2, 4]);
        push(&mut words, 253, &[]);
        push(&mut words, 56, &[]);
    }
    words.into()
}

/// Reading, checking and listing take a few times the module, whose words are counted too. Kernels that are
/// kept take many times their words: so this fails if bodies stay, and if positions become large.
#[test]
fn a_large_module_takes_few_times_its_size() {
    let words = module();
    let size = 4 * words.len() as u64;
    assert!(size > 1 << 21, "{size} bytes");
    let (peak, module) = peak_of(|| Indexed::new(Arc::clone(&words), &[]).unwrap());
    assert!(peak < size / 4, "the index of {size} bytes takes {peak}");
    let (peak, ()) = peak_of(|| module.check(&Wishes::default()).unwrap());
    assert!(peak < size, "checking {size} bytes takes {peak} more");
    let (peak, kernels) = peak_of(|| module.summary().kernels);
    assert_eq!(kernels.len(), KERNELS as usize);
    assert!(peak < size / 8, "listing {size} bytes takes {peak} more");
    let one = Wishes { kernels: vec!["k7".to_owned()], ..Wishes::default() };
    let (peak, _) = peak_of(|| module.read(&one).unwrap());
    assert!(peak < size / 16, "a kernel of {size} bytes takes {peak} more");
}

/// Bodies leave their room to each other, so a kernel takes few allocations, also with many instructions.
#[test]
fn checking_allocates_little_for_each_function() {
    let module = Indexed::new(module(), &[]).unwrap();
    let count = allocations_of(|| module.check(&Wishes::default()).unwrap());
    assert!(count < 40 * u64::from(KERNELS), "{count} allocations for {KERNELS} kernels");
}

/// What is wrong in any body is found although no body stays.
#[test]
fn checking_finds_what_reading_finds() {
    let mut words = module().to_vec();
    let last = words.iter().rposition(|&word| word == 5 << 16 | 133).unwrap();
    words[last + 3] = VOID;
    let module = Indexed::new(words.into(), &[]).unwrap();
    let error = module.check(&Wishes::default()).unwrap_err();
    assert_eq!(error, module.read(&Wishes::default()).unwrap_err());
    assert_eq!(error.place.map(|place| place.word), Some(last));
}
