//! A program compiled for several devices, with what each result needs of a device.
//!
//! The least profile that gives the same SPIR-V and interface says it exactly: features are taken away, and
//! driver errors added, as long as the result stays the same. No table has to say which feature the compiler
//! uses for what.

use crate::console;
use crate::failure::{Failure, Result};
use crate::parallel::in_parallel;
use crate::program::Source;
use clvk::interface::{Guarantee, Quirk};
use clvk::{Compiler, DeviceProfile, Program};
use serde_json::Value;
use std::collections::HashSet;

/// The features and properties that the runtime finds out about a device, as members of a profile, in the
/// order of `CLVK_NEEDS` in `clvk_program_data.h`.
pub const NEEDS: [&str; 40] = [
    "int8",
    "int16",
    "int64",
    "float16",
    "float64",
    "storage_8bit",
    "storage_16bit",
    "push_constant_8bit",
    "push_constant_16bit",
    "buffer_device_address",
    "vulkan_memory_model",
    "buffer_int64_atomics",
    "shared_int64_atomics",
    "buffer_float32_add",
    "shared_float32_add",
    "buffer_float32_min_max",
    "shared_float32_min_max",
    "buffer_float64_add",
    "shared_float64_add",
    "integer_dot_product",
    "device_clock",
    "subgroup_clock",
    "signed_zero_inf_nan_preserve_f32",
    "denorm_preserve_f32",
    "denorm_flush_f32",
    "rounding_rte_f32",
    "signed_zero_inf_nan_preserve_f16",
    "denorm_preserve_f16",
    "rounding_rte_f16",
    "signed_zero_inf_nan_preserve_f64",
    "denorm_preserve_f64",
    "rounding_rte_f64",
    "scalar_block_layout",
    "image_read_without_format",
    "image_write_without_format",
    "subgroup_arithmetic",
    "subgroup_shuffle",
    "subgroup_clustered",
    "subgroup_extended_types",
    "compute_full_subgroups",
];

/// Features that no device has without the one before them, so that a profile without it lacks them too.
const DEPENDENT: [(&str, &[&str]); 3] = [
    ("int64", &["buffer_int64_atomics", "shared_int64_atomics"]),
    ("float64", &["buffer_float64_add", "shared_float64_add"]),
    ("subgroup_arithmetic", &["subgroup_shuffle", "subgroup_clustered", "subgroup_extended_types"]),
];

/// A program compiled for a profile.
pub struct Variant {
    /// The profile's name.
    pub name: String,
    /// What it was compiled to.
    pub program: Program,
    /// The members of [`NEEDS`] that a device must have.
    pub needs: Vec<&'static str>,
    /// The sub-group size that a device must have, if it matters.
    pub subgroup_size: Option<u32>,
    /// The largest number of work-items of a work-group that it was compiled for, if it matters.
    pub max_work_group: Option<u32>,
    /// The driver errors that do not make it wrong.
    pub tolerates: Vec<Quirk>,
    /// The guarantees of a driver that it needs.
    pub relies_on: Vec<Guarantee>,
}

/// How a source is compiled.
pub struct Build<'a> {
    /// The source.
    pub source: &'a Source,
    /// The kernels that are wanted; all if empty.
    pub kernels: &'a [String],
}

impl Build<'_> {
    /// Compiles for a profile, without printing anything.
    pub fn program(&self, profile: &DeviceProfile) -> Result<Program, clvk::Error> {
        let compiler = self.compiler(profile);
        compiler.translate(&self.source.object_quietly(&compiler)?)
    }

    /// The compiler for a profile.
    pub fn compiler(&self, profile: &DeviceProfile) -> Compiler {
        // Most of the profiles here belong to no device, so their translations are not worth keeping.
        let compiler = Compiler::new(profile).with_cache(None).judging_kernels();
        self.source.compiler(compiler).with_kernels(self.kernels)
    }

    /// Compiles for all profiles, those that need most first. A profile that the source does not suit is left
    /// out with a warning, unless none remains.
    pub fn variants(&self, profiles: &[DeviceProfile]) -> Result<Vec<Variant>> {
        let results = in_parallel(profiles, |profile| self.of_profile(profile));
        let mut variants: Vec<Variant> = Vec::new();
        let mut left_out: Vec<(&str, clvk::Error)> = Vec::new();
        for (profile, result) in profiles.iter().zip(results) {
            match result {
                Ok(found) => variants.extend(found),
                Err(error @ clvk::Error::Unsupported { .. }) => left_out.push((&profile.name, error)),
                Err(error) => return Err(error.into()),
            }
        }
        if variants.is_empty() {
            let error = left_out.into_iter().next().map(|(_, error)| error.into());
            return Err(error.unwrap_or_else(|| Failure::usage("there is no profile to compile for")));
        }
        for (name, error) in left_out {
            let text = error.plain();
            let first = text.lines().next().unwrap_or_default();
            let reason = first.split_once("error: ").map_or(first, |(_, reason)| reason);
            console::warn(format!("profile `{name}` is left out: {reason}"));
        }
        let mut seen = HashSet::new();
        variants.retain(|variant| seen.insert(variant.program.module().clone()));
        variants.sort_by_key(|variant| std::cmp::Reverse(variant.needs.len()));
        Ok(variants)
    }

    /// The program for a profile, and, where that relies on a driver's guarantees, one for other drivers.
    fn of_profile(&self, profile: &DeviceProfile) -> Result<Vec<Variant>, clvk::Error> {
        // Kits do not ask devices for matrix engines, so sub-groups compute matrices.
        let profile = &DeviceProfile { matrices: Vec::new(), ..profile.clone() };
        let variant = self.least(profile)?;
        if variant.relies_on.is_empty() {
            return Ok(vec![variant]);
        }
        let name = format!("{}-any-driver", profile.name);
        let plain = DeviceProfile { name, guarantees: Vec::new(), ..profile.clone() };
        Ok(vec![variant, self.least(&plain)?])
    }

    /// The program for a profile, and the least that gives the same program.
    fn least(&self, profile: &DeviceProfile) -> Result<Variant, clvk::Error> {
        let program = self.program(profile)?;
        let same =
            |other: &DeviceProfile| self.program(other).is_ok_and(|other| other.module() == program.module());
        let mut least = profile.clone();
        drop_what_is_unused(&mut least, &NEEDS, &same, |profile, name| {
            // Votes of sub-groups avoid this error.
            if *name == "subgroup_arithmetic" && profile.has(Quirk::UnguardedLoads) {
                return;
            }
            let mut value = serde_json::to_value(&*profile).expect("a profile is plain data");
            let dependent = DEPENDENT.iter().find(|(needed, _)| needed == name).map_or(&[][..], |(_, it)| it);
            for name in [&[*name], dependent].concat() {
                value[name] = Value::Bool(false);
            }
            *profile = serde_json::from_value(value).expect("only a flag has changed");
        });
        drop_what_is_unused(&mut least, Guarantee::ALL, &same, |profile, guarantee| {
            profile.guarantees.retain(|other| other != guarantee);
        });
        let tolerates = tolerated(&least, &same);
        let sizes = [1, 128].map(|subgroup_size| DeviceProfile { subgroup_size, ..least.clone() });
        let subgroup_size = (!sizes.iter().all(same)).then_some(profile.subgroup_size);
        let larger = DeviceProfile { max_work_group_invocations: 1 << 16, ..least.clone() };
        let max_work_group = (!same(&larger)).then_some(profile.max_work_group_invocations);
        let flags = serde_json::to_value(&least).expect("a profile is plain data");
        Ok(Variant {
            name: profile.name.clone(),
            needs: NEEDS.into_iter().filter(|name| flags[*name] == Value::Bool(true)).collect(),
            subgroup_size,
            max_work_group,
            tolerates,
            relies_on: least.guarantees,
            program,
        })
    }
}

/// The driver errors that a program for a profile avoids, or that would not change it. What is only slow with
/// such a driver is still right.
fn tolerated(least: &DeviceProfile, same: &impl Fn(&DeviceProfile) -> bool) -> Vec<Quirk> {
    let mut profile = least.clone();
    // Some errors are avoided by votes of sub-groups, which all devices with such drivers have.
    let with_votes = DeviceProfile {
        subgroup_arithmetic: true,
        subgroup_size: profile.subgroup_size.max(4),
        ..profile.clone()
    };
    if same(&with_votes) {
        profile = with_votes;
    }
    let is_possible = |quirk: Quirk| quirk != Quirk::UnguardedLoads || profile.has_sub_groups();
    let wrong = Quirk::ALL.iter().copied().filter(|quirk| !quirk.is_only_slow() && is_possible(*quirk));
    let wrong: Vec<Quirk> = wrong.collect();
    drop_what_is_unused(&mut profile, &wrong, same, |profile, quirk| {
        if !profile.has(*quirk) {
            profile.quirks.push(*quirk);
        }
    });
    Quirk::ALL.iter().copied().filter(|quirk| quirk.is_only_slow() || profile.has(*quirk)).collect()
}

/// Applies a change for as many of the items as leave the result the same: all at once if possible, else half
/// by half.
fn drop_what_is_unused<T>(
    profile: &mut DeviceProfile,
    items: &[T],
    same: &impl Fn(&DeviceProfile) -> bool,
    change: impl Fn(&mut DeviceProfile, &T) + Copy,
) {
    let mut changed = profile.clone();
    items.iter().for_each(|item| change(&mut changed, item));
    if changed == *profile {
        return;
    }
    if same(&changed) {
        *profile = changed;
    } else if items.len() > 1 {
        let (first, second) = items.split_at(items.len() / 2);
        drop_what_is_unused(profile, first, same, change);
        drop_what_is_unused(profile, second, same, change);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_needs_are_the_flags_of_a_profile_and_those_of_the_runtime() {
        let flags =
            serde_json::to_value(DeviceProfile { denorm_flush_f32: true, ..DeviceProfile::default() });
        let Ok(Value::Object(flags)) = flags else { unreachable!("a profile is an object") };
        let mut flags: Vec<&str> =
            flags.iter().filter(|(_, value)| value.is_boolean()).map(|(name, _)| name.as_str()).collect();
        let mut needs = NEEDS.to_vec();
        flags.sort_unstable();
        needs.sort_unstable();
        assert_eq!(needs, flags);
        let header = include_str!("../../kit/runtime/clvk_program_data.h");
        let list = header.split("#define CLVK_NEEDS(X)").nth(1).unwrap().split("\n\n").next().unwrap();
        let in_header: Vec<&str> =
            list.split("X(").skip(1).map(|text| text.split(')').next().unwrap()).collect();
        assert_eq!(in_header, NEEDS);
    }

    /// A feature that sets a flag: extension, version from which it is core, structure, the first and the
    /// last of the members that it takes, and the flag. Members have no capitals and underscores here,
    /// because Rust and C spell them differently.
    type Feature = (String, &'static str, String, String, String, &'static str);
    /// A member without a structure of its own, and the flag.
    type Member = (String, &'static str);

    fn plain(member: &str) -> String {
        member.replace('_', "").to_ascii_lowercase()
    }

    /// The rows of the project's table of capabilities that set a flag.
    fn rows_of_the_project() -> (BTreeSet<Feature>, BTreeSet<Member>) {
        const V1_1: &str = "VK_API_VERSION_1_1";
        const V1_2: &str = "VK_API_VERSION_1_2";
        const V1_3: &str = "VK_API_VERSION_1_3";
        const NEVER: &str = "CLVK_NEVER";
        let (mut features, mut members) = (BTreeSet::new(), BTreeSet::new());
        macro_rules! rows {
            (
                core features { $($core:ident => $core_owner:ident . $core_field:ident;)* }
                features {
                    $([$extension:expr, $since:expr] $name:ident: $type:ident {
                        $($($member:ident)&&+ => $owner:ident . $field:ident;)*
                    })*
                }
                properties {
                    $([$property_extension:expr, $property_since:expr] $property:ident: $property_type:ident {
                        $($property_member:ident => $property_owner:ident . $property_field:ident;)*
                    })*
                }
                functions { $($function:tt)* }
                limits { $($limit:ident => $limit_owner:ident . $limit_field:ident;)* }
            ) => {
                $(if stringify!($core_owner) == "profile" {
                    members.insert((plain(stringify!($core)), stringify!($core_field)));
                })*
                $($(if stringify!($property_owner) == "profile" {
                    members.insert((plain(stringify!($property_member)), stringify!($property_field)));
                })*)*
                $($(if stringify!($owner) == "profile" {
                    let taken = [$(plain(stringify!($member))),+];
                    let extension = $extension.to_str().unwrap().to_owned();
                    features.insert((extension, $since, concat!("Vk", stringify!($type)).to_owned(),
                        taken[0].clone(), taken[taken.len() - 1].clone(), stringify!($field)));
                })*)*
            };
        }
        clvk::interface::vulkan_capabilities!(rows);
        (features, members)
    }

    /// The rows of a macro of the runtime in C, as their fields.
    fn rows_of_the_runtime(list: &str) -> Vec<Vec<&'static str>> {
        let text = include_str!("../../kit/runtime/clvk_features.c");
        let text = text.split(&format!("#define {list}(X)")).nth(1).expect("the list exists");
        let rows = text.split("\n\n").next().unwrap().split("X(").skip(1);
        let field = |text: &'static str| text.trim_matches(|c: char| c.is_whitespace() || "\\\"".contains(c));
        rows.map(|row| row.split(')').next().unwrap().split(',').map(field).collect()).collect()
    }

    #[test]
    fn the_runtime_finds_features_where_the_project_does() {
        let structures = rows_of_the_runtime("CLVK_FEATURES");
        let features = rows_of_the_runtime("CLVK_MEMBERS").into_iter().map(|row| {
            let [structure, first, last, flag] = row[..] else { panic!("{row:?}") };
            let of = structures.iter().find(|of| of[0] == structure).expect("its structure is listed");
            (of[3].to_owned(), of[4], of[1].to_owned(), plain(first), plain(last), flag)
        });
        let mut members: BTreeSet<Member> = ["CLVK_CORE_MEMBERS", "CLVK_FLOAT_CONTROLS"]
            .iter()
            .flat_map(|list| rows_of_the_runtime(list))
            .map(|row| (plain(row[0]), row[1]))
            .collect();
        // Taken by a rule of its own.
        members.insert((plain("shaderDenormFlushToZeroFloat32"), "denorm_flush_f32"));
        let (expected_features, expected_members) = rows_of_the_project();
        assert_eq!(features.collect::<BTreeSet<_>>(), expected_features);
        assert_eq!(members, expected_members);
    }
}
