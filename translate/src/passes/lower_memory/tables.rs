//! Contents of the arrays that represent program-scope constants.

use super::{
    objects::{Objects, Root},
    views::{View, Views},
};
use crate::TranslateError;
use clvk_ir::{Constant, ElementCount, Function, Global, Initializer, Module, Type};

/// Gives every array of constants its contents.
pub fn fill(
    module: &Module,
    function: &mut Function,
    objects: &Objects,
    views: &Views,
) -> Result<(), Vec<TranslateError>> {
    for (class, view) in views.iter() {
        let roots: Vec<Root> = view.roots.keys().copied().collect();
        if !has_contents(module, &roots) {
            continue;
        }
        let bytes = contents(module, function, objects, views, view)
            .map_err(|problem| vec![TranslateError::of_kernel(function, problem).at(objects.span(class))])?;
        let stride = 1usize << view.stride;
        function.variables[view.variable].initializer =
            bytes.chunks(stride).map(|chunk| element_from_bytes(view.element, chunk)).collect();
    }
    Ok(())
}

/// The bytes of all variables of a view.
fn contents(
    module: &Module,
    function: &Function,
    objects: &Objects,
    views: &Views,
    view: &View,
) -> Result<Vec<u8>, String> {
    let ElementCount::Fixed(count) = function.variables[view.variable].count else {
        return Err("has a variable that has an initialiser but no fixed size".to_owned());
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

/// A pointer as stored in memory, with its tag.
fn pointer_bits(objects: &Objects, views: &Views, target: Global, addend: i64) -> Result<u64, String> {
    let root = Root::Global(target);
    let class =
        objects.class_of_root(root).ok_or("has an initialiser with a pointer that points to nothing")?;
    let view = views.of(class).iter().find(|view| view.roots.contains_key(&root));
    let view = view.ok_or("has an initialiser with a pointer to memory that is not laid out")?;
    let bytes = view.roots[&root] as i64 + addend;
    Ok(view.tagged(bytes as u32))
}

/// The constant that an element's bytes represent.
fn element_from_bytes(element: Type, bytes: &[u8]) -> Constant {
    let scalar = element.scalar().expect("elements are scalars or vectors");
    let lane = |lane: usize| {
        let start = lane * scalar.size() as usize;
        let mut bits = [0; 8];
        for (to, from) in bits.iter_mut().zip(bytes.iter().skip(start).take(scalar.size() as usize)) {
            *to = *from;
        }
        u64::from_le_bytes(bits)
    };
    match element {
        Type::Vector(_, lanes) => Constant::Lanes((0..usize::from(lanes)).map(lane).collect()),
        _ => Constant::Bits(lane(0)),
    }
}

/// The initial bytes of a class's globals, if any of them has contents.
fn has_contents(module: &Module, roots: &[Root]) -> bool {
    roots.iter().any(|root| {
        matches!(root, Root::Global(global) if !matches!(module.globals[*global].initializer, Initializer::None))
    })
}
