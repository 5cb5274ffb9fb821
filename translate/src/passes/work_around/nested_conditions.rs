//! Refuses kernels whose constructs are inside each other so deeply that the driver ignores the innermost
//! conditions ([`Quirk::NestedConditions`]). The driver inlines functions that stay.

use crate::TranslateError;
use crate::passes::{Context, inline};
use clvk_interface::Quirk;

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
    let nesting = inline::nesting(context.module).map_err(|error| vec![error])?;
    let deep = nesting.into_iter().filter(|&(_, depth)| depth > MOST);
    let problem = format!(
        "has more than {MOST} conditions and loops inside each other once its calls are inlined; the device's \
         driver ignores conditions beyond that"
    );
    let remedy = "return less early, or split it into smaller kernels";
    let refusal = |kernel| TranslateError::of_kernel(kernel, &*problem).remedy(remedy);
    let errors: Vec<TranslateError> =
        deep.map(|(kernel, _)| refusal(&context.module.functions[kernel])).collect();
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}
