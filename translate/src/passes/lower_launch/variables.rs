//! The program's variables that live in a buffer: those in global memory, and constants too large for a table
//! in the shader.
//!
//! Variables that point to each other are kept together, because a table in a shader cannot hold the address
//! of a buffer, nor a buffer that of a table. All kernels of a program share the buffer and its layout.

use clvk_interface::{InitialContents, ProgramVariables, VariablePointer};
use clvk_ir::{AddressSpace, Func, Function, Global, Initializer, Module, Value, ValueDef};
use rustc_hash::FxHashMap;

/// Constants larger than this go into the buffer: a shader would give each work-item a copy.
const LARGEST_TABLE: u64 = 4096;

/// The positions of the variables in the buffer.
pub struct Placed {
    offsets: FxHashMap<Global, u64>,
    size: u64,
}

/// Decides which of a module's variables go into the buffer, and where.
pub fn place(module: &Module) -> Placed {
    let mut chosen: FxHashMap<Global, ()> = FxHashMap::default();
    let is_block =
        |&kernel: &Func| module.functions[kernel].kernel.as_ref().is_some_and(|info| info.is_block);
    let enqueues = module.kernels().any(|kernel| is_block(&kernel));
    let mut pending: Vec<Global> = module
        .globals
        .iter()
        .filter(|(_, data)| match data.space {
            AddressSpace::Global => true,
            // A block may capture a pointer to one, which must mean the same in the block's kernel.
            AddressSpace::Constant => data.size > LARGEST_TABLE || enqueues,
            _ => false,
        })
        .map(|(global, _)| global)
        .collect();
    let neighbours = neighbours(module);
    while let Some(global) = pending.pop() {
        if chosen.insert(global, ()).is_none() {
            pending.extend(neighbours.get(&global).into_iter().flatten());
        }
    }
    let mut placed = Placed { offsets: FxHashMap::default(), size: 0 };
    for (global, data) in module.globals.iter().filter(|(global, _)| chosen.contains_key(global)) {
        // Accesses may be as wide as the widest vector, whatever the type.
        let start = placed.size.next_multiple_of(u64::from(data.align.max(16)));
        placed.offsets.insert(global, start);
        placed.size = start + data.size;
    }
    placed
}

/// For each variable, those that it points to and those that point to it.
fn neighbours(module: &Module) -> FxHashMap<Global, Vec<Global>> {
    let mut neighbours: FxHashMap<Global, Vec<Global>> = FxHashMap::default();
    for (global, data) in module.globals.iter() {
        let Initializer::Bytes { relocations, .. } = &data.initializer else { continue };
        for relocation in relocations {
            neighbours.entry(global).or_default().push(relocation.target);
            neighbours.entry(relocation.target).or_default().push(global);
        }
    }
    neighbours
}

impl Placed {
    /// A variable's offset, if it is in the buffer.
    pub fn offset(&self, global: Global) -> Option<u64> {
        self.offsets.get(&global).copied()
    }

    /// The variables in the buffer that a function uses, with the values that are their addresses.
    pub fn used_by(&self, function: &Function) -> Vec<(Value, Global)> {
        let mut used = vec![false; function.values.len()];
        function.walk(|_, data| {
            for operand in &data.operands {
                used[clvk_ir::EntityId::index(*operand)] = true;
            }
        });
        let addresses = function.values.iter().filter(|(value, _)| used[clvk_ir::EntityId::index(*value)]);
        addresses
            .filter_map(|(value, data)| match data.def {
                ValueDef::Global(global) if self.offsets.contains_key(&global) => Some((value, global)),
                _ => None,
            })
            .collect()
    }

    /// The buffer's initial contents; `None` if the buffer is empty.
    pub fn contents(&self, module: &Module) -> Option<ProgramVariables> {
        if self.size == 0 {
            return None;
        }
        let mut variables = ProgramVariables {
            size: self.size.next_multiple_of(16),
            contents: Vec::new(),
            pointers: Vec::new(),
        };
        for (global, data) in module.globals.iter() {
            let (Some(start), Initializer::Bytes { bytes, relocations }) =
                (self.offset(global), &data.initializer)
            else {
                continue;
            };
            variables.contents.push(InitialContents { offset: start, bytes: bytes.clone() });
            variables.pointers.extend(relocations.iter().map(|relocation| {
                let target =
                    self.offset(relocation.target).expect("targets are placed with what points to them");
                VariablePointer {
                    offset: start + relocation.offset,
                    target: target.wrapping_add_signed(relocation.addend),
                }
            }));
        }
        Some(variables)
    }
}
