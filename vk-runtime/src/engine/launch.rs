//! A launch of a kernel: its dispatches with their pipelines, and its encoded arguments. The public objects
//! make launches (`objects::command::launch`).

use crate::engine::arguments::Encoded;
use crate::engine::device_enqueue::Founder;
use crate::engine::loop_watch::LoopWatch;
use crate::engine::nd_range::Dispatch;
use crate::engine::pipeline::Pipeline;
use crate::engine::print::PrintBuffer;
use crate::engine::reports::ReportBuffer;
use clvk_interface::BufferLocation;
use smallvec::SmallVec;
use std::any::Any;
use std::cell::RefCell;
use std::sync::Arc;

/// A dispatch, and the pipeline for its work-group size.
pub(crate) type Step = (Dispatch, Arc<Pipeline>);

/// A launch of a kernel: one or more dispatches.
#[derive(Default)]
pub(crate) struct Launch {
    pub(crate) steps: SmallVec<[Step; 1]>,
    pub(crate) encoded: Encoded,
    /// Where the number of a dispatch's first work-group goes.
    pub(crate) group_offset: Option<u32>,
    /// How the kernel reaches the argument buffer.
    pub(crate) argument_buffer: Option<BufferLocation>,
    /// Where it prints.
    pub(crate) print_buffer: Option<PrintBuffer>,
    /// Where it reports that loops were ended early.
    pub(crate) loop_watch: Option<LoopWatch>,
    /// Where it leaves reports, if it is sanitized.
    pub(crate) reports: Option<Box<ReportBuffer>>,
    /// Its dispatches share private memory, so they must run one after the other.
    pub(crate) in_turn: bool,
    /// Whether it may write memory that the host reads without a copy.
    pub(crate) for_host: bool,
    /// What must live until the launch has its place in the device's order of work.
    pub(crate) hold: Option<Box<dyn Any + Send + Sync>>,
    /// Set if its kernel enqueues others; [`device_enqueue::run`](crate::engine::device_enqueue::run) runs
    /// it.
    pub(crate) founder: Option<Box<Founder>>,
}

/// Spare launches that a thread keeps.
const MOST_SPARE: usize = 128;

/// Launches are large, so they stay in boxes.
type Spares = Vec<Box<Launch>>;

thread_local! {
    /// Emptied launches that the thread has recorded. It reuses their memory for new ones, so that launching
    /// does not allocate.
    static SPARES: RefCell<Spares> = const { RefCell::new(Vec::new()) };
}

impl Launch {
    /// A launch to fill in. Fields that own nothing still hold values of an earlier launch.
    pub(crate) fn spare() -> Box<Self> {
        // A thread that ends no longer has any.
        SPARES.try_with(|spares| spares.borrow_mut().pop()).ok().flatten().unwrap_or_default()
    }

    /// Keeps it for reuse; it no longer owns anything.
    pub(crate) fn put_back(mut self: Box<Self>) {
        self.hold = None;
        let _ = SPARES.try_with(|spares| {
            let mut spares = spares.borrow_mut();
            if spares.len() < MOST_SPARE {
                spares.push(self);
            }
        });
    }
}
