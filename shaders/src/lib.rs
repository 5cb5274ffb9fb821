//! The built-in functions with bodies, written in OpenCL C (`library/`) and compiled at build time.
//!
//! A function is called `__clvk_<builtin>_<type>`, is scalar, and meets the error bounds of OpenCL C §7.4 on
//! any device that rounds additions and multiplications correctly. Contraction is off in the library, and it
//! relies only on what Vulkan promises about the device. Not here: built-ins that take only a few operations,
//! which the front end generates itself.
#![forbid(unsafe_code)]

use clvk_interface::fnv1a;
use clvk_ir::container::Library;
use std::sync::LazyLock;

static BYTES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/library.bin"));

static LIBRARY: LazyLock<Library<'static>> =
    LazyLock::new(|| Library::open(BYTES).expect("the library was written by the same build"));

/// A number that distinguishes versions of the library and of the IR's encoding: a build can read what
/// another one serialised only if the numbers are equal.
#[must_use]
pub fn fingerprint() -> u64 {
    static FINGERPRINT: LazyLock<u64> = LazyLock::new(|| fnv1a(BYTES));
    *FINGERPRINT
}

/// The library, opened by the first call; its functions are decoded on demand.
#[must_use]
pub fn library() -> &'static Library<'static> {
    &LIBRARY
}

#[cfg(test)]
mod tests {
    use super::*;
    use clvk_interface::{Guarantee, Preference};

    #[test]
    fn variants_have_the_signature_of_what_they_stand_for() {
        let guaranteed = Guarantee::ALL.iter().map(|guarantee| guarantee.suffix());
        let preferred = Preference::ALL.iter().filter_map(|preference| preference.suffix());
        let suffixes: Vec<&str> = guaranteed.chain(preferred).collect();
        for (name, suffix) in
            library().function_names().flat_map(|name| suffixes.iter().map(move |&suffix| (name, suffix)))
        {
            let Some(base) = name.strip_suffix(suffix) else { continue };
            let types = |name: &str| {
                let function = library().function(name)?.expect("it decodes").function;
                let params: Vec<_> = function.params.iter().map(|&param| function.ty(param)).collect();
                Some((params, function.result()))
            };
            assert_eq!(types(name), types(base), "`{name}` and `{base}`");
            let variant = library().function(name).expect("it was listed").expect("it decodes");
            assert!(variant.callees.iter().all(|callee| callee != base), "`{name}` calls itself");
        }
    }

    #[test]
    fn every_function_decodes_and_everything_it_needs_is_there() {
        let names: Vec<&str> =
            library().function_names().filter(|name| name.starts_with("__clvk_")).collect();
        assert!(names.len() >= 40, "only {} functions", names.len());
        for name in names {
            let function = library().function(name).expect("it was listed").expect("it decodes");
            for callee in &function.callees {
                assert!(
                    library().function(callee).is_some(),
                    "`{name}` calls `{callee}`, which is not there"
                );
            }
            for global in &function.globals {
                assert!(library().global(global).is_some(), "`{name}` uses `{global}`, which is not there");
            }
        }
    }
}
