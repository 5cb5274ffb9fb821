//! Where accesses are in their objects, for the host, which may find out at a launch that they are all
//! inside ([`Confined`]), or for this compiler, if that is so in all launches.

use super::access::accesses;
use super::habits::Place;
use super::places::Places;
use clvk_interface::sanitize::{Confined, Extent, KernelHabits, MOST_INSIDE, Site, always_inside};
use clvk_ir::{Arena, ConvertOp, Function, Global, GlobalData, Inst, KernelParamKind, Op, Value, ValueDef};
use rustc_hash::FxHashMap;

/// When an access needs no check of whether it is inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stays {
    Always,
    /// In launches with this bit.
    With(u32),
}

/// The most accesses, apart from those that are alike, that the host looks at.
const MOST: usize = 192;

/// What must be inside for an access.
type Chain = Vec<(Extent, Site)>;

/// The accesses of a kernel.
#[derive(Default)]
pub struct Confinement {
    /// That differ.
    chains: Vec<Chain>,
    /// The chain of an operand of an instruction.
    of: FxHashMap<(Inst, usize), usize>,
}

impl Confinement {
    /// Looks at a kernel that is whole. Its places know what holds at its accesses.
    pub fn of(
        kernel: &Function,
        globals: &Arena<Global, GlobalData>,
        places: &mut Places<'_>,
    ) -> Confinement {
        let mut found = Confinement::default();
        let mut by_chain: FxHashMap<Chain, usize> = FxHashMap::default();
        kernel.walk(|inst, data| {
            for accessed in accesses(kernel, data) {
                let pointer = data.operands[accessed.operand];
                let Some(chain) = chain(kernel, globals, places, inst, (pointer, accessed.bytes)) else {
                    continue;
                };
                if by_chain.len() >= MOST && !by_chain.contains_key(&chain) {
                    continue;
                }
                let next = by_chain.len();
                let number = *by_chain.entry(chain).or_insert_with_key(|chain| {
                    found.chains.push(chain.clone());
                    next
                });
                found.of.insert((inst, accessed.operand), number);
            }
        });
        found
    }

    /// Tells the host what it needs for the accesses that may be outside in some launches.
    pub fn settle(
        self,
        habits: &mut KernelHabits,
        local: Option<[u32; 3]>,
    ) -> FxHashMap<(Inst, usize), Stays> {
        let confined =
            |(object, site): &(Extent, Site)| Confined { object: *object, site: site.clone(), bit: 0 };
        let is_always =
            |chain: &Chain| chain.iter().all(|part| always_inside(habits, local, &confined(part)));
        let mut stays = vec![Stays::Always; self.chains.len()];
        let mut open: Vec<usize> =
            (0..self.chains.len()).filter(|&number| !is_always(&self.chains[number])).collect();
        // Those of an object share bits, if there are not enough.
        open.sort_by_key(|&number| self.chains[number].last().map(|(object, _)| *object));
        for (position, &number) in open.iter().enumerate() {
            let bit = match open.len() {
                ..=MOST_INSIDE => position,
                all => position * MOST_INSIDE / all,
            } as u32;
            stays[number] = Stays::With(bit);
            let parts = self.chains[number].iter().map(confined);
            habits.confined.extend(parts.map(|part| Confined { bit, ..part }));
        }
        self.of.into_iter().map(|(operand, number)| (operand, stays[number])).collect()
    }
}

/// What must be inside of what, from the access to the whole object.
fn chain(
    kernel: &Function,
    globals: &Arena<Global, GlobalData>,
    places: &mut Places<'_>,
    inst: Inst,
    (mut pointer, mut bytes): (Value, u64),
) -> Option<Chain> {
    let facts = places.facts_at(inst);
    let mut chain = Chain::new();
    let mut place = Place::default();
    let mut part = |places: &mut Places<'_>, object: Extent, place: &Place, bytes: u64| {
        let place = places.sum(&place.products, place.plus)?;
        let site = Site { place, bytes: u32::try_from(bytes).ok()?, facts: facts.clone() };
        chain.push((object, site));
        Some(())
    };
    while let Some(inst) = kernel.defining_inst(pointer) {
        let data = &kernel.insts[inst];
        match data.op {
            Op::PointerOffset(by) => place.plus = place.plus.checked_add(by)?,
            Op::PointerIndex { stride } => {
                place.products.push((data.operands[1], i64::try_from(stride).ok()?));
            }
            Op::Apart { .. } | Op::Convert(ConvertOp::AddressSpace) => {}
            // A part is an object of its own, if it is inside itself.
            Op::Within(all) => {
                part(places, Extent::Bytes(all), &place, bytes)?;
                (place, bytes) = (Place::default(), all);
            }
            Op::Alloca { size, .. } => {
                part(places, Extent::Bytes(size), &place, bytes)?;
                return Some(chain);
            }
            _ => return None,
        }
        pointer = data.operands[0];
    }
    let object = match kernel.values[pointer].def {
        ValueDef::Global(global) => Extent::Bytes(globals[global].size),
        _ => {
            let position = kernel.params.iter().position(|&param| param == pointer)?;
            match kernel.kernel.as_ref()?.params.get(position)?.kind {
                KernelParamKind::Value { size, .. } => Extent::Bytes(size.into()),
                _ => Extent::Argument(position as u32),
            }
        }
    };
    part(places, object, &place, bytes)?;
    Some(chain)
}
