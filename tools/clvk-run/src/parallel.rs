//! Work on all processors.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes of a thread's stack: as much as the first thread of a process usually has.
const STACK: usize = 8 << 20;

/// The results of a function for each item, in order, computed on all processors.
pub fn in_parallel<T: Sync, R: Send>(items: &[T], function: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(items.len());
    let next = AtomicUsize::new(0);
    let work = || {
        let taken = std::iter::from_fn(|| Some(next.fetch_add(1, Ordering::Relaxed)));
        let taken = taken.map_while(|index| Some((index, items.get(index)?)));
        taken.map(|(index, item)| (index, function(item))).collect::<Vec<_>>()
    };
    let mut results = std::thread::scope(|scope| {
        let start = || std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work).ok();
        let workers: Vec<_> = (1..threads).map_while(|_| start()).collect();
        let mut results = work();
        for worker in workers {
            results.extend(worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        results
    });
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}
