//! The kernels of the execution tests are valid; and the HIR of kernels.

use super::{check_with, errors, function, valid, version};
use crate::options::LanguageVersion;
use clvk_interface::Feature;
use clvk_ir::AddressSpace;
use std::path::{Path, PathBuf};

fn kernel_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("the folder of kernels") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            kernel_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "cl") {
            found.push(path);
        }
    }
}

#[test]
fn every_kernel_of_the_execution_tests_is_right() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/kernels");
    let mut files = Vec::new();
    kernel_files(&folder, &mut files);
    assert!(files.len() > 10, "the kernels are missing");
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a readable kernel");
        for mut options in [super::plain(), super::everything(), version(LanguageVersion::C30)] {
            // Devices without a matrix engine emulate it.
            options.features.insert(Feature::CooperativeMatrix);
            options.features.insert(Feature::SubGroups);
            let (program, messages) = check_with(&text, &options);
            assert_eq!(messages, "", "{}", file.display());
            assert!(program.is_some_and(|program| program.functions.iter().any(|f| f.kernel.is_some())));
        }
    }
}

#[test]
fn a_kernel_has_its_attributes_and_the_names_of_its_parameters() {
    let program = valid(
        "typedef struct { float a; } S;
         __kernel __attribute__((reqd_work_group_size(16, 2 * 4, 1))) __attribute__((work_group_size_hint(4, 1, 1)))
         void k(__global const float4 *restrict in, uint n, S s, unsigned int u, __local int *t) {}",
    );
    let kernel = function(&program, "k").kernel.as_ref().expect("a kernel");
    assert_eq!(kernel.required_work_group_size, Some([16, 8, 1]));
    assert_eq!(kernel.work_group_size_hint, Some([4, 1, 1]));
    assert_eq!(kernel.param_type_names, ["float4*", "uint", "S", "uint", "int*"]);
}

#[test]
fn local_variables_are_variables_of_the_kernel() {
    let program = valid("__kernel void k(__global int *p) { __local int a[4], b; *p = a[1] + b; }");
    let names: Vec<(&str, AddressSpace)> =
        program.globals.iter().map(|global| (global.name.as_str(), global.space)).collect();
    assert_eq!(names, [("k.a", AddressSpace::Local), ("k.b", AddressSpace::Local)]);
}

#[test]
fn contraction_is_off_where_a_pragma_says_so() {
    let program = valid(
        "void a() {}
         #pragma OPENCL FP_CONTRACT OFF
         void b() {}
         #pragma OPENCL FP_CONTRACT ON
         void c() { { 
         #pragma OPENCL FP_CONTRACT OFF
         ; } }
         void d() {}
         #pragma clang fp contract(off)
         void e() {}
         #pragma clang fp contract(fast)
         void f() {}",
    );
    let flags: Vec<bool> = program.functions.iter().map(|function| function.contract).collect();
    assert_eq!(flags, [true, false, false, true, false, true]);
}

#[test]
fn rules_of_kernels() {
    let wrong = errors(
        "__kernel int a() { return 1; }
         __kernel void b(int *p) {}
         __kernel void c(__global int **p) {}
         __kernel void d(bool x) {}
         __kernel void e(size_t x) {}
         struct s { bool x; };
         __kernel void f(struct s x) {}
         __attribute__((reqd_work_group_size(1, 1, 1))) void g() {}
         static __kernel void h() {}",
    );
    let pointers = "pointer arguments to kernel functions must reside in '__global', '__constant' or '__local' address space";
    let expected = format!(
        "1:14: error: kernel must have void return type
2:31: error: {pointers}
3:41: error: {pointers}
4:31: error: 'bool' cannot be used as the type of a kernel parameter
5:33: error: 'size_t' cannot be used as the type of a kernel parameter
7:35: error: 'struct s' cannot be used as the type of a kernel parameter: its member 'x' is of type 'bool'
8:25: error: attribute 'reqd_work_group_size' can only be applied to an OpenCL kernel function
9:10: error: kernel functions cannot be declared static
"
    );
    assert_eq!(wrong, expected);
}

/// A small generator of numbers, the same in every run.
fn next(state: &mut u64) -> usize {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    (*state >> 16) as usize
}

/// Deletes, doubles, swaps or replaces some words of `text`.
fn mutated(text: &str, words: &[String], state: &mut u64) -> String {
    let mut parts: Vec<String> =
        text.split_inclusive(|c: char| !c.is_alphanumeric()).map(str::to_owned).collect();
    for _ in 0..1 + next(state) % 4 {
        let (at, other) = (next(state) % parts.len(), next(state) % parts.len());
        match next(state) % 4 {
            0 => parts[at].clear(),
            1 => parts[at] = parts[at].repeat(2),
            2 => parts.swap(at, other),
            _ => parts[at] = words[next(state) % words.len()].clone(),
        }
    }
    parts.concat()
}

#[test]
fn mutated_kernels_end_in_a_program_or_an_error() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/kernels");
    let mut files = Vec::new();
    kernel_files(&folder, &mut files);
    files.sort();
    let texts: Vec<String> =
        files.iter().map(|file| std::fs::read_to_string(file).expect("a kernel")).collect();
    let words: Vec<String> =
        texts.concat().split_inclusive(|c: char| !c.is_alphanumeric()).map(str::to_owned).collect();
    let mut state = 0x9E37_79B9_7F4A_7C15;
    let (mut right, mut wrong) = (0, 0);
    for text in &texts {
        for _ in 0..60 {
            let text = mutated(text, &words, &mut state);
            let (program, messages) = check_with(&text, &super::everything());
            assert_eq!(program.is_none(), messages.contains("error:"), "{text}\n{messages}");
            if program.is_some() { right += 1 } else { wrong += 1 }
        }
    }
    assert!(right > 20 && wrong > 200, "{right} right, {wrong} wrong: the mutations test nothing");
}
