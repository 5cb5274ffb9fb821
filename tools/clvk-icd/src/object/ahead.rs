//! What is known of a kernel's launches before they come, from which the runtime has its pipeline compiled in
//! the background.

use super::kernel::{Argument, Kernel};
use clvk_ir::{Func, KernelParamKind, Module, Op, WorkItemQuery};
use vk_runtime::Expected;

impl Kernel {
    /// Has likely pipelines of the kernel compiled in the background, if its local arguments are set and it
    /// was not launched yet.
    pub fn compile_ahead(&self) {
        let mut forms = self.forms().filter(|forms| forms.newest().may_prepare()).peekable();
        if forms.peek().is_none() {
            return;
        }
        let Some(local_arguments) = self.local_sizes() else { return };
        let info = self.kernel_info();
        let local = info.work_group_size_hint;
        let is_known = info.required_work_group_size.or(local).is_some();
        let dimensions = if is_known { 3 } else { dimensions(self.module(), self.function_id()) };
        let expected = Expected { local, dimensions, local_arguments: &local_arguments };
        forms.for_each(|forms| forms.newest().prepare(&expected));
    }

    /// The sizes of the local arguments; `None` if one is not set.
    fn local_sizes(&self) -> Option<Vec<u64>> {
        let arguments = self.arguments();
        let parameters = self.kernel_info().params.iter().zip(&*arguments);
        let locals = parameters.filter(|(it, _)| matches!(it.kind, KernelParamKind::Local { .. }));
        let size = |argument: &Option<Argument>| match argument {
            Some(Argument::Local(size)) => Some((*size as u64).max(1)),
            _ => None,
        };
        locals.map(|(_, argument)| size(argument)).collect()
    }
}

/// The number of dimensions in which a kernel, or what it calls, asks for its place.
fn dimensions(module: &Module, kernel: Func) -> u32 {
    let mut most = 1;
    for func in module.reachable([kernel]) {
        let function = &module.functions[func];
        function.walk(|_, data| {
            use WorkItemQuery::{GlobalId, GroupId, LocalId};
            if let Op::WorkItem(GlobalId | GroupId | LocalId) = data.op
                && let Some(dimension @ 1..3) = data.operands.first().and_then(|&it| function.as_bits(it))
            {
                most = most.max(dimension as u32 + 1);
            }
        });
    }
    most
}

#[cfg(test)]
mod tests {
    use clvk::{Compiler, ObjectKind};
    use clvk_interface::DeviceProfile;

    #[test]
    fn dimensions_are_counted_in_what_a_kernel_calls() {
        let source = "size_t row(void) { return get_global_id(1); }
            kernel void line(global int *p) { p[get_global_id(0)] = 0; }
            kernel void plane(global int *p) { p[row() * get_global_size(0) + get_global_id(0)] = 0; }
            kernel void space(global int *p) { p[get_group_id(2)] = row(); }
            kernel void task(global int *p) { p[0] = get_work_dim(); }";
        let compiler = Compiler::new(&DeviceProfile::preset("nvidia-h200").unwrap());
        let object = compiler.object(ObjectKind::Executable, "test.cl", source).unwrap();
        let module = object.module();
        let of = |name| super::dimensions(module, module.function(name).unwrap());
        assert_eq!(["line", "plane", "space", "task"].map(of), [1, 2, 3, 1]);
    }
}
