//! Overload resolution and the table's own consistency.

use super::bfloat16::BFLOAT16;
use super::family::INTEL;
use super::*;
use crate::types::ScalarKind::{Char, Double, Float, Half, Int, Long, Short, UChar, UInt};
use clvk_interface::{Feature, FeatureSet};
use clvk_ir::{AddressSpace, RoundingMode};

fn resolve(features: FeatureSet, name: &str, arguments: &[Argument]) -> Result<Resolution, Mismatch> {
    let builtin = lookup(name).unwrap_or_else(|| panic!("{name} is not in the table"));
    let rows: Vec<&'static Row> = builtin.rows.iter().collect();
    Resolver { features, truth_is_bool: false }.resolve(&rows, arguments)
}

fn single(name: &str, arguments: &[Argument]) -> Result<Resolution, Mismatch> {
    resolve(FeatureSet::default(), name, arguments)
}

fn a(kind: crate::types::ScalarKind, lanes: u32) -> Argument {
    Argument::Arithmetic(kind, lanes)
}

fn result_of(name: &str, arguments: &[Argument]) -> Option<(crate::types::ScalarKind, u32)> {
    single(name, arguments).unwrap_or_else(|error| panic!("{name}: {error:?}")).result
}

#[test]
fn exact_overloads_win() {
    assert_eq!(result_of("exp", &[a(Float, 3)]), Some((Float, 3)));
    assert_eq!(result_of("max", &[a(UChar, 16), a(UChar, 16)]), Some((UChar, 16)));
    assert_eq!(result_of("abs", &[a(Char, 2)]), Some((UChar, 2)));
    assert_eq!(result_of("upsample", &[a(Short, 4), a(crate::types::ScalarKind::UShort, 4)]), Some((Int, 4)));
    assert_eq!(result_of("dot", &[a(Float, 3), a(Float, 3)]), Some((Float, 1)));
    assert_eq!(result_of("isnan", &[a(Float, 1)]), Some((Int, 1)));
    assert_eq!(result_of("isless", &[a(Float, 4), a(Float, 4)]), Some((Int, 4)));
}

#[test]
fn an_integer_is_ambiguous_only_between_several_floating_types() {
    assert_eq!(result_of("sqrt", &[a(Int, 1)]), Some((Float, 1)));
    let both: FeatureSet = [Feature::Fp64].into_iter().collect();
    let Err(Mismatch::Ambiguous(candidates)) = resolve(both, "sqrt", &[a(Int, 1)]) else {
        panic!("not ambiguous")
    };
    assert!(candidates.iter().all(|candidate| matches!(candidate.result, Some((Float | Double, 1)))));
}

#[test]
fn mixed_signedness_is_ambiguous() {
    assert!(matches!(single("max", &[a(UInt, 1), a(Int, 1)]), Err(Mismatch::Ambiguous(_))));
    let Err(Mismatch::Ambiguous(candidates)) = single("max", &[a(Short, 1), a(Int, 1)]) else {
        panic!("not ambiguous")
    };
    let results: Vec<_> = candidates.iter().map(|candidate| candidate.result).collect();
    assert_eq!(results, [Some((Short, 1)), Some((Int, 1))]);
    assert_eq!(result_of("max", &[a(Char, 1), a(Char, 1)]), Some((Char, 1)));
}

#[test]
fn scalars_beside_vectors_take_the_overload_that_is_meant_for_them() {
    let chosen = single("clamp", &[a(Float, 4), a(Int, 1), a(Int, 1)]).expect("clamp of ints");
    assert_eq!(chosen.params[1], Parameter::Arithmetic { kind: Float, lanes: 1, widened: 4 });
    let chosen = single("pow", &[a(Float, 4), a(Float, 1)]).expect("widening");
    assert_eq!(chosen.params[1], Parameter::Arithmetic { kind: Float, lanes: 4, widened: 4 });
    assert!(matches!(single("pow", &[a(Float, 4), a(Float, 2)]), Err(Mismatch::NoMatch)));
    let chosen = single("ldexp", &[a(Float, 8), a(Int, 1)]).expect("ldexp");
    assert_eq!(chosen.params[1], Parameter::Arithmetic { kind: Int, lanes: 1, widened: 8 });
    let chosen = single("step", &[a(Float, 1), a(Float, 2)]).expect("step");
    assert_eq!(chosen.params[0], Parameter::Arithmetic { kind: Float, lanes: 1, widened: 2 });
}

#[test]
fn unavailable_types_have_no_overloads() {
    assert!(matches!(single("sqrt", &[a(Half, 4)]), Err(Mismatch::NoMatch)));
    assert_eq!(resolve(FeatureSet::all(), "sqrt", &[a(Half, 4)]).expect("half").result, Some((Half, 4)));
}

#[test]
fn pointers_match_by_target_and_space() {
    let pointer = |kind, space, is_const| Argument::Pointer { kind, lanes: 1, space, is_const };
    let global = pointer(UInt, AddressSpace::Global, false);
    assert_eq!(result_of("atomic_add", &[global, a(Int, 1)]), Some((UInt, 1)));
    for wrong in [
        pointer(UInt, AddressSpace::Private, false),
        pointer(UInt, AddressSpace::Global, true),
        pointer(Long, AddressSpace::Global, false),
    ] {
        assert!(matches!(single("atomic_add", &[wrong, a(UInt, 1)]), Err(Mismatch::NoMatch)), "{wrong:?}");
    }
    assert!(single("prefetch", &[pointer(Float, AddressSpace::Global, true), a(Int, 1)]).is_ok());
}

fn family(name: &str) -> Option<Family> {
    match lookup(name)?.strategy {
        Strategy::Family(family) => Some(family),
        other => panic!("{name}: {other:?}"),
    }
}

#[test]
fn names_with_types_are_recognised() {
    let to_bytes = Family::Convert {
        kind: UChar,
        lanes: 4,
        saturating: true,
        rounding: Some(RoundingMode::NearestEven),
    };
    assert_eq!(family("convert_uchar4_sat_rte"), Some(to_bytes));
    let to_float = Family::Convert { kind: Float, lanes: 1, saturating: false, rounding: None };
    assert_eq!(family("convert_float"), Some(to_float));
    assert_eq!(family("as_float3"), Some(Family::Reinterpret { kind: Float, lanes: 3 }));
    assert_eq!(family("vload16"), Some(Family::Load { lanes: 16 }));
    assert_eq!(family("vstore3"), Some(Family::Store { lanes: 3 }));
    assert_eq!(family("vload_half"), Some(Family::LoadHalf { lanes: 1, stride: 1 }));
    assert_eq!(family("vload_half3"), Some(Family::LoadHalf { lanes: 3, stride: 3 }));
    assert_eq!(family("vloada_half3"), Some(Family::LoadHalf { lanes: 3, stride: 4 }));
    let toward_zero = Some(RoundingMode::TowardZero);
    let store = Family::StoreHalf { lanes: 1, stride: 1, rounding: toward_zero };
    assert_eq!(family("vstore_half_rtz"), Some(store));
    let store = Family::StoreHalf { lanes: 3, stride: 4, rounding: None };
    assert_eq!(family("vstorea_half3"), Some(store));
    for wrong in [
        "convert_float4_sat",
        "convert_int5",
        "convert_int_sat_sat",
        "convert_bool",
        "as_bool",
        "as_int4_sat",
        "vload5",
        "vload",
        "vloada_half",
        "vstore_half_sat",
    ] {
        assert!(lookup(wrong).is_none(), "{wrong}");
    }
}

/// Each name is found, and finds its own rows.
#[test]
fn every_row_is_found_by_its_names() {
    for row in rows() {
        for name in row.names() {
            let found = lookup(&name).unwrap_or_else(|| panic!("{name} is not found"));
            assert!(found.rows.iter().any(|found| std::ptr::eq(found, row)), "{name} finds others");
            assert!(!matches!(found.strategy, Strategy::Pattern(_)), "{name}");
        }
    }
    assert!(lookup("intel_sub_group_shuffle").is_some());
    assert!(lookup("sub_group_shuffle_sideways").is_none());
    assert!(lookup("").is_none());
}

#[test]
fn every_overload_is_among_the_rows_of_its_name() {
    let count = |name: &str| lookup(name).expect("it is a function").rows.len();
    // Of integers and of floating-point numbers; 32 and 64 bits; of floats, of scalars and four of bytes.
    assert_eq!((count("clamp"), count("atom_add"), count("dot")), (2, 2, 6));
}

#[test]
fn rows_are_consistent() {
    for row in rows() {
        let section = row.section;
        match row.strategy {
            Strategy::Unsupported => {}
            Strategy::Pattern(_) => {
                let known = section.starts_with("6.4.") || section == "6.15.7" || section == INTEL;
                assert!(known, "{}", row.name)
            }
            Strategy::Matrix(_) => assert_eq!(section, "cl_khr_cooperative_matrix", "{}", row.name),
            _ => {
                let known = section.starts_with("6.15.") || [INTEL, BFLOAT16].contains(&section);
                assert!(known, "{} has no section", row.name)
            }
        }
        assert_eq!(matches!(row.strategy, Strategy::Pattern(_)), row.name.contains('{'), "{}", row.name);
        if let Strategy::Overloads(signatures, lowering) = row.strategy {
            assert!(!signatures.is_empty(), "{} has no signature", row.name);
            let takes_something =
                |signature: &Signature| signature.params.iter().any(|term| *term != Term::Void);
            let library = matches!(lowering, Lowering::Library(_));
            assert!(!library || signatures.iter().all(takes_something), "{}", row.name);
        } else {
            let rows = lookup(&row.names().next().unwrap_or_default()).map_or(1, |found| found.rows.len());
            assert_eq!(rows, 1, "{} has several rows and no signatures", row.name);
        }
    }
}

#[test]
fn gates_add_up() {
    let needs = |name: &str| lookup(name).expect("it is a function").rows[0].needs;
    let of = |features: &[Feature]| features.iter().copied().collect::<FeatureSet>();
    assert_eq!(needs("sub_group_reserve_read_pipe"), of(&[Feature::Pipes, Feature::SubGroups]));
    assert_eq!(needs("sub_group_ballot"), of(&[Feature::SubGroups, Feature::SubGroupBallot]));
    assert_eq!(needs("atomic_init"), FeatureSet::EMPTY);
    assert_eq!(needs("atomic_load"), of(&[Feature::AtomicOrderSeqCst, Feature::AtomicScopeDevice]));
}
