//! Contents of the arrays that stand for program-scope constants.

use super::{
    objects::{Class, Objects, Root},
    views::{View, element_from_bytes, has_contents},
};
use crate::TranslateError;
use clvk_ir::{ElementCount, Function, Global, Initializer, Module, Variable};
use rustc_hash::FxHashMap;

/// Gives every array of constants its contents.
pub fn fill(
    module: &Module,
    function: &mut Function,
    objects: &Objects,
    views: &FxHashMap<Class, View>,
) -> Result<(), Vec<TranslateError>> {
    for (class, view) in views {
        let (Some(variable), true) = (view.variable, has_contents(module, objects.roots(*class))) else {
            continue;
        };
        let bytes = contents(module, function, objects, views, view, variable).map_err(|message| {
            vec![TranslateError { kernel: Some(function.name.clone()), message, span: objects.span(*class) }]
        })?;
        let stride = 1usize << view.stride;
        function.variables[variable].initializer =
            bytes.chunks(stride).map(|chunk| element_from_bytes(view.element, chunk)).collect();
    }
    Ok(())
}

/// The bytes of all variables of a view.
fn contents(
    module: &Module,
    function: &Function,
    objects: &Objects,
    views: &FxHashMap<Class, View>,
    view: &View,
    variable: Variable,
) -> Result<Vec<u8>, String> {
    let ElementCount::Fixed(count) = function.variables[variable].count else {
        return Err("a variable without a fixed size cannot have an initialiser".to_owned());
    };
    let mut all = vec![0; (count as usize) << view.stride];
    for (root, &start) in &view.roots {
        let Root::Global(global) = root else { continue };
        let Initializer::Bytes { bytes, relocations } = &module.globals[*global].initializer else {
            continue;
        };
        let start = start as usize;
        all[start..start + bytes.len()].copy_from_slice(bytes);
        for relocation in relocations {
            let slot = start + relocation.offset as usize;
            let pointer = pointer_bits(objects, views, relocation.target, relocation.addend)?;
            all[slot..slot + 8].copy_from_slice(&pointer.to_le_bytes());
        }
    }
    Ok(all)
}

/// A pointer as it lies in memory: one more than the offset, so that zero is null.
fn pointer_bits(
    objects: &Objects,
    views: &FxHashMap<Class, View>,
    target: Global,
    addend: i64,
) -> Result<u64, String> {
    let root = Root::Global(target);
    let view = objects
        .class_of_root(root)
        .and_then(|class| views.get(&class))
        .ok_or("a pointer in an initialiser points to memory of several kinds, which is not supported yet")?;
    let offset = view.root_offset(root) + (addend >> view.scale);
    Ok(u64::from(offset as u32).wrapping_add(1))
}
