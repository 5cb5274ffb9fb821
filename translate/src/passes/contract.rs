//! Fuses multiplications and additions where the source allows it (`FP_CONTRACT`, OpenCL C §6.12).
//!
//! Vulkan lets a driver fuse operations that are not decorated `NoContraction`, but it may then reassociate
//! them, too. So the writer decorates what this pass leaves. Drivers also fuse incompletely: NVIDIA's leaves
//! most of a tiled matrix product alone, which then takes 1.4 times as long. A product whose only use is a
//! sum becomes [`MathOp::Fma`]; contraction allows the device to round that once or twice.

use super::Context;
use super::simplify::dce;
use crate::TranslateError;
use clvk_ir::{BinaryOp, EntityId, FastMath, Function, Inst, MathOp, Op, Region, UnaryOp, Value};
use smallvec::SmallVec;

/// Runs the pass.
///
/// # Errors
/// None.
pub fn run(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    for (_, function) in context.module.functions.iter_mut() {
        let uses = use_counts(function);
        let regions: Vec<Region> = function.regions.ids().collect();
        for region in regions {
            contract_region(function, region, &uses);
        }
        dce::run(function);
    }
    Ok(())
}

/// How often each value is an operand.
pub(super) fn use_counts(function: &Function) -> Vec<u32> {
    let mut uses = vec![0; function.values.len()];
    function.walk(|_, data| data.operands.iter().for_each(|value| uses[value.index()] += 1));
    uses
}

fn contract_region(function: &mut Function, region: Region, uses: &[u32]) {
    let insts = std::mem::take(&mut function.regions[region].insts);
    let mut result = Vec::with_capacity(insts.len());
    for inst in insts {
        if let Some(negation) = contract(function, inst, uses) {
            result.push(negation);
        }
        result.push(inst);
    }
    function.regions[region].insts = result;
}

/// Turns a sum with a product into a fused operation. Returns an instruction to put before it, if it needs
/// one.
fn contract(function: &mut Function, inst: Inst, uses: &[u32]) -> Option<Inst> {
    let data = &function.insts[inst];
    let Op::Binary(op @ (BinaryOp::FAdd | BinaryOp::FSub)) = data.op else { return None };
    if !data.fast_math.contains(FastMath::CONTRACT) {
        return None;
    }
    let sum = (data.operands[0], data.operands[1]);
    let left = product(function, sum.0, uses);
    let right = product(function, sum.1, uses);
    match (op, left, right) {
        (BinaryOp::FAdd, Some((a, b)), _) => fuse(function, inst, [a, b, sum.1]),
        (BinaryOp::FAdd, None, Some((a, b))) => fuse(function, inst, [a, b, sum.0]),
        (BinaryOp::FSub, Some((a, b)), _) => {
            let (negation, negated) = negate(function, sum.1, inst);
            fuse(function, inst, [a, b, negated]);
            Some(negation)
        }
        (BinaryOp::FSub, None, Some((a, b))) => {
            let (negation, negated) = negate(function, a, inst);
            fuse(function, inst, [negated, b, sum.0]);
            Some(negation)
        }
        _ => None,
    }
}

/// The factors of a product that has no other use and may be fused.
fn product(function: &Function, value: Value, uses: &[u32]) -> Option<(Value, Value)> {
    let data = &function.insts[function.defining_inst(value)?];
    let fusible = data.op == Op::Binary(BinaryOp::FMul) && data.fast_math.contains(FastMath::CONTRACT);
    (fusible && uses.get(value.index()) == Some(&1)).then(|| (data.operands[0], data.operands[1]))
}

fn fuse(function: &mut Function, inst: Inst, operands: [Value; 3]) -> Option<Inst> {
    let data = &mut function.insts[inst];
    data.op = Op::Math(MathOp::Fma);
    data.operands = SmallVec::from_slice(&operands);
    None
}

fn negate(function: &mut Function, value: Value, place: Inst) -> (Inst, Value) {
    let (ty, span) = (function.ty(value), function.insts[place].span);
    let inst = function.make_inst(Op::Unary(UnaryOp::FNeg), &[value], &[ty], &[], span);
    (inst, function.insts[inst].results[0])
}

#[cfg(test)]
mod tests {
    use crate::TranslateOptions;
    use crate::passes::run_named;
    use clvk_interface::DeviceProfile;
    use clvk_ir::container::Library;
    use clvk_ir::text::parse_module;

    /// The body after the pass, for three float parameters.
    fn contracted(body: &str) -> String {
        let text = format!("func @f(%a: f32, %b: f32, %c: f32) -> f32 {{\n{body}\n}}\n");
        let mut module = parse_module(&text).unwrap();
        let profile = DeviceProfile::preset("nvidia-h200").unwrap();
        run_named(&mut module, &["contract"], &Library::empty(), &profile, &TranslateOptions::default())
            .unwrap();
        module.to_string()
    }

    #[test]
    fn a_product_in_a_sum_or_difference_is_fused() {
        for sum in ["fadd contract %p, %c", "fadd contract %c, %p"] {
            let text = contracted(&format!("%p: f32 = fmul contract %a, %b\n%s: f32 = {sum}\nreturn %s"));
            assert!(text.contains("fma contract %0, %1, %2") && !text.contains("fmul"), "{text}");
        }
        let text = contracted("%p: f32 = fmul contract %a, %b\n%s: f32 = fsub contract %p, %c\nreturn %s");
        assert!(text.contains("fneg %2") && text.contains("fma contract %0, %1, %3"), "{text}");
        let text = contracted("%p: f32 = fmul contract %a, %b\n%s: f32 = fsub contract %c, %p\nreturn %s");
        assert!(text.contains("fneg %0") && text.contains("fma contract %3, %1, %2"), "{text}");
    }

    #[test]
    fn what_may_not_be_fused_or_is_used_twice_stays() {
        for body in [
            "%p: f32 = fmul %a, %b\n%s: f32 = fadd contract %p, %c\nreturn %s",
            "%p: f32 = fmul contract %a, %b\n%s: f32 = fadd %p, %c\nreturn %s",
            "%p: f32 = fmul contract %a, %b\n%s: f32 = fadd contract %p, %p\nreturn %s",
        ] {
            let text = contracted(body);
            assert!(text.contains("fadd") && !text.contains("fma"), "{text}");
        }
    }
}
