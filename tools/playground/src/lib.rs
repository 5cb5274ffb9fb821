//! The compiler as a WebAssembly module: what the page in `page/` calls, in a worker.
//!
//! A request and its answer are JSON texts ([`api`]). The page writes a request to the memory at [`request`],
//! calls [`answer`], and reads the answer at [`answer_text`]. The module imports nothing: it has no files, no
//! clock and no threads.
//!
//! A panic ends the module. [`panic_text`] still tells what happened, and the page then starts another one.
//! So does a request that overflows the browser's stack.
#![deny(unsafe_code)]

mod api;

use std::cell::RefCell;
use std::sync::Once;

pub use api::respond;

thread_local! {
    static REQUEST: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static ANSWER: RefCell<String> = const { RefCell::new(String::new()) };
    static PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Makes room for a request of `length` bytes of UTF-8, and says where. The place is valid until the next
/// call of this function or of [`answer`].
// SAFETY: no other function of the module has this name.
#[allow(unsafe_code)]
#[unsafe(no_mangle)]
pub extern "C" fn request(length: usize) -> *mut u8 {
    keep_panics();
    REQUEST.with_borrow_mut(|request| {
        request.clear();
        request.resize(length, 0);
        request.as_mut_ptr()
    })
}

/// Answers the request. Gives the answer's length in bytes.
// SAFETY: as above.
#[allow(unsafe_code)]
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> usize {
    let request = REQUEST.take();
    let text = respond(&String::from_utf8_lossy(&request));
    ANSWER.with_borrow_mut(|answer| {
        *answer = text;
        answer.len()
    })
}

/// Where the answer is, until the next call of [`answer`].
// SAFETY: as above.
#[allow(unsafe_code)]
#[unsafe(no_mangle)]
pub extern "C" fn answer_text() -> *const u8 {
    ANSWER.with_borrow(|answer| answer.as_ptr())
}

/// The length in bytes of [`panic_text`]; 0 if nothing has panicked.
// SAFETY: as above.
#[allow(unsafe_code)]
#[unsafe(no_mangle)]
pub extern "C" fn panic_length() -> usize {
    PANIC.with_borrow(String::len)
}

/// What the last panic said.
// SAFETY: as above.
#[allow(unsafe_code)]
#[unsafe(no_mangle)]
pub extern "C" fn panic_text() -> *const u8 {
    PANIC.with_borrow(|text| text.as_ptr())
}

/// Keeps the text of a panic, which ends this module.
fn keep_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| std::panic::set_hook(Box::new(|panic| PANIC.set(panic.to_string()))));
}
