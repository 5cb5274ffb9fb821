//! The threads of a device that compile pipelines before launches ask for them.
//!
//! Threads begin with the first jobs and end with the device, which waits for the jobs that have begun. When
//! the process exits, no job begins any more, and the exit waits for those that have begun: drivers unload
//! their compilers in handlers of the exit, and crash if a thread is still in one. A process that was forked
//! has none of the threads, so nothing there waits for them.

use crate::vulkan::handle::lock;
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, Once, PoisonError, Weak};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Something to do. It must not own the device, or anything that owns it.
pub(crate) type Job = Box<dyn FnOnce() + Send>;

/// The owner of the threads.
pub(crate) struct CompilePool {
    shared: Arc<Shared>,
}

/// Gives jobs to the threads.
#[derive(Clone)]
pub(crate) struct CompileQueue {
    shared: Arc<Shared>,
}

struct Shared {
    state: Mutex<State>,
    /// There is a job, or the end has come.
    work: Condvar,
    /// A thread has nothing to do any more.
    done: Condvar,
    most_threads: usize,
    /// The process that the threads are in.
    process: u32,
}

#[derive(Default)]
struct State {
    jobs: VecDeque<Job>,
    threads: Vec<JoinHandle<()>>,
    /// Threads with a job.
    busy: usize,
    closed: bool,
}

/// Jobs that may wait. Launches compile for themselves what is not among them.
const MOST_WAITING: usize = 1024;

/// The stack of a thread: twice what the main thread of a process has, because drivers' compilers recurse as
/// deeply as the code nests, and were tested there. Only what is used takes memory.
const STACK: usize = 16 << 20;

/// How long the exit of the process waits for a compilation.
const EXIT_WAIT: Duration = Duration::from_secs(60);

impl CompilePool {
    /// At most this many threads; none yet.
    pub(crate) fn new(most_threads: usize) -> Self {
        let state = Mutex::new(State { closed: most_threads == 0, ..State::default() });
        let (work, done, process) = (Condvar::new(), Condvar::new(), std::process::id());
        CompilePool { shared: Arc::new(Shared { state, work, done, most_threads, process }) }
    }

    /// Gives jobs to its threads.
    pub(crate) fn queue(&self) -> CompileQueue {
        CompileQueue { shared: Arc::clone(&self.shared) }
    }

    /// Waits until there is nothing left to do.
    pub(crate) fn finish(&self) {
        if self.shared.is_here() {
            let busy = |state: &mut State| state.busy > 0 || !state.jobs.is_empty();
            let state = lock(&self.shared.state);
            drop(self.shared.done.wait_while(state, busy).unwrap_or_else(PoisonError::into_inner));
        }
    }
}

impl Drop for CompilePool {
    fn drop(&mut self) {
        if !self.shared.is_here() {
            return;
        }
        let mut state = self.shared.close();
        let threads = std::mem::take(&mut state.threads);
        drop(state);
        for thread in threads {
            // It does not panic, and there is nothing to do about it if it does.
            let _ = thread.join();
        }
    }
}

impl CompileQueue {
    /// Whether there are threads.
    pub(crate) fn is_open(&self) -> bool {
        !lock(&self.shared.state).closed
    }

    /// Has a thread do a job, before all others that wait if it is urgent; false if it will not be done.
    pub(crate) fn add(&self, job: Job, urgent: bool) -> bool {
        let shared = &self.shared;
        let mut state = lock(&shared.state);
        if state.closed || state.jobs.len() >= MOST_WAITING || !shared.is_here() {
            return false;
        }
        let threads = state.threads.len();
        if threads < shared.most_threads && threads < state.busy + state.jobs.len() + 1 {
            let own = Arc::clone(shared);
            let thread = std::thread::Builder::new().name("clvk compile".to_owned()).stack_size(STACK);
            match thread.spawn(move || own.work()) {
                Ok(thread) => state.threads.push(thread),
                Err(error) => tracing::debug!(%error, "could not start a thread that compiles"),
            }
            at_exit::register(shared);
        }
        if state.threads.is_empty() {
            return false;
        }
        if urgent {
            state.jobs.push_front(job);
        } else {
            state.jobs.push_back(job);
        }
        drop(state);
        shared.work.notify_one();
        true
    }
}

impl Shared {
    /// Whether this is the process with the threads.
    fn is_here(&self) -> bool {
        std::process::id() == self.process
    }

    /// Forgets the jobs that have not begun.
    fn close(&self) -> MutexGuard<'_, State> {
        let mut state = lock(&self.state);
        state.closed = true;
        let jobs = std::mem::take(&mut state.jobs);
        drop(state);
        // Not under the lock: a job may hold the last handle of something.
        drop(jobs);
        self.work.notify_all();
        self.done.notify_all();
        lock(&self.state)
    }

    /// What each thread does.
    fn work(&self) {
        let mut state = lock(&self.state);
        loop {
            let idle = |state: &mut State| state.jobs.is_empty() && !state.closed;
            state = self.work.wait_while(state, idle).unwrap_or_else(PoisonError::into_inner);
            let Some(job) = state.jobs.pop_front() else { return };
            state.busy += 1;
            drop(state);
            if std::panic::catch_unwind(std::panic::AssertUnwindSafe(job)).is_err() {
                tracing::error!("the compilation of a kernel in the background panicked");
            }
            state = lock(&self.state);
            state.busy -= 1;
            self.done.notify_all();
        }
    }

    /// Begins no jobs any more, and waits for those that have begun, but not forever.
    fn exit(&self) {
        if !self.is_here() {
            return;
        }
        let end = Instant::now() + EXIT_WAIT;
        let mut state = self.close();
        while state.busy > 0 && Instant::now() < end {
            let left = end.saturating_duration_since(Instant::now());
            state = self.done.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// What happens when the process exits, or the library is unloaded.
mod at_exit {
    use super::{Mutex, Once, Shared, Weak, lock};
    use std::ffi::c_int;
    use std::sync::Arc;

    static POOLS: Mutex<Vec<Weak<Shared>>> = Mutex::new(Vec::new());

    /// Notes a pool whose thread has started. The handler is registered after the driver was loaded, so it
    /// comes before the driver's own.
    pub(super) fn register(pool: &Arc<Shared>) {
        static ONCE: Once = Once::new();
        unsafe extern "C" {
            fn atexit(function: extern "C" fn()) -> c_int;
        }
        let mut pools = lock(&POOLS);
        pools.retain(|known| known.strong_count() > 0);
        if !pools.iter().any(|known| std::ptr::eq(known.as_ptr(), Arc::as_ptr(pool))) {
            pools.push(Arc::downgrade(pool));
        }
        drop(pools);
        ONCE.call_once(|| {
            // SAFETY: the function lives as long as the library, whose unloading calls it first.
            unsafe { atexit(exit) };
        });
    }

    extern "C" fn exit() {
        // A panic must not reach C, and there is nobody left to tell. In a process that was forked, the list
        // may be locked forever.
        let _ = std::panic::catch_unwind(|| {
            let Ok(pools) = POOLS.try_lock().map(|mut pools| std::mem::take(&mut *pools)) else { return };
            for pool in pools.iter().filter_map(Weak::upgrade) {
                pool.exit();
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::sync::mpsc::{Receiver, Sender, channel};

    /// A job that says when it begins, and waits until it may end.
    fn held(done: &Arc<AtomicU32>) -> (Job, Receiver<()>, Sender<()>) {
        let ((begins, begun), (end, may_end)) = (channel(), channel::<()>());
        let done = Arc::clone(done);
        let job = move || {
            begins.send(()).unwrap();
            may_end.recv().unwrap();
            done.fetch_add(1, Ordering::Relaxed);
        };
        (Box::new(job), begun, end)
    }

    #[test]
    fn jobs_run_side_by_side_on_as_many_threads_as_there_may_be() {
        let (pool, done) = (CompilePool::new(2), Arc::default());
        let jobs: Vec<_> = (0..3).map(|_| held(&done)).collect();
        let mut ends = Vec::new();
        let mut begun = Vec::new();
        for (job, begins, end) in jobs {
            assert!(pool.queue().add(job, false));
            begun.push(begins);
            ends.push(end);
        }
        // Neither needs the other's end.
        begun[0].recv().unwrap();
        begun[1].recv().unwrap();
        assert!(begun[2].try_recv().is_err(), "there are two threads");
        ends.iter().for_each(|end| end.send(()).unwrap());
        pool.finish();
        assert_eq!(done.load(Ordering::Relaxed), 3);
        assert!(!CompilePool::new(0).queue().add(Box::new(|| ()), false), "there are no threads");
    }

    #[test]
    fn the_end_waits_for_what_has_begun_and_forgets_the_rest() {
        type End = fn(CompilePool);
        let ends: [End; 2] = [drop, |pool| pool.shared.exit()];
        for end in ends {
            let (pool, done) = (CompilePool::new(1), Arc::default());
            let (job, begun, may_end) = held(&done);
            let (other, _, _keep) = held(&done);
            let queue = pool.queue();
            assert!(queue.add(job, false) && queue.add(other, true));
            begun.recv().unwrap();
            let ending = std::thread::spawn(move || end(pool));
            // It is closed before it waits.
            while queue.is_open() {
                std::thread::yield_now();
            }
            assert!(!queue.add(Box::new(|| ()), false));
            assert_eq!(done.load(Ordering::Relaxed), 0);
            may_end.send(()).unwrap();
            ending.join().unwrap();
            assert_eq!(done.load(Ordering::Relaxed), 1);
        }
    }

    #[test]
    fn urgent_jobs_come_first() {
        let (pool, order) = (CompilePool::new(1), Arc::new(Mutex::new(Vec::new())));
        let (job, begun, may_end) = held(&Arc::default());
        assert!(pool.queue().add(job, false));
        begun.recv().unwrap();
        for (name, urgent) in [("first", false), ("second", false), ("urgent", true)] {
            let order = Arc::clone(&order);
            assert!(pool.queue().add(Box::new(move || lock(&order).push(name)), urgent));
        }
        may_end.send(()).unwrap();
        pool.finish();
        assert_eq!(*lock(&order), ["urgent", "first", "second"]);
    }

    #[test]
    fn a_job_that_panics_ends_no_thread() {
        let pool = CompilePool::new(1);
        assert!(pool.queue().add(Box::new(|| panic!("for the test")), false));
        let done = Arc::new(AtomicU32::new(0));
        let counted = Arc::clone(&done);
        let count = move || {
            counted.fetch_add(1, Ordering::Relaxed);
        };
        assert!(pool.queue().add(Box::new(count), false));
        pool.finish();
        assert_eq!(done.load(Ordering::Relaxed), 1);
    }
}
