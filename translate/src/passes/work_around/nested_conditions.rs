//! Refuses kernels whose constructs are inside each other so deeply that the driver ignores the innermost
//! conditions ([`Quirk::NestedConditions`]).

use crate::TranslateError;
use crate::passes::Context;
use clvk_interface::Quirk;
use clvk_ir::{Function, Region};

/// The most constructs that are right inside each other.
const MOST: u32 = 78;

/// See the module.
///
/// # Errors
/// For each kernel that nests more than [`MOST`] constructs.
pub fn run(context: &mut Context<'_, '_>) -> Result<(), Vec<TranslateError>> {
    if !context.profile.has(Quirk::NestedConditions) {
        return Ok(());
    }
    let deep = context.module.bodies_mut().filter(|function| depth(function) > MOST);
    let errors: Vec<TranslateError> = deep.map(|function| refusal(function)).collect();
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// The most constructs inside each other.
fn depth(function: &Function) -> u32 {
    let mut deepest = 0;
    let mut regions: Vec<(Region, u32)> = function.body.map(|body| (body, 0)).into_iter().collect();
    while let Some((region, depth)) = regions.pop() {
        deepest = deepest.max(depth);
        for &inst in &function.regions[region].insts {
            regions.extend(function.insts[inst].regions.iter().map(|&nested| (nested, depth + 1)));
        }
    }
    deepest
}

fn refusal(function: &Function) -> TranslateError {
    let problem = format!(
        "has more than {MOST} conditions and loops inside each other once its calls are inlined; the device's \
         driver ignores conditions beyond that"
    );
    let error = match function.kernel {
        Some(_) => TranslateError::of_kernel(function, problem),
        None => TranslateError::of_program(format!("calls `{}`, which {problem}", function.name))
            .at(function.span),
    };
    error.remedy("return less early, or split it into smaller kernels")
}
