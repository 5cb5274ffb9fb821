//! Launches of command buffers that are changed between enqueuings.

use crate::c::*;
use crate::extensions::*;
use clvk_icd::cl::*;
use std::ffi::c_void;
use std::ptr::{null, null_mut};

type Handle = *mut c_void;

/// `cl_mutable_dispatch_arg_khr`.
#[repr(C)]
struct Argument {
    index: u32,
    size: usize,
    value: *const c_void,
}

/// `cl_mutable_dispatch_config_khr`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Config {
    command: Handle,
    num_args: u32,
    num_svm_args: u32,
    num_exec_infos: u32,
    work_dim: u32,
    args: *const Argument,
    svm_args: *const Argument,
    /// Of the same layout.
    exec_infos: *const Argument,
    offset: *const usize,
    global: *const usize,
    local: *const usize,
}

/// Adds `by` to the elements of the launch, and the number of local elements that fit a group.
const KERNEL: &str = "kernel void add(global int *a, int by, local int *l) {
    l[get_local_id(0)] = by;
    a[get_global_id(0)] += l[get_local_id(0)] + 100 * (int)get_local_size(0);
}";

/// A kernel and a command buffer with a launch of it.
struct Recorded {
    session: Session,
    program: cl_program,
    kernel: cl_kernel,
    memory: [cl_mem; 2],
    buffer: Handle,
    command: Handle,
}

impl Recorded {
    /// Two buffers of 16 zeros, and a launch of eight work-items in groups of four on the first, which adds
    /// one; without arguments if they are `missing`. The buffer is final.
    fn new(flags: u64, properties: *const u64, missing: bool) -> Result<Self, Status> {
        let session = Session::new();
        let program = session.built(KERNEL);
        let kernel = session.kernel(program, c"add");
        let memory = [session.buffer_of(&[0; 16]), session.buffer_of(&[0; 16])];
        let list = [CL_COMMAND_BUFFER_FLAGS_KHR, flags, 0];
        // SAFETY: one queue, and a list that a zero ends.
        let buffer =
            created(|e| unsafe { clCreateCommandBufferKHR(1, &raw const session.queue, list.as_ptr(), e) });
        if !missing {
            set(kernel, 0, &memory[0]);
            set(kernel, 1, &1i32);
            // SAFETY: local memory has no value.
            ok(unsafe { clSetKernelArg(kernel, 2, 64, null()) });
        }
        let mut recorded = Recorded { session, program, kernel, memory, buffer, command: null_mut() };
        let (global, local) = (8usize, 4usize);
        // SAFETY: the pointers are null or valid.
        let status = unsafe {
            clCommandNDRangeKernelKHR(
                buffer,
                null_mut(),
                properties,
                kernel,
                1,
                null(),
                &raw const global,
                &raw const local,
                0,
                null(),
                null_mut(),
                &raw mut recorded.command,
            )
        };
        if status != CL_SUCCESS {
            return Err(status);
        }
        // SAFETY: the buffer is one.
        ok(unsafe { clFinalizeCommandBufferKHR(buffer) });
        Ok(recorded)
    }

    /// A change of nothing.
    fn config(&self) -> Config {
        Config {
            command: self.command,
            num_args: 0,
            num_svm_args: 0,
            num_exec_infos: 0,
            work_dim: 0,
            args: null(),
            svm_args: null(),
            exec_infos: null(),
            offset: null(),
            global: null(),
            local: null(),
        }
    }

    fn update(&self, configs: &[Config]) -> Status {
        let types = vec![MUTABLE_DISPATCH_CONFIG; configs.len()];
        let places: Vec<*const Config> = configs.iter().map(std::ptr::from_ref).collect();
        let count = configs.len() as u32;
        // SAFETY: as many types and places as the count says.
        unsafe { clUpdateMutableCommandsKHR(self.buffer, count, types.as_ptr(), places.as_ptr()) }
    }

    fn set(&self, list: &[Argument]) -> Status {
        self.update(&[Config { num_args: list.len() as u32, args: list.as_ptr(), ..self.config() }])
    }

    fn enqueue(&self) -> Status {
        // SAFETY: the queue of recording, and no events.
        unsafe { clEnqueueCommandBufferKHR(0, null_mut(), self.buffer, 0, null(), null_mut()) }
    }

    fn contents(&self, index: usize) -> Vec<i32> {
        self.session.contents(self.memory[index], 16)
    }

    fn state(&self) -> u32 {
        // SAFETY: as much room as the size says.
        number(|size, value, ret| unsafe {
            clGetCommandBufferInfoKHR(self.buffer, CL_COMMAND_BUFFER_STATE_KHR, size, value, ret)
        })
    }

    fn info(&self, name: u32) -> Vec<u8> {
        // SAFETY: as much room as the size says.
        answer(|size, value, ret| unsafe { clGetMutableCommandInfoKHR(self.command, name, size, value, ret) })
    }
}

impl Drop for Recorded {
    fn drop(&mut self) {
        // SAFETY: the handles are the test's.
        unsafe {
            ok(clReleaseCommandBufferKHR(self.buffer));
            for memory in self.memory {
                ok(clReleaseMemObject(memory));
            }
            ok(clReleaseKernel(self.kernel));
            ok(clReleaseProgram(self.program));
        }
    }
}

fn argument<T>(index: u32, value: &T) -> Argument {
    Argument { index, size: size_of::<T>(), value: std::ptr::from_ref(value).cast() }
}

/// 16 numbers: this one in a range, otherwise zeros.
fn numbers(value: i32, range: std::ops::Range<usize>) -> Vec<i32> {
    (0..16).map(|index| if range.contains(&index) { value } else { 0 }).collect()
}

#[test]
fn arguments_and_sizes_are_updated() {
    let recorded = Recorded::new(CL_COMMAND_BUFFER_MUTABLE_KHR, null(), false).unwrap();
    // What changes the kernel does not change the launch.
    set(recorded.kernel, 1, &1000i32);
    ok(recorded.enqueue());
    assert_eq!(recorded.contents(0), numbers(401, 0..8));
    ok(recorded.set(&[argument(0, &recorded.memory[1]), argument(1, &7i32)]));
    ok(recorded.enqueue());
    assert_eq!(recorded.contents(1), numbers(407, 0..8));
    let (offset, global, local) = (10usize, 6usize, 2usize);
    let sizes = Config { offset: &raw const offset, work_dim: 1, ..recorded.config() };
    let sizes = Config { global: &raw const global, local: &raw const local, ..sizes };
    let list = [Argument { index: 2, size: 8, value: null() }];
    ok(recorded.update(&[sizes, Config { num_args: 1, args: list.as_ptr(), ..recorded.config() }]));
    ok(recorded.enqueue());
    let expected: Vec<i32> = (0..16)
        .map(|index| {
            if index < 8 {
                407
            } else if index < 10 {
                0
            } else {
                207
            }
        })
        .collect();
    assert_eq!(recorded.contents(1), expected);
    assert_eq!(recorded.contents(0), numbers(401, 0..8), "it is no longer an argument");
    let words = |values: &[usize]| values.iter().flat_map(|it| it.to_ne_bytes()).collect::<Vec<u8>>();
    assert_eq!(recorded.info(CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR), words(&[10]));
    assert_eq!(recorded.info(CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR), words(&[6]));
    assert_eq!(recorded.info(CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR), words(&[2]));
    assert_eq!(recorded.info(CL_MUTABLE_DISPATCH_DIMENSIONS_KHR), 1u32.to_ne_bytes());
    assert_eq!(recorded.info(CL_MUTABLE_DISPATCH_KERNEL_KHR), words(&[recorded.kernel as usize]));
    assert_eq!(recorded.info(CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR), words(&[recorded.buffer as usize]));
    assert_eq!(
        recorded.info(CL_MUTABLE_COMMAND_COMMAND_QUEUE_KHR),
        words(&[recorded.session.queue as usize])
    );
    assert_eq!(recorded.info(CL_MUTABLE_COMMAND_COMMAND_TYPE_KHR), CL_COMMAND_NDRANGE_KERNEL.to_ne_bytes());
    assert_eq!(recorded.info(CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR), [0u8; 0]);
}

#[test]
fn what_is_under_way_keeps_its_arguments() {
    let flags = CL_COMMAND_BUFFER_MUTABLE_KHR | CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR;
    for flags in [CL_COMMAND_BUFFER_MUTABLE_KHR, flags] {
        let recorded = Recorded::new(flags, null(), false).unwrap();
        // SAFETY: the pointers are null or valid.
        unsafe {
            let user = created(|e| clCreateUserEvent(recorded.session.context, e));
            let buffer = recorded.buffer;
            ok(clEnqueueCommandBufferKHR(0, null_mut(), buffer, 1, &raw const user, null_mut()));
            ok(recorded.set(&[argument(0, &recorded.memory[1]), argument(1, &5i32)]));
            ok(recorded.enqueue());
            ok(clSetUserEventStatus(user, CL_COMPLETE));
            ok(clReleaseEvent(user));
        }
        assert_eq!(recorded.contents(0), numbers(401, 0..8));
        assert_eq!(recorded.contents(1), numbers(405, 0..8));
    }
}

#[test]
fn missing_arguments_are_set_later() {
    let recorded = Recorded::new(CL_COMMAND_BUFFER_MUTABLE_KHR, null(), true).unwrap();
    assert_eq!(recorded.state(), CL_COMMAND_BUFFER_STATE_FINALIZED_KHR);
    assert_eq!(recorded.enqueue(), CL_INVALID_OPERATION);
    ok(recorded.set(&[argument(0, &recorded.memory[0]), argument(1, &3i32)]));
    assert_eq!(recorded.state(), CL_COMMAND_BUFFER_STATE_FINALIZED_KHR, "local memory is missing");
    ok(recorded.set(&[Argument { index: 2, size: 16, value: null() }]));
    assert_eq!(recorded.state(), CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR);
    ok(recorded.enqueue());
    assert_eq!(recorded.contents(0), numbers(403, 0..8));
}

#[test]
fn missing_arguments_need_a_launch_that_can_change() {
    let sizes = [CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR, CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR, 0];
    let refused = |flags, properties| Recorded::new(flags, properties, true).err();
    assert_eq!(refused(CL_COMMAND_BUFFER_MUTABLE_KHR, sizes.as_ptr()), Some(CL_INVALID_KERNEL_ARGS));
    assert_eq!(refused(0, null()), Some(CL_INVALID_KERNEL_ARGS));
    for wrong in [[0x12B2, 1, 0], [CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR, 32, 0]] {
        assert_eq!(refused(CL_COMMAND_BUFFER_MUTABLE_KHR, wrong.as_ptr()), Some(CL_INVALID_VALUE));
    }
}

#[test]
fn wrong_updates_change_nothing() {
    let recorded = Recorded::new(CL_COMMAND_BUFFER_MUTABLE_KHR, null(), false).unwrap();
    let good = [argument(1, &50i32)];
    let good = Config { num_args: 1, args: good.as_ptr(), ..recorded.config() };
    let (seven, zero, same) = (7usize, 0usize, recorded.config());
    let (wide, unknown) = (argument(1, &1u64), argument(3, &1i32));
    let other = Recorded::new(CL_COMMAND_BUFFER_MUTABLE_KHR, null(), false).unwrap();
    let wrong = [
        (Config { command: null_mut(), ..same }, CL_INVALID_MUTABLE_COMMAND_KHR),
        (Config { command: recorded.buffer, ..same }, CL_INVALID_MUTABLE_COMMAND_KHR),
        (Config { command: other.command, ..same }, CL_INVALID_MUTABLE_COMMAND_KHR),
        (Config { work_dim: 2, ..same }, CL_INVALID_OPERATION),
        (Config { num_args: 1, ..same }, CL_INVALID_VALUE),
        (Config { num_svm_args: 1, ..same }, CL_INVALID_VALUE),
        (Config { num_exec_infos: 1, ..same }, CL_INVALID_VALUE),
        (Config { num_args: 0, ..good }, CL_INVALID_VALUE),
        (Config { args: &raw const wide, ..good }, CL_INVALID_ARG_SIZE),
        (Config { args: &raw const unknown, ..good }, CL_INVALID_ARG_INDEX),
        (Config { local: &raw const zero, ..same }, CL_INVALID_WORK_GROUP_SIZE),
        (Config { global: &raw const seven, ..same }, CL_INVALID_OPERATION),
    ];
    for (index, (config, code)) in wrong.into_iter().enumerate() {
        let found = recorded.update(&[good, config]);
        // A program whose groups must be uniform refuses others by its own code.
        let uniform = index == wrong.len() - 1 && found == CL_INVALID_WORK_GROUP_SIZE;
        assert!(found == code || uniform, "{index}: {found}");
    }
    let (types, none) = ([MUTABLE_DISPATCH_CONFIG + 1], [null()]);
    let (buffer, place) = (recorded.buffer, [&raw const good]);
    // SAFETY: as many elements as the count says.
    unsafe {
        let update = |n, types: *const u32, configs| clUpdateMutableCommandsKHR(buffer, n, types, configs);
        assert_eq!(update(1, types.as_ptr(), place.as_ptr()), CL_INVALID_VALUE);
        assert_eq!(update(1, [MUTABLE_DISPATCH_CONFIG].as_ptr(), none.as_ptr()), CL_INVALID_VALUE);
        assert_eq!(update(1, null(), place.as_ptr()), CL_INVALID_VALUE);
        assert_eq!(update(0, null(), place.as_ptr()), CL_INVALID_VALUE);
        ok(update(0, null(), null()));
        let list = place.as_ptr();
        let code = clUpdateMutableCommandsKHR(recorded.command, 1, types.as_ptr(), list);
        assert_eq!(code, CL_INVALID_COMMAND_BUFFER_KHR);
    }
    ok(recorded.enqueue());
    assert_eq!(recorded.contents(0), numbers(401, 0..8));
    let old = other.command;
    drop(other);
    assert_eq!(recorded.update(&[Config { command: old, ..same }]), CL_INVALID_MUTABLE_COMMAND_KHR);
}

#[test]
fn only_what_was_declared_changes() {
    let eight = 8usize;
    let list = [argument(1, &50i32)];
    for field in 0..5 {
        let properties = [
            CL_MUTABLE_DISPATCH_ASSERTS_KHR,
            CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR,
            CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR,
            1 << field,
            0,
        ];
        let recorded = Recorded::new(CL_COMMAND_BUFFER_MUTABLE_KHR, properties.as_ptr(), false).unwrap();
        let words: Vec<u8> = properties.iter().flat_map(|word| word.to_ne_bytes()).collect();
        assert_eq!(recorded.info(CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR), words);
        let same = recorded.config();
        let changes = [
            Config { offset: &raw const eight, ..same },
            Config { global: &raw const eight, ..same },
            Config { local: &raw const eight, ..same },
            Config { num_args: 1, args: list.as_ptr(), ..same },
            Config { num_exec_infos: 1, exec_infos: list.as_ptr(), ..same },
        ];
        for (other, change) in changes.into_iter().enumerate() {
            // The execution information is unknown.
            let allowed = if field == 4 { CL_INVALID_VALUE } else { CL_SUCCESS };
            let expected = if other == field { allowed } else { CL_INVALID_OPERATION };
            let found = recorded.update(&[change]);
            // Devices without shared memory take no execution information at all.
            let without = other == 4 && found == CL_INVALID_OPERATION;
            assert!(found == expected || without, "{other} of {field}: {found}");
        }
    }
    let recorded = Recorded::new(0, null(), false).unwrap();
    assert_eq!(recorded.update(&[recorded.config()]), CL_INVALID_OPERATION, "the buffer is not mutable");
}

#[test]
fn pointers_to_shared_memory_are_updated() {
    let recorded = Recorded::new(CL_COMMAND_BUFFER_MUTABLE_KHR, null(), false).unwrap();
    let (context, queue) = (recorded.session.context, recorded.session.queue);
    // SAFETY: the memory has 64 bytes, and is mapped while it is read and written.
    unsafe {
        let pointer = clSVMAlloc(context, CL_MEM_READ_WRITE, 64, 0);
        if pointer.is_null() {
            return; // The device has no shared memory.
        }
        let zero = 0i32;
        ok(clEnqueueSVMMemFill(queue, pointer, (&raw const zero).cast(), 4, 64, 0, null(), null_mut()));
        let unknown = Argument { index: 0, size: 0, value: (&raw const zero).cast() };
        let known = Argument { index: 0, size: 0, value: pointer };
        let same = recorded.config();
        let config = Config { num_svm_args: 1, svm_args: &raw const unknown, ..same };
        assert_eq!(recorded.update(&[config]), CL_INVALID_ARG_VALUE);
        let info = Argument {
            index: CL_KERNEL_EXEC_INFO_SVM_PTRS,
            size: size_of::<usize>(),
            value: (&raw const pointer).cast(),
        };
        let config = Config { num_svm_args: 1, svm_args: &raw const known, ..same };
        ok(recorded.update(&[Config { num_exec_infos: 1, exec_infos: &raw const info, ..config }]));
        ok(recorded.enqueue());
        ok(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, pointer, 64, 0, null(), null_mut()));
        assert_eq!(std::slice::from_raw_parts(pointer.cast::<i32>(), 16), numbers(401, 0..8));
        ok(clEnqueueSVMUnmap(queue, pointer, 0, null(), null_mut()));
        ok(clFinish(queue));
        clSVMFree(context, pointer);
    }
    assert_eq!(recorded.contents(0), [0; 16]);
}

#[test]
fn command_buffers_take_the_promise_of_no_more_groups() {
    let session = Session::new();
    let create = |list: &[u64]| {
        let mut status = 1;
        // SAFETY: one queue, and a list that a zero ends.
        unsafe {
            let queue = &raw const session.queue;
            let buffer = clCreateCommandBufferKHR(1, queue, list.as_ptr(), &raw mut status);
            if !buffer.is_null() {
                ok(clReleaseCommandBufferKHR(buffer));
            }
        }
        status
    };
    ok(create(&[0x12B7, 1, CL_COMMAND_BUFFER_FLAGS_KHR, 3, 0]));
    assert_eq!(create(&[0x12B7, 2, 0]), CL_INVALID_VALUE);
    assert_eq!(create(&[0x12B7, 1, 0x12B7, 1, 0]), CL_INVALID_VALUE);
    assert_eq!(create(&[CL_COMMAND_BUFFER_FLAGS_KHR, 8, 0]), CL_INVALID_PROPERTY);
}
