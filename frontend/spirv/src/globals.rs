//! Variables of module scope, and the bytes of constants.

use crate::Reader;
use crate::binary::{Id, Instruction};
use crate::constant::{Evaluator, MAX_DEPTH};
use crate::error::Error;
use crate::index::Linkage;
use crate::types::{Ty, address_space};
use clvk_ir::{AddressSpace, Global, GlobalData, Initializer, Relocation, sign_extend};
use rspirv::spirv::{Decoration, Op};

/// The most bytes that the constants of one variable may have.
const MAX_BYTES: u64 = 64 << 20;

impl Reader<'_> {
    /// The variable of the IR for one of the module.
    ///
    /// # Errors
    /// It is not one, or not supported.
    pub fn global(&mut self, id: Id, user: &Instruction<'_>) -> Result<Global, Error> {
        if let Some(&global) = self.globals.get(&id) {
            return Ok(global);
        }
        let variable = self.index.definition(id).filter(|it| is_variable(it.op()));
        let variable =
            variable.ok_or_else(|| user.error(format!("%{id} is not a variable that is declared before")))?;
        let space = address_space(variable.operand(0)?);
        let Some(space @ (AddressSpace::Global | AddressSpace::Constant | AddressSpace::Local)) = space
        else {
            return Err(variable.error("kernels have no variables of this storage class"));
        };
        let (pointee, contents) = self.contents_of(&variable)?;
        let data = self.index.type_of(pointee, &variable)?;
        let decorated =
            self.index.decoration(id, Decoration::Alignment).and_then(|words| words.first().copied());
        let align = decorated.filter(|align| align.is_power_of_two()).unwrap_or(data.align as u32);
        let size = data.size.max(1);
        let linkage = self.index.linkage(id);
        let name = self
            .free_name(linkage.as_ref().map(|(name, _)| name.clone()).or_else(|| self.index.name(id)), id);
        let linkage = linkage.map(|(_, linkage)| linkage);
        let imported = linkage == Some(Linkage::Imported);
        match linkage {
            None => drop(self.module.linkage.internal_globals.insert(name.clone())),
            Some(Linkage::Imported) => drop(self.module.linkage.declared_globals.insert(name.clone())),
            Some(Linkage::Repeated) => drop(self.module.linkage.repeated.insert(name.clone())),
            Some(Linkage::Exported) => {}
        }
        let initializer = if space == AddressSpace::Local { Initializer::None } else { Initializer::Zero };
        let global = self.module.globals.push(GlobalData {
            name,
            space,
            size,
            align,
            is_read_only: false,
            initializer,
        });
        // Known before its contents, which may point to it.
        self.globals.insert(id, global);
        if let Some(value) = contents.filter(|_| space != AddressSpace::Local && !imported) {
            self.module.globals[global].initializer = self.contents(value, pointee, &variable)?;
        }
        Ok(global)
    }

    /// A variable that holds a constant, for constants that are only in memory.
    ///
    /// # Errors
    /// As for [`Reader::contents`].
    pub fn constant_global(&mut self, id: Id, ty: Id, user: &Instruction<'_>) -> Result<Global, Error> {
        if let Some(&global) = self.globals.get(&id) {
            return Ok(global);
        }
        let data = self.index.type_of(ty, user)?;
        let (size, align) = (data.size.max(1), data.align as u32);
        let initializer = self.contents(id, ty, user)?;
        let name = self.free_name(None, id);
        self.module.linkage.internal_globals.insert(name.clone());
        let space = AddressSpace::Constant;
        let data = GlobalData { name, space, size, align, is_read_only: false, initializer };
        let global = self.module.globals.push(data);
        self.globals.insert(id, global);
        Ok(global)
    }

    /// The contents that a constant of a type has in memory.
    fn contents(&mut self, id: Id, ty: Id, user: &Instruction<'_>) -> Result<Initializer, Error> {
        let definition = self.index.definition(id);
        let op = definition.and_then(|it| it.op());
        if matches!(op, Some(Op::ConstantNull | Op::Undef)) {
            return Ok(Initializer::Zero);
        }
        let size = self.index.type_of(ty, user)?.size.max(1);
        if size > MAX_BYTES {
            return Err(
                user.error(format!("constants larger than {} MiB are not supported", MAX_BYTES >> 20))
            );
        }
        let (mut bytes, mut relocations) = (vec![0; size as usize], Vec::new());
        self.write(Place { id, ty, offset: 0, depth: 0 }, &mut bytes, &mut relocations, user)?;
        Ok(Initializer::Bytes { bytes, relocations })
    }

    fn write(
        &mut self,
        place: Place,
        bytes: &mut [u8],
        relocations: &mut Vec<Relocation>,
        user: &Instruction<'_>,
    ) -> Result<(), Error> {
        let Place { id, ty, offset, depth } = place;
        if depth == MAX_DEPTH {
            return Err(user.error("constants are nested too deeply"));
        }
        let Some(definition) = self.index.definition(id) else {
            return Err(user.error(format!("%{id} is not a constant that is declared before")));
        };
        match definition.op() {
            Some(Op::ConstantNull | Op::Undef) => return Ok(()),
            Some(Op::ConstantComposite | Op::SpecConstantComposite) => {
                let places = self.parts(ty, definition.operands().len(), &definition)?;
                for (&part, (ty, inside)) in definition.operands().iter().zip(places) {
                    let part = Place { id: part, ty, offset: offset + inside, depth: depth + 1 };
                    self.write(part, bytes, relocations, &definition)?;
                }
                return Ok(());
            }
            _ => {}
        }
        let data = self.index.type_of(ty, user)?.clone();
        if let Ty::Pointer { .. } = data.ty {
            if let Some((target, addend)) = self.address(id, 0, &definition)? {
                relocations.push(Relocation { offset, target, addend });
            }
            return Ok(());
        }
        let value = Evaluator::new(self.index).scalar(id)?;
        let value = value.ok_or_else(|| definition.error("this constant is not supported in memory"))?;
        let range = offset as usize..(offset + data.size) as usize;
        let target = bytes.get_mut(range).filter(|target| target.len() <= 8);
        let target = target.ok_or_else(|| definition.error("the constant does not fit its place"))?;
        target.copy_from_slice(&value.to_le_bytes()[..target.len()]);
        Ok(())
    }

    /// Types and offsets of the parts of a composite type.
    fn parts(&self, ty: Id, count: usize, user: &Instruction<'_>) -> Result<Vec<(Id, u64)>, Error> {
        let data = self.index.type_of(ty, user)?;
        let parts: Vec<(Id, u64)> = match &data.ty {
            Ty::Struct { members } => members.clone(),
            Ty::Array { element, count: elements } if *elements == count as u64 => {
                let size = self.index.type_of(*element, user)?.size;
                (0..*elements).map(|position| (*element, position * size)).collect()
            }
            Ty::Vector(_, lanes) if usize::from(*lanes) == count => {
                let lanes = (0..u64::from(*lanes)).map(|lane| self.index.part(ty, lane, user));
                lanes.collect::<Result<_, _>>()?
            }
            _ => Vec::new(),
        };
        if parts.len() == count {
            Ok(parts)
        } else {
            Err(user.error("the constant has another number of parts than its type"))
        }
    }

    /// The variable and the offset that a constant pointer points to; `None` for null.
    fn address(
        &mut self,
        id: Id,
        depth: u32,
        user: &Instruction<'_>,
    ) -> Result<Option<(Global, i64)>, Error> {
        let definition = self.index.definition(id).filter(|_| depth < MAX_DEPTH);
        let definition = definition.ok_or_else(|| user.error(format!("%{id} is not a constant address")))?;
        let unsupported = || definition.error("this constant address is not supported");
        match definition.op() {
            Some(Op::ConstantNull | Op::Undef) => Ok(None),
            op if is_variable(op) => Ok(Some((self.global(id, user)?, 0))),
            Some(Op::SpecConstantOp) => {
                let chain = Op::from_u32(definition.operand(0)?);
                // Before the base, untyped ones have a type.
                let is_untyped = matches!(
                    chain,
                    Some(
                        Op::UntypedAccessChainKHR
                            | Op::UntypedInBoundsAccessChainKHR
                            | Op::UntypedPtrAccessChainKHR
                            | Op::UntypedInBoundsPtrAccessChainKHR
                    )
                );
                let at = 1 + usize::from(is_untyped);
                let base = definition.operand(at)?;
                let Some((target, addend)) = self.address(base, depth + 1, &definition)? else {
                    return Ok(None);
                };
                let indices = &definition.operands()[at + 1..];
                let (element, indices) = match chain {
                    Some(Op::Bitcast | Op::PtrCastToGeneric | Op::GenericCastToPtr) => {
                        return Ok(Some((target, addend)));
                    }
                    Some(
                        Op::AccessChain
                        | Op::InBoundsAccessChain
                        | Op::UntypedAccessChainKHR
                        | Op::UntypedInBoundsAccessChainKHR,
                    ) => (None, indices),
                    Some(
                        Op::PtrAccessChain
                        | Op::InBoundsPtrAccessChain
                        | Op::UntypedPtrAccessChainKHR
                        | Op::UntypedInBoundsPtrAccessChainKHR,
                    ) => {
                        let (first, rest) = indices.split_first().ok_or_else(unsupported)?;
                        (Some(*first), rest)
                    }
                    _ => return Err(unsupported()),
                };
                let mut ty = if is_untyped {
                    definition.operand(1)?
                } else {
                    let base = self.index.definition(base).and_then(|it| it.result_type());
                    self.pointee(base.unwrap_or_default(), &definition)?
                };
                let mut offset = addend;
                if let Some(element) = element {
                    // The result points to what is counted. So LLVM's translator 19 counts bytes from a
                    // variable of another type.
                    if indices.is_empty() && !is_untyped {
                        ty = self.pointee(definition.result_type().unwrap_or_default(), &definition)?;
                    }
                    let size = self.index.type_of(ty, &definition)?.size as i64;
                    offset = offset.wrapping_add(self.signed(element, &definition)?.wrapping_mul(size));
                }
                for &index in indices {
                    let position = self.signed(index, &definition)?;
                    let (part, inside) = self.index.part(ty, position as u64, &definition)?;
                    (ty, offset) = (part, offset.wrapping_add(inside as i64));
                }
                Ok(Some((target, offset)))
            }
            _ => Err(unsupported()),
        }
    }

    /// A constant index, sign-extended.
    fn signed(&self, id: Id, user: &Instruction<'_>) -> Result<i64, Error> {
        let value = self.index.integer(id, user)?;
        let definition = self.index.definition(id).and_then(|it| it.result_type());
        let bits = match definition.map(|ty| self.index.type_of(ty, user)) {
            Some(Ok(data)) => 8 * data.size.clamp(1, 8) as u32,
            _ => 64,
        };
        Ok(sign_extend(bits, value))
    }
}

/// Whether an instruction makes a variable.
pub fn is_variable(op: Option<Op>) -> bool {
    matches!(op, Some(Op::Variable | Op::UntypedVariableKHR))
}

/// A constant, and where it is written.
struct Place {
    id: Id,
    ty: Id,
    offset: u64,
    depth: u32,
}
