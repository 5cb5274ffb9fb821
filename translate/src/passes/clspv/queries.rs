//! Launch queries, as clspv answers them.
//!
//! Where all work-groups have the same size, everything follows from the shader's inputs, the work-group size
//! and the global offset. Otherwise a launch is several dispatches, one for each region of work-groups of one
//! size, and the host says where the region is.

use super::{Convention, KernelPlan, LAUNCH_WORDS, offset_is_pushed, refusal};
use crate::TranslateError;
use crate::passes::cursor::Cursor;
use crate::passes::launch_queries::LaunchQueries;
use clvk_interface::SpecConstants;
use clvk_interface::clspv::{ClspvLaunch, LaunchWords};
use clvk_ir::{
    BinaryOp, ConvertOp, Func, Function, InputVariable, KernelParamKind, Module, Op, Scalar, Type, Value,
    WorkItemQuery,
};
use std::collections::BTreeSet;

/// Bytes from one vector of three words to the next.
const STRIDE: u32 = 16;

pub(super) fn run(
    module: &mut Module,
    launch: &ClspvLaunch,
    convention: &mut Convention,
) -> Result<(), Vec<TranslateError>> {
    let kernels: Vec<Func> = module.kernels().collect();
    let mut needs = Needs::default();
    let mut errors = Vec::new();
    for &kernel in &kernels {
        let function = &module.functions[kernel];
        errors.extend(check(function));
        needs.add(function, launch);
        let info = function.kernel.clone().expect("it is a kernel");
        let spaces = function.params.iter().map(|&param| function.ty(param).address_space()).collect();
        convention.kernels.push(KernelPlan { info, spaces, places: Vec::new(), words: Vec::new() });
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    needs.place(convention);
    for kernel in kernels {
        let function = &mut module.functions[kernel];
        let info = function.kernel.as_mut().expect("it is a kernel");
        info.uniform_work_groups = !launch.non_uniform;
        let required = info.required_work_group_size.filter(|_| !launch.non_uniform);
        Answers { launch, convention, required, cursor: Cursor::new(function) }.run();
    }
    Ok(())
}

/// Refuses parameters for which the reflection has no instruction.
fn check(function: &Function) -> Option<TranslateError> {
    let info = function.kernel.as_ref()?;
    if info.is_block {
        let problem = "is enqueued by a kernel, which hosts of clspv cannot do";
        return Some(refusal(function, problem, "enqueue it from the host"));
    }
    if info.hook.is_some() {
        let problem = "begins or ends the program, which hosts of clspv have no kernels for";
        return Some(refusal(
            function,
            problem,
            "give the program's objects constant contents and no destructors",
        ));
    }
    info.params.iter().find_map(|param| {
        let what = match param.kind {
            KernelParamKind::Pipe { .. } => "pipe",
            KernelParamKind::Queue => "queue",
            _ => return None,
        };
        let problem = format!("takes the {what} `{}`, which hosts of clspv cannot pass", param.name);
        Some(refusal(function, &problem, "pass a buffer"))
    })
}

/// What the kernels of a module need of a launch.
#[derive(Default)]
struct Needs {
    words: BTreeSet<LaunchWords>,
    work_dim: bool,
    global_offset: bool,
}

impl Needs {
    fn add(&mut self, function: &Function, launch: &ClspvLaunch) {
        use WorkItemQuery as Query;
        function.walk(|_, data| {
            let Op::WorkItem(query) = data.op else { return };
            let words: &[LaunchWords] = match query {
                Query::GlobalId => &[LaunchWords::RegionOffset],
                Query::GlobalSize => &[LaunchWords::GlobalSize],
                Query::NumGroups => &[LaunchWords::NumWorkgroups],
                Query::GroupId => &[LaunchWords::RegionGroupOffset],
                Query::EnqueuedLocalSize | Query::EnqueuedNumSubGroups => &[LaunchWords::EnqueuedLocalSize],
                Query::GlobalLinearId => &[LaunchWords::RegionOffset, LaunchWords::GlobalSize],
                _ => &[],
            };
            if launch.non_uniform {
                self.words.extend(words);
            }
            self.work_dim |= query == Query::WorkDim;
            let asks = match query {
                Query::GlobalOffset => true,
                Query::GlobalId => !launch.non_uniform,
                Query::GlobalLinearId => launch.non_uniform,
                _ => false,
            };
            self.global_offset |= asks && launch.global_offset;
        });
        if self.global_offset && offset_is_pushed(launch) {
            self.words.insert(LaunchWords::GlobalOffset);
        }
    }

    fn place(self, convention: &mut Convention) {
        let pushed = self.words.contains(&LaunchWords::GlobalOffset);
        convention.words = self.words.into_iter().zip((0..).step_by(STRIDE as usize)).collect();
        convention.shared_end = convention.words.last().map_or(0, |(_, offset)| offset + LaunchWords::SIZE);
        convention.spec_id = SpecConstants::LOCAL_SIZE_X + 3;
        let mut take = |count: u32| {
            convention.spec_id += count;
            convention.spec_id - count
        };
        convention.work_dim = self.work_dim.then(|| take(1));
        convention.global_offset = (self.global_offset && !pushed).then(|| take(3));
    }
}

/// A kernel whose queries are answered.
struct Answers<'a, 'f> {
    launch: &'a ClspvLaunch,
    convention: &'a Convention,
    /// The size of all its work-groups, if the source says it.
    required: Option<[u32; 3]>,
    cursor: Cursor<'f>,
}

impl Answers<'_, '_> {
    fn run(mut self) {
        while let Some(inst) = self.cursor.advance() {
            let Op::WorkItem(query) = self.cursor.function.insts[inst].op else {
                self.cursor.keep(inst);
                continue;
            };
            let answer = match query {
                WorkItemQuery::WorkDim => {
                    Some(self.cursor.value(Op::Input(InputVariable::WorkDim), &[], Type::I32))
                }
                WorkItemQuery::GlobalLinearId => Some(self.global_linear_id()),
                WorkItemQuery::EnqueuedNumSubGroups => Some(self.enqueued_items()),
                WorkItemQuery::GlobalId
                | WorkItemQuery::GlobalSize
                | WorkItemQuery::GlobalOffset
                | WorkItemQuery::LocalId
                | WorkItemQuery::LocalSize
                | WorkItemQuery::EnqueuedLocalSize
                | WorkItemQuery::GroupId
                | WorkItemQuery::NumGroups => {
                    let dimension = self.cursor.operand(inst, 0);
                    Some(self.in_dimension(query, dimension))
                }
                // `lower-launch` answers the others from the shader's inputs alone.
                _ => None,
            };
            let Some(answer) = answer else {
                self.cursor.keep(inst);
                continue;
            };
            let result = self.cursor.result(inst);
            let ty = self.cursor.function.ty(result);
            let answer = self.cursor.convert(ConvertOp::ZeroExtend, answer, ty);
            self.cursor.replace_result(inst, answer);
        }
    }

    /// `(z × size y + y) × size x + x`, without the global offset.
    fn global_linear_id(&mut self) -> Value {
        let mut linear = self.position_in_launch(2);
        for dimension in [1, 0] {
            let size = self.component(WorkItemQuery::GlobalSize, dimension);
            let row = self.cursor.binary(BinaryOp::Mul, linear, size);
            let position = self.position_in_launch(dimension);
            linear = self.cursor.binary(BinaryOp::Add, row, position);
        }
        linear
    }

    /// The global id without the global offset.
    fn position_in_launch(&mut self, dimension: u32) -> Value {
        if !self.launch.non_uniform {
            return self.position(dimension);
        }
        let id = self.component(WorkItemQuery::GlobalId, dimension);
        let offset = self.global_offset(dimension);
        self.cursor.binary(BinaryOp::Sub, id, offset)
    }

    /// The position in the dispatch.
    fn position(&mut self, dimension: u32) -> Value {
        let group = self.input(InputVariable::WorkgroupId, dimension);
        let size = self.local_size(dimension);
        let first = self.cursor.binary(BinaryOp::Mul, group, size);
        let local = self.input(InputVariable::LocalInvocationId, dimension);
        self.cursor.binary(BinaryOp::Add, first, local)
    }

    /// Each work-item is a sub-group.
    fn enqueued_items(&mut self) -> Value {
        let sizes = [0, 1, 2].map(|it| self.component(WorkItemQuery::EnqueuedLocalSize, it));
        self.volume(sizes)
    }

    fn global_offset(&mut self, dimension: u32) -> Value {
        if !self.launch.global_offset {
            return self.cursor.int(Type::I32, 0);
        }
        match offset_is_pushed(self.launch) {
            true => self.word(LaunchWords::GlobalOffset, dimension),
            false => self.input(InputVariable::GlobalOffset, dimension),
        }
    }

    fn local_size(&mut self, dimension: u32) -> Value {
        match self.required {
            Some(size) => self.cursor.int(Type::I32, i64::from(size[dimension as usize])),
            None => self.input(InputVariable::WorkgroupSize, dimension),
        }
    }

    fn input(&mut self, input: InputVariable, dimension: u32) -> Value {
        let vector = self.cursor.value(Op::Input(input), &[], Type::Vector(Scalar::I32, 3));
        self.cursor.extract(vector, dimension)
    }

    fn word(&mut self, words: LaunchWords, dimension: u32) -> Value {
        let place = self.convention.words.iter().find(|(known, _)| *known == words);
        let (_, offset) = *place.expect("placed where used");
        let offset = LAUNCH_WORDS + offset + dimension * 4;
        self.cursor.value(Op::PushConstant { offset }, &[], Type::I32)
    }
}

impl<'f> LaunchQueries<'f> for Answers<'_, 'f> {
    fn cursor(&mut self) -> &mut Cursor<'f> {
        &mut self.cursor
    }

    fn component(&mut self, query: WorkItemQuery, dimension: u32) -> Value {
        let regions = self.launch.non_uniform;
        match query {
            WorkItemQuery::GlobalId => {
                let position = self.position(dimension);
                let offset = match regions {
                    true => self.word(LaunchWords::RegionOffset, dimension),
                    false => self.global_offset(dimension),
                };
                self.cursor.binary(BinaryOp::Add, position, offset)
            }
            WorkItemQuery::GlobalSize if regions => self.word(LaunchWords::GlobalSize, dimension),
            WorkItemQuery::GlobalSize => {
                let groups = self.input(InputVariable::NumWorkgroups, dimension);
                let size = self.local_size(dimension);
                self.cursor.binary(BinaryOp::Mul, groups, size)
            }
            WorkItemQuery::GlobalOffset => self.global_offset(dimension),
            WorkItemQuery::LocalId => self.input(InputVariable::LocalInvocationId, dimension),
            WorkItemQuery::EnqueuedLocalSize if regions => {
                self.word(LaunchWords::EnqueuedLocalSize, dimension)
            }
            WorkItemQuery::LocalSize | WorkItemQuery::EnqueuedLocalSize => self.local_size(dimension),
            WorkItemQuery::GroupId => {
                let group = self.input(InputVariable::WorkgroupId, dimension);
                match regions {
                    true => {
                        let first = self.word(LaunchWords::RegionGroupOffset, dimension);
                        self.cursor.binary(BinaryOp::Add, group, first)
                    }
                    false => group,
                }
            }
            WorkItemQuery::NumGroups if regions => self.word(LaunchWords::NumWorkgroups, dimension),
            WorkItemQuery::NumGroups => self.input(InputVariable::NumWorkgroups, dimension),
            other => unreachable!("{other:?} has no dimension"),
        }
    }
}
