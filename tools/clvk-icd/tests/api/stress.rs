//! Threads that do everything at once, each with its own objects and with some that all of them share; and
//! the same under the Khronos validation layer.
//!
//! Each thread knows the expected contents of its buffers and compares. `CLVK_STRESS` sets the number of
//! operations per thread (`docs/log/stress.md`).

use crate::c::*;
use opencl_sys::*;
use std::ffi::c_void;
use std::process::Command;
use std::ptr::{null, null_mut};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

const THREADS: u32 = 8;
/// Words of each thread's buffers.
const WORDS: usize = 256;
const BUFFERS: usize = 4;
/// Work-items that count in the shared buffer.
const COUNTING: usize = 16;

const SOURCE: &str = "
    kernel void mix(global uint *a, global const uint *b, uint from, uint add) {
        uint i = from + get_global_id(0);
        a[i] = a[i] * 5 + b[i] + add;
    }
    kernel void count(volatile global uint *sum) { atomic_add(sum, 1 + get_local_id(0) * 0); }";

/// What all threads use.
struct Shared {
    session: Session,
    /// An out-of-order queue.
    queue: cl_command_queue,
    program: cl_program,
    sum: cl_mem,
    /// Counted in the buffer.
    counted: AtomicU32,
    /// Events that others may wait for.
    events: Mutex<Vec<cl_event>>,
}

// SAFETY: handles, which the driver takes from any thread.
unsafe impl Send for Shared {}
// SAFETY: as above.
unsafe impl Sync for Shared {}

/// Numbers that look random.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % limit
    }

    /// A part of a buffer: its first word, and how many.
    fn part(&mut self) -> (usize, usize) {
        let first = self.below(WORDS);
        (first, 1 + self.below(WORDS - first))
    }
}

/// A read in flight: its destination, and the expected contents.
type Pending = (Box<[u32]>, Vec<u32>);

struct Thread<'a> {
    shared: &'a Shared,
    random: Random,
    /// An in-order queue.
    queue: cl_command_queue,
    mix: cl_kernel,
    count: cl_kernel,
    buffers: [cl_mem; BUFFERS],
    /// The contents of the buffers when everything enqueued is done.
    model: [Vec<u32>; BUFFERS],
    reads: Vec<Pending>,
    /// The sources of writes in flight.
    sources: Vec<Box<[u32]>>,
    /// User events that are not complete.
    held: Vec<cl_event>,
    /// The number of callbacks so far; `calls` is the number expected.
    called: Box<AtomicU32>,
    calls: u32,
}

unsafe extern "C" fn called(_: cl_event, _: cl_int, count: *mut c_void) {
    // SAFETY: the thread's counter, which it keeps until its queue is finished.
    unsafe { &*count.cast::<AtomicU32>() }.fetch_add(1, Ordering::Relaxed);
}

impl<'a> Thread<'a> {
    fn new(shared: &'a Shared, number: u32) -> Self {
        let session = &shared.session;
        let model = std::array::from_fn(|index| vec![number * 10 + index as u32; WORDS]);
        let buffers = std::array::from_fn(|index| {
            let words: &Vec<u32> = &model[index];
            session.buffer_of(&words.iter().map(|&word| word as i32).collect::<Vec<_>>())
        });
        Thread {
            shared,
            random: Random(0x9e37_79b9_7f4a_7c15 ^ u64::from(number + 1) << 20),
            queue: session.new_queue(if number.is_multiple_of(2) { 0 } else { CL_QUEUE_PROFILING_ENABLE }),
            mix: session.kernel(shared.program, c"mix"),
            count: session.kernel(shared.program, c"count"),
            buffers,
            model,
            reads: Vec::new(),
            sources: Vec::new(),
            held: Vec::new(),
            called: Box::default(),
            calls: 0,
        }
    }

    fn step(&mut self) {
        match self.random.below(18) {
            0 | 1 => self.write(),
            2 | 3 => self.read(),
            4 => self.fill(),
            5 => self.copy(),
            6 | 7 => self.launch(),
            8 => self.map(),
            9 => self.hold(),
            10 => self.other_queue(),
            11 => self.part_of_buffer(),
            12 => self.call_back(),
            13 => self.new_buffer(),
            14 => self.image(),
            15 => self.count(),
            16 => self.exchange_events(),
            _ if self.random.below(32) == 0 => self.build(),
            _ => self.settle(),
        }
    }

    /// A buffer and its number.
    fn some(&mut self) -> (usize, cl_mem) {
        let index = self.random.below(BUFFERS);
        (index, self.buffers[index])
    }

    /// Completes user events; called before anything waits for them.
    fn unblock(&mut self) {
        for event in self.held.drain(..) {
            // SAFETY: the event is a user event of this thread.
            unsafe {
                ok(clSetUserEventStatus(event, CL_COMPLETE));
                ok(clReleaseEvent(event));
            }
        }
    }

    fn settle(&mut self) {
        self.unblock();
        // SAFETY: the queue is the thread's.
        ok(unsafe { clFinish(self.queue) });
        for (came, expected) in self.reads.drain(..) {
            assert_eq!(came[..], expected);
        }
        self.sources.clear();
    }

    fn write(&mut self) {
        let ((index, buffer), (first, count)) = (self.some(), self.random.part());
        let seed = self.random.below(1 << 20) as u32;
        let data: Box<[u32]> = (0..count as u32).map(|word| word ^ seed).collect();
        self.model[index][first..first + count].copy_from_slice(&data);
        let blocking = self.random.below(4) == 0;
        if blocking {
            self.unblock();
        }
        // SAFETY: the data lives until the thread settles.
        ok(unsafe {
            clEnqueueWriteBuffer(
                self.queue,
                buffer,
                u32::from(blocking),
                first * 4,
                count * 4,
                data.as_ptr().cast(),
                0,
                null(),
                null_mut(),
            )
        });
        self.sources.push(data);
    }

    fn read(&mut self) {
        let ((index, buffer), (first, count)) = (self.some(), self.random.part());
        let mut place: Box<[u32]> = vec![0; count].into();
        // SAFETY: the place lives until the thread settles.
        ok(unsafe {
            clEnqueueReadBuffer(
                self.queue,
                buffer,
                CL_FALSE,
                first * 4,
                count * 4,
                place.as_mut_ptr().cast(),
                0,
                null(),
                null_mut(),
            )
        });
        self.reads.push((place, self.model[index][first..first + count].to_vec()));
    }

    /// Fills a part of a buffer on a queue, after an event if there is one.
    fn fill_on(&mut self, queue: cl_command_queue, wait: Option<cl_event>, event: *mut cl_event) {
        let ((index, buffer), (first, count)) = (self.some(), self.random.part());
        let word = self.random.below(1 << 30) as u32;
        self.model[index][first..first + count].fill(word);
        let list = wait.as_ref().map_or(null(), std::ptr::from_ref);
        // SAFETY: a pattern of four bytes, and a list of one event or none.
        ok(unsafe {
            clEnqueueFillBuffer(
                queue,
                buffer,
                (&raw const word).cast(),
                4,
                first * 4,
                count * 4,
                u32::from(wait.is_some()),
                list,
                event,
            )
        });
    }

    fn fill(&mut self) {
        self.fill_on(self.queue, None, null_mut());
    }

    fn copy(&mut self) {
        let ((from, source), (first, count)) = (self.some(), self.random.part());
        let to = (from + 1) % BUFFERS;
        let words = self.model[from][first..first + count].to_vec();
        self.model[to][WORDS - count..].copy_from_slice(&words);
        let (place, size) = ((WORDS - count) * 4, count * 4);
        // SAFETY: no pointers but handles.
        ok(unsafe {
            let to = self.buffers[to];
            clEnqueueCopyBuffer(self.queue, source, to, first * 4, place, size, 0, null(), null_mut())
        });
    }

    fn launch(&mut self) {
        let ((index, buffer), (first, count)) = (self.some(), self.random.part());
        let other = (index + 1 + self.random.below(BUFFERS - 1)) % BUFFERS;
        let add = self.random.below(1000) as u32;
        for word in first..first + count {
            let mixed = self.model[index][word].wrapping_mul(5).wrapping_add(self.model[other][word]);
            self.model[index][word] = mixed.wrapping_add(add);
        }
        set(self.mix, 0, &buffer);
        set(self.mix, 1, &self.buffers[other]);
        set(self.mix, 2, &(first as u32));
        set(self.mix, 3, &add);
        self.enqueue_kernel(self.queue, self.mix, count);
    }

    fn enqueue_kernel(&self, queue: cl_command_queue, kernel: cl_kernel, count: usize) {
        let (global, none) = (&raw const count, null_mut());
        // SAFETY: one size for one dimension.
        ok(unsafe { clEnqueueNDRangeKernel(queue, kernel, 1, null(), global, null(), 0, null(), none) });
    }

    fn map(&mut self) {
        self.unblock();
        let ((index, buffer), (first, count)) = (self.some(), self.random.part());
        let (queue, both) = (self.queue, CL_MAP_READ | CL_MAP_WRITE);
        let (offset, size) = (first * 4, count * 4);
        // SAFETY: as many words as are mapped are accessed, while they are.
        unsafe {
            let pointer = created(|e| {
                clEnqueueMapBuffer(queue, buffer, CL_TRUE, both, offset, size, 0, null(), null_mut(), e)
            });
            let words = std::slice::from_raw_parts_mut(pointer.cast::<u32>(), count);
            assert_eq!(*words, self.model[index][first..first + count]);
            words.iter_mut().for_each(|word| *word = !*word);
            self.model[index][first..first + count].copy_from_slice(words);
            ok(clEnqueueUnmapMemObject(queue, buffer, pointer, 0, null(), null_mut()));
        }
    }

    /// Makes a command, and everything after it, wait for something that the thread does later.
    fn hold(&mut self) {
        // SAFETY: no pointers but the context.
        let event = created(|e| unsafe { clCreateUserEvent(self.shared.session.context, e) });
        self.fill_on(self.queue, Some(event), null_mut());
        self.held.push(event);
    }

    /// A command on a temporary queue, between two of the thread's commands.
    fn other_queue(&mut self) {
        self.unblock();
        let properties = [0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE][self.random.below(2)];
        let queue = self.shared.session.new_queue(properties);
        let before = self.marker(&[]);
        let mut after = null_mut();
        self.fill_on(queue, Some(before), &raw mut after);
        let last = self.marker(&[after]);
        // SAFETY: the handles are the thread's.
        unsafe {
            ok(clFlush(queue));
            if self.random.below(2) == 0 {
                ok(clFinish(queue));
            }
            for event in [before, after, last] {
                ok(clReleaseEvent(event));
            }
            ok(clReleaseCommandQueue(queue));
        }
    }

    /// The event of a marker on the thread's queue.
    fn marker(&self, waits: &[cl_event]) -> cl_event {
        let list = if waits.is_empty() { null() } else { waits.as_ptr() };
        let mut event = null_mut();
        // SAFETY: as many events as the list has.
        ok(unsafe { clEnqueueMarkerWithWaitList(self.queue, waits.len() as u32, list, &raw mut event) });
        event
    }

    fn part_of_buffer(&mut self) {
        let (index, buffer) = self.some();
        let region = cl_buffer_region { origin: 512, size: 256 };
        let info = (&raw const region).cast();
        let word = self.random.below(1 << 20) as u32;
        self.model[index][130..140].fill(word);
        // SAFETY: the region lies in the buffer; the pattern has four bytes.
        unsafe {
            let part = created(|e| clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, info, e));
            let pattern = (&raw const word).cast();
            ok(clEnqueueFillBuffer(self.queue, part, pattern, 4, 8, 40, 0, null(), null_mut()));
            ok(clReleaseMemObject(part));
        }
    }

    fn call_back(&mut self) {
        let event = self.marker(&[]);
        let count: *const AtomicU32 = &raw const *self.called;
        self.calls += 1;
        // SAFETY: the counter lives until the thread is done.
        unsafe {
            ok(clSetEventCallback(event, CL_COMPLETE, Some(called), count.cast_mut().cast()));
            ok(clReleaseEvent(event));
        }
    }

    /// Replaces a buffer that commands still use.
    fn new_buffer(&mut self) {
        let (index, old) = self.some();
        let pinned = [0, CL_MEM_ALLOC_HOST_PTR][self.random.below(2)];
        let new = self.shared.session.buffer(CL_MEM_READ_WRITE | pinned, WORDS * 4);
        // SAFETY: the handles are the thread's.
        unsafe {
            ok(clEnqueueCopyBuffer(self.queue, old, new, 0, 0, WORDS * 4, 0, null(), null_mut()));
            ok(clRetainMemObject(old));
            ok(clReleaseMemObject(old));
            ok(clReleaseMemObject(old));
        }
        self.buffers[index] = new;
    }

    fn image(&mut self) {
        let (index, buffer) = self.some();
        let format =
            cl_image_format { image_channel_order: CL_RGBA, image_channel_data_type: CL_UNSIGNED_INT8 };
        // SAFETY: numbers and null pointers.
        let mut shape: cl_image_desc = unsafe { std::mem::zeroed() };
        (shape.image_type, shape.image_width, shape.image_height) = (CL_MEM_OBJECT_IMAGE2D, 16, 8);
        let to = (index + 1) % BUFFERS;
        let words = self.model[index][..128].to_vec();
        self.model[to][64..192].copy_from_slice(&words);
        let (origin, region) = ([0usize; 3], [16usize, 8, 1]);
        // SAFETY: the descriptions are whole, and the origin and region have three elements.
        unsafe {
            let (context, queue) = (self.shared.session.context, self.queue);
            let image = created(|e| {
                let (format, shape) = (&raw const format, &raw const shape);
                clCreateImage(context, CL_MEM_READ_WRITE, format, shape, null_mut(), e)
            });
            let (origin, region, none) = (origin.as_ptr(), region.as_ptr(), null_mut());
            ok(clEnqueueCopyBufferToImage(queue, buffer, image, 0, origin, region, 0, null(), none));
            let to = self.buffers[to];
            ok(clEnqueueCopyImageToBuffer(queue, image, to, origin, region, 256, 0, null(), none));
            ok(clReleaseMemObject(image));
        }
    }

    /// Counts in the shared buffer, on the shared queue or the thread's.
    fn count(&mut self) {
        let queue = [self.queue, self.shared.queue][self.random.below(2)];
        set(self.count, 0, &self.shared.sum);
        self.shared.counted.fetch_add(COUNTING as u32, Ordering::Relaxed);
        self.enqueue_kernel(queue, self.count, COUNTING);
    }

    /// Leaves an event for others, and waits for one that another has left.
    fn exchange_events(&mut self) {
        let own = self.marker(&[]);
        let other = {
            let mut events = self.shared.events.lock().unwrap();
            events.push(own);
            let index = self.random.below(events.len());
            events.swap_remove(index)
        };
        let behind = self.marker(&[other]);
        // SAFETY: the thread that takes an event from the list owns its reference.
        unsafe {
            let status = number(|size, value, ret| {
                clGetEventInfo(other, CL_EVENT_COMMAND_EXECUTION_STATUS, size, value, ret)
            });
            assert!(status <= CL_QUEUED as u32);
            ok(clReleaseEvent(other));
            ok(clReleaseEvent(behind));
        }
    }

    fn build(&mut self) {
        let number = self.random.below(8);
        let session = &self.shared.session;
        let program = session.built(&format!(
            "kernel void put(global uint *a) {{ a[get_global_id(0)] = {number} + get_global_id(0); }}"
        ));
        let kernel = session.kernel(program, c"put");
        let (index, buffer) = self.some();
        set(kernel, 0, &buffer);
        self.enqueue_kernel(self.queue, kernel, 64);
        self.model[index][..64].iter_mut().zip(number as u32..).for_each(|(word, new)| *word = new);
        // SAFETY: the handles are the thread's.
        unsafe {
            ok(clReleaseKernel(kernel));
            ok(clReleaseProgram(program));
        }
    }

    /// Compares everything, and releases everything.
    fn end(mut self) {
        self.settle();
        // A wait for a command may end before its callbacks are called (OpenCL API §5.11).
        let patience = Instant::now() + Duration::from_secs(60);
        while self.called.load(Ordering::Relaxed) < self.calls {
            assert!(Instant::now() < patience, "callbacks are missing");
            std::thread::yield_now();
        }
        assert_eq!(self.called.load(Ordering::Relaxed), self.calls);
        for (&buffer, model) in self.buffers.iter().zip(&self.model) {
            let words = self.shared.session.contents(buffer, WORDS);
            assert!(words.iter().zip(model).all(|(&word, &expected)| word as u32 == expected));
        }
        // SAFETY: the handles are the thread's.
        unsafe {
            self.buffers.iter().for_each(|&buffer| ok(clReleaseMemObject(buffer)));
            ok(clReleaseKernel(self.mix));
            ok(clReleaseKernel(self.count));
            ok(clReleaseCommandQueue(self.queue));
        }
    }
}

#[test]
fn threads_share_everything() {
    let operations = std::env::var("CLVK_STRESS").map_or(200, |count| count.parse().expect("a number"));
    let session = Session::new();
    let shared = Shared {
        queue: session.new_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE),
        program: session.built(SOURCE),
        sum: session.buffer_of(&[0]),
        counted: AtomicU32::new(0),
        events: Mutex::default(),
        session,
    };
    std::thread::scope(|scope| {
        for number in 0..THREADS {
            let shared = &shared;
            scope.spawn(move || {
                let mut thread = Thread::new(shared, number);
                (0..operations).for_each(|_| thread.step());
                thread.end();
            });
        }
    });
    // SAFETY: the handles are the test's.
    unsafe {
        ok(clFinish(shared.queue));
        let counted = shared.counted.load(Ordering::Relaxed) as i32;
        assert_eq!(shared.session.contents(shared.sum, 1), [counted]);
        for event in shared.events.into_inner().unwrap() {
            ok(clReleaseEvent(event));
        }
        ok(clReleaseMemObject(shared.sum));
        ok(clReleaseProgram(shared.program));
        ok(clReleaseCommandQueue(shared.queue));
    }
}

/// Runs [`threads_share_everything`] in a separate process under the validation layer, which must not report
/// anything.
#[track_caller]
fn run_validated(variables: &[(&str, &str)]) {
    let synchronization = "VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT";
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["stress::threads_share_everything", "--exact", "--nocapture"])
        .env("VK_INSTANCE_LAYERS", "VK_LAYER_KHRONOS_validation")
        .env("VK_LAYER_ENABLES", synchronization)
        .envs(variables.iter().copied())
        .output()
        .unwrap();
    // The layer writes what it finds to the standard output.
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
    let found = ["Validation Error", "Validation Warning", "VUID-", "SYNC-HAZARD"];
    // Newer layers would need another setting, which older ones do not know.
    let mut messages = text.split("\n\n").filter(|message| !message.contains("VALIDATION-SETTINGS"));
    assert!(!messages.any(|message| found.iter().any(|word| message.contains(word))), "{text}");
}

#[test]
fn threads_keep_the_rules_of_vulkan() {
    run_validated(&[]);
}

#[test]
fn threads_keep_the_rules_where_everything_is_staged() {
    run_validated(&[("CLVK_ALWAYS_STAGE", "1")]);
}

#[test]
fn threads_keep_the_rules_where_kernels_are_compiled_in_the_background() {
    run_validated(&[("CLVK_COMPILE_THREADS", "3")]);
}
