//! Command buffers for several queues (`cl_khr_command_buffer_multi_device`), of one device or of two.

use crate::c::*;
use crate::devices::Pair;
use crate::extensions::*;
use opencl_sys::*;
use std::ffi::c_void;
use std::ptr::{null, null_mut};

const STEP: &std::ffi::CStr = c"kernel void step(global int *x, int by) {
    x[get_global_id(0)] = x[get_global_id(0)] * 3 + by;
}";

/// A context, and two queues in it.
struct Two {
    context: cl_context,
    queues: [cl_command_queue; 2],
}

impl Two {
    fn buffer(&self, flags: u64) -> *mut c_void {
        let list = [CL_COMMAND_BUFFER_FLAGS_KHR, flags, 0];
        // SAFETY: two queues, and a zero ends the list.
        created(|e| unsafe { clCreateCommandBufferKHR(2, self.queues.as_ptr(), list.as_ptr(), e) })
    }

    fn memory(&self, data: &[i32]) -> cl_mem {
        let (flags, size) = (CL_MEM_COPY_HOST_PTR, size_of_val(data));
        let host = data.as_ptr().cast_mut().cast();
        // SAFETY: as many bytes as the size says.
        created(|e| unsafe { clCreateBuffer(self.context, flags, size, host, e) })
    }

    fn kernel(&self) -> cl_kernel {
        let list = [STEP.as_ptr()];
        // SAFETY: the texts end with zeros. The kernel keeps its program.
        unsafe {
            let program = created(|e| clCreateProgramWithSource(self.context, 1, list.as_ptr(), null(), e));
            ok(clBuildProgram(program, 0, null(), null(), None, null_mut()));
            let kernel = created(|e| clCreateKernel(program, c"step".as_ptr(), e));
            ok(clReleaseProgram(program));
            kernel
        }
    }

    fn contents(&self, on: usize, memory: cl_mem, count: usize) -> Vec<i32> {
        let mut data = vec![0; count];
        let (size, place) = (size_of_val(&data[..]), data.as_mut_ptr().cast());
        let queue = self.queues[on];
        // SAFETY: as many bytes as the size says; the read blocks.
        ok(unsafe { clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, size, place, 0, null(), null_mut()) });
        data
    }
}

/// Records a launch; returns its synchronisation point.
fn record(
    buffer: *mut c_void,
    queue: cl_command_queue,
    kernel: cl_kernel,
    count: usize,
    waits: &[u32],
    handle: *mut *mut c_void,
) -> Result<u32, Status> {
    let mut point = 0;
    let (list, many) = (if waits.is_empty() { null() } else { waits.as_ptr() }, waits.len() as u32);
    let (size, place) = (&raw const count, &raw mut point);
    // SAFETY: one size, and as many points as the count says.
    let status = unsafe {
        let none = null();
        clCommandNDRangeKernelKHR(
            buffer,
            queue,
            none,
            kernel,
            1,
            null(),
            size,
            null(),
            many,
            list,
            place,
            handle,
        )
    };
    if status == CL_SUCCESS { Ok(point) } else { Err(status) }
}

/// Runs the same tests with queues of one device, and of two where there are two.
fn on_queues(properties: u64, test: impl Fn(&Two)) {
    let session = Session::with(properties);
    let second = session.new_queue(properties);
    test(&Two { context: session.context, queues: [session.queue, second] });
    // SAFETY: the queue is the test's.
    ok(unsafe { clReleaseCommandQueue(second) });
    if let Some(pair) = Pair::new(properties) {
        test(&Two { context: pair.context, queues: pair.queues });
    }
}

#[test]
fn commands_of_several_queues_follow_synchronisation_points() {
    for properties in [0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE] {
        on_queues(properties, |two| {
            let (memory, kernel) = (two.memory(&[1; 100]), two.kernel());
            let (buffer, mut expected) = (two.buffer(0), 1);
            set(kernel, 0, &memory);
            let mut waits: Vec<u32> = Vec::new();
            for turn in 0..5 {
                set(kernel, 1, &turn);
                let queue = two.queues[turn as usize % 2];
                waits = vec![record(buffer, queue, kernel, 100, &waits, null_mut()).unwrap()];
            }
            let wrong = record(buffer, null_mut(), kernel, 100, &[], null_mut());
            assert_eq!(wrong, Err(CL_INVALID_COMMAND_QUEUE), "one of the two must be named");
            // SAFETY: the pointers are null or valid.
            unsafe {
                ok(clFinalizeCommandBufferKHR(buffer));
                let count = number(|size, value, ret| {
                    clGetCommandBufferInfoKHR(buffer, CL_COMMAND_BUFFER_NUM_QUEUES_KHR, size, value, ret)
                });
                assert_eq!(count, 2);
                let queues = answer(|size, value, ret| {
                    clGetCommandBufferInfoKHR(buffer, CL_COMMAND_BUFFER_QUEUES_KHR, size, value, ret)
                });
                let handles: Vec<u8> =
                    two.queues.iter().flat_map(|&queue| (queue as usize).to_ne_bytes()).collect();
                assert_eq!(queues, handles);
                // Twice, the second time after the first, and both behind a gate.
                let gate = created(|e| clCreateUserEvent(two.context, e));
                let mut events = [gate, null_mut(), null_mut()];
                for run in 0..2 {
                    let (wait, event) = (&raw const events[run], &raw mut events[run + 1]);
                    ok(clEnqueueCommandBufferKHR(0, null_mut(), buffer, 1, wait, event));
                    (0..5).for_each(|turn| expected = expected * 3 + turn);
                }
                let queue = answer(|size, value, ret| {
                    clGetEventInfo(events[2], CL_EVENT_COMMAND_QUEUE, size, value, ret)
                });
                assert_eq!(queue, [0; size_of::<usize>()], "it is of several queues");
                ok(clSetUserEventStatus(gate, CL_COMPLETE));
                ok(clWaitForEvents(1, &raw const events[2]));
                for on in [0, 1] {
                    assert_eq!(two.contents(on, memory, 100), [expected; 100]);
                }
                let mut one = two.queues[0];
                let code = clEnqueueCommandBufferKHR(1, &raw mut one, buffer, 0, null(), null_mut());
                assert_eq!(code, CL_INVALID_VALUE, "as many as at the creation");
                for event in events {
                    ok(clReleaseEvent(event));
                }
                ok(clReleaseCommandBufferKHR(buffer));
                ok(clReleaseKernel(kernel));
                ok(clReleaseMemObject(memory));
            }
        });
    }
}

/// A barrier is one of its queue.
#[test]
fn barriers_order_the_commands_of_a_queue() {
    on_queues(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, |two| {
        let (memory, kernel) = (two.memory(&[1; 64]), two.kernel());
        let buffer = two.buffer(0);
        set(kernel, 0, &memory);
        for by in [5, 7] {
            set(kernel, 1, &by);
            record(buffer, two.queues[1], kernel, 64, &[], null_mut()).unwrap();
            // SAFETY: no waits, and no results.
            ok(unsafe {
                let (queue, none, not) = (two.queues[1], null(), null_mut());
                clCommandBarrierWithWaitListKHR(buffer, queue, none, 0, null(), null_mut(), not)
            });
        }
        // SAFETY: the pointers are null or valid.
        unsafe {
            ok(clFinalizeCommandBufferKHR(buffer));
            let mut done = null_mut();
            ok(clEnqueueCommandBufferKHR(0, null_mut(), buffer, 0, null(), &raw mut done));
            ok(clWaitForEvents(1, &raw const done));
            assert_eq!(two.contents(1, memory, 64), [(3 + 5) * 3 + 7; 64]);
            ok(clReleaseEvent(done));
            ok(clReleaseCommandBufferKHR(buffer));
            ok(clReleaseKernel(kernel));
            ok(clReleaseMemObject(memory));
        }
    });
}

/// Copies on other queues do the same, and their handles change only them.
#[test]
fn copies_run_on_other_queues() {
    on_queues(0, |two| {
        let (memory, kernel) = (two.memory(&[1; 10]), two.kernel());
        let buffer = two.buffer(CL_COMMAND_BUFFER_MUTABLE_KHR);
        set(kernel, 0, &memory);
        let mut handle = null_mut();
        set(kernel, 1, &1);
        let first = record(buffer, two.queues[0], kernel, 10, &[], &raw mut handle).unwrap();
        set(kernel, 1, &2);
        record(buffer, two.queues[1], kernel, 10, &[first], null_mut()).unwrap();
        let swapped = [two.queues[1], two.queues[0]];
        let remap = |automatic, count, handles: u32, list: *const *mut c_void, ret, e| {
            // SAFETY: at most two queues, and as many handles as the count says.
            unsafe {
                clRemapCommandBufferKHR(buffer, automatic, count, swapped.as_ptr(), handles, list, ret, e)
            }
        };
        let code = |automatic, count, handles, list, ret: *mut *mut c_void| {
            refused(|e| remap(automatic, count, handles, list, ret, e))
        };
        let (list, mut copied) = (&raw const handle, null_mut());
        assert_eq!(code(CL_FALSE, 1, 0, null(), null_mut()), CL_INVALID_VALUE, "not as many");
        assert_eq!(code(CL_FALSE, 0, 0, null(), null_mut()), CL_INVALID_VALUE);
        assert_eq!(code(CL_FALSE, 2, 1, list, null_mut()), CL_INVALID_VALUE, "no room for the handle");
        assert_eq!(code(CL_FALSE, 2, 0, list, &raw mut copied), CL_INVALID_VALUE);
        let two_copies = [(CL_FALSE, 2), (CL_TRUE, 1)].map(|(automatic, count)| {
            let copy = created(|e| remap(automatic, count, 1, list, &raw mut copied, e));
            assert!(!copied.is_null() && copied != handle);
            copy
        });
        // SAFETY: the pointers are null or valid.
        unsafe {
            let mut expected = 1;
            for copy in two_copies {
                let state = number(|size, value, ret| {
                    clGetCommandBufferInfoKHR(copy, CL_COMMAND_BUFFER_STATE_KHR, size, value, ret)
                });
                assert_eq!(state, CL_COMMAND_BUFFER_STATE_RECORDING_KHR, "like the original");
                ok(clFinalizeCommandBufferKHR(copy));
                let mut done = null_mut();
                ok(clEnqueueCommandBufferKHR(0, null_mut(), copy, 0, null(), &raw mut done));
                ok(clWaitForEvents(1, &raw const done));
                expected = (expected * 3 + 1) * 3 + 2;
                assert_eq!(two.contents(0, memory, 10), [expected; 10]);
                ok(clReleaseEvent(done));
                ok(clReleaseCommandBufferKHR(copy));
            }
            ok(clReleaseCommandBufferKHR(buffer));
            ok(clReleaseKernel(kernel));
            ok(clReleaseMemObject(memory));
        }
    });
}

/// Devices are not synchronised by themselves.
#[test]
fn synchronisation_by_devices_is_that_of_one_device() {
    let Some(pair) = Pair::new(0) else { return };
    let list = [CL_COMMAND_BUFFER_FLAGS_KHR, CL_COMMAND_BUFFER_DEVICE_SIDE_SYNC_KHR, 0];
    // SAFETY: two queues, and a zero ends the list.
    let create = |queues: [cl_command_queue; 2], e| unsafe {
        clCreateCommandBufferKHR(2, queues.as_ptr(), list.as_ptr(), e)
    };
    assert_eq!(refused(|e| create(pair.queues, e)), CL_INCOMPATIBLE_COMMAND_QUEUE_KHR);
    let buffer = created(|e| create([pair.queues[0]; 2], e));
    for device in pair.devices {
        let devices = answer(|size, value, ret| {
            let name = CL_DEVICE_COMMAND_BUFFER_SYNC_DEVICES_KHR;
            // SAFETY: as much room as the size says.
            unsafe { clGetDeviceInfo(device, name, size, value, ret) }
        });
        assert_eq!(devices, (device as usize).to_ne_bytes());
    }
    // SAFETY: the command buffer is the test's.
    ok(unsafe { clReleaseCommandBufferKHR(buffer) });
}
