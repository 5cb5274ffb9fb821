//! The types that cross the border to C: the only place where the application's memory is read and written.
//!
//! The types here are the parameters of the entry points. Safe code cannot create them: their values come
//! from an application that calls an entry point. The application vouches for what the OpenCL specification
//! demands of its pointers: they are null, or valid for as many elements as the call says, until the call
//! returns. Under that premise the methods are safe. They read and write unaligned, since the specification
//! does not demand alignment.
//!
//! Not here: handles, which are looked up and never dereferenced ([`crate::handle`]), and the memory of
//! commands that outlives a call, which the runtime reads and writes ([`HostMemory`] only carries its
//! address).

use crate::code::{self, Result};
use smallvec::SmallVec;
use std::ffi::{CStr, c_char, c_void};
use std::os::fd::{BorrowedFd, FromRawFd, OwnedFd};

/// Calls a function when the process ends, or the library is unloaded.
pub fn at_exit(function: fn()) {
    static FUNCTION: std::sync::OnceLock<fn()> = std::sync::OnceLock::new();
    extern "C" fn call() {
        if let Some(function) = FUNCTION.get() {
            // A panic must not reach C, and there is nobody left to tell.
            let _ = std::panic::catch_unwind(function);
        }
    }
    unsafe extern "C" {
        fn atexit(function: extern "C" fn()) -> std::ffi::c_int;
    }
    if FUNCTION.set(function).is_ok() {
        // SAFETY: the function lives as long as the library, whose unloading calls it first.
        unsafe { atexit(call) };
    }
}

/// An array that the application passes.
#[repr(transparent)]
pub struct In<T>(*const T);

impl<T> Clone for In<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for In<T> {}

impl<T> In<T> {
    /// No array.
    pub const NULL: In<T> = In(std::ptr::null());

    /// Whether it is null.
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }
}

impl<T: Copy> In<T> {
    /// The first element; `None` if the pointer is null.
    pub fn get(self) -> Option<T> {
        // SAFETY: not null, so the application vouches for one element (see the module).
        (!self.0.is_null()).then(|| unsafe { self.0.read_unaligned() })
    }

    /// The first element, or else `CL_INVALID_VALUE`.
    pub fn required(self) -> Result<T> {
        self.get().ok_or(code::INVALID_VALUE)
    }

    /// `count` elements; `None` if the pointer is null.
    pub fn list(self, count: usize) -> Option<SmallVec<[T; 8]>> {
        // SAFETY: not null, so the application vouches for `count` elements (see the module).
        (!self.0.is_null())
            .then(|| (0..count).map(|index| unsafe { self.0.add(index).read_unaligned() }).collect())
    }

    /// Three elements: the first `count` come from the application, and the others are `rest`. `None` if the
    /// pointer is null.
    pub fn padded(self, count: usize, rest: T) -> Option<[T; 3]> {
        let element = |index| {
            if index >= count {
                return rest;
            }
            // SAFETY: not null (below), so the application vouches for `count` elements (see the module).
            unsafe { self.0.add(index).read_unaligned() }
        };
        (!self.0.is_null()).then(|| [0, 1, 2].map(element))
    }

    /// Three elements, or else `CL_INVALID_VALUE`.
    pub fn triple(self) -> Result<[T; 3]> {
        self.list(3).and_then(|list| list[..].try_into().ok()).ok_or(code::INVALID_VALUE)
    }

    /// The fourth element, or else `CL_INVALID_VALUE`.
    pub fn fourth(self) -> Result<T> {
        self.list(4).map(|list| list[3]).ok_or(code::INVALID_VALUE)
    }

    /// A list of names and values that ends with a zero, as property lists do; empty if the pointer is null.
    pub fn properties(self) -> Vec<(T, T)>
    where
        T: Default + PartialEq,
    {
        let mut list = Vec::new();
        if self.0.is_null() {
            return list;
        }
        loop {
            // SAFETY: not null, and the application ends the list with a zero (see the module).
            let name = unsafe { self.0.add(2 * list.len()).read_unaligned() };
            if name == T::default() {
                return list;
            }
            // SAFETY: after a name that is not zero there is a value.
            let value = unsafe { self.0.add(2 * list.len() + 1).read_unaligned() };
            list.push((name, value));
        }
    }

    /// The same, but the values of some names are lists; each list ends with its own zero.
    pub fn properties_with_lists(self, has_list: impl Fn(T) -> bool) -> Vec<(T, Vec<T>)>
    where
        T: Default + PartialEq,
    {
        let mut list = Vec::new();
        let mut place = 0;
        // SAFETY: only called where the pointer is not null and no zero has ended the list, so there is
        // another element (see the module).
        let mut next = || unsafe {
            place += 1;
            self.0.add(place - 1).read_unaligned()
        };
        while !self.0.is_null() {
            let name = next();
            if name == T::default() {
                break;
            }
            let mut values = vec![next()];
            if has_list(name) {
                while values.last() != Some(&T::default()) {
                    values.push(next());
                }
                values.pop();
            }
            list.push((name, values));
        }
        list
    }

    /// The elements of a list before the zero that ends it; empty if the pointer is null.
    pub fn until_zero(self) -> Vec<T>
    where
        T: Default + PartialEq,
    {
        let mut list = Vec::new();
        while !self.0.is_null() {
            // SAFETY: not null, and the application ends the list with a zero (see the module).
            let element = unsafe { self.0.add(list.len()).read_unaligned() };
            if element == T::default() {
                break;
            }
            list.push(element);
        }
        list
    }
}

impl<'call, T> In<T> {
    /// The driver's own memory, for as long as it lives.
    pub fn of(list: &'call [T]) -> Self {
        In(list.as_ptr())
    }

    /// The same as bytes.
    pub fn untyped(self) -> In<c_void> {
        In(self.0.cast())
    }
}

impl In<c_void> {
    /// Its distance from another pointer, in bytes.
    pub fn distance_from(self, start: In<c_void>) -> usize {
        (self.0 as usize).wrapping_sub(start.0 as usize)
    }

    /// `size` bytes, kept without an allocation if they are few; `None` if the pointer is null.
    pub fn bytes(self, size: usize) -> Option<SmallVec<[u8; 16]>> {
        // SAFETY: not null, so the application vouches for `size` bytes (see the module).
        (!self.0.is_null()).then(|| unsafe { std::slice::from_raw_parts(self.0.cast::<u8>(), size) }.into())
    }

    /// As many sizes as fit `size` bytes.
    pub fn list_of_sizes(self, size: usize) -> Vec<usize> {
        let list = In(self.0.cast::<usize>()).list(size / size_of::<usize>());
        list.map(|list| list.to_vec()).unwrap_or_default()
    }

    /// A value at the start.
    pub fn read<T: Plain>(self) -> Option<T> {
        In(self.0.cast::<T>()).get()
    }
}

impl In<u8> {
    /// `size` bytes; `None` if the pointer is null.
    pub fn block(self, size: usize) -> Option<Vec<u8>> {
        self.read(size, <[u8]>::to_vec)
    }

    /// What a function makes of `size` bytes; `None` if the pointer is null.
    pub fn read<R>(self, size: usize, read: impl FnOnce(&[u8]) -> R) -> Option<R> {
        // SAFETY: not null, so the application vouches for `size` bytes (see the module).
        (!self.0.is_null()).then(|| read(unsafe { std::slice::from_raw_parts(self.0, size) }))
    }
}

impl In<c_char> {
    /// The text up to the zero, with replacement characters for what is not UTF-8; `None` if the pointer is
    /// null.
    pub fn text(self) -> Option<String> {
        // SAFETY: not null, so the application gives text with a zero at its end (see the module).
        (!self.0.is_null()).then(|| unsafe { CStr::from_ptr(self.0) }.to_string_lossy().into_owned())
    }

    /// The bytes up to the zero, or as many as `length` says if that is not 0; `None` if the pointer is null.
    pub fn text_of(self, length: usize) -> Option<Vec<u8>> {
        if length > 0 {
            return In(self.0.cast::<u8>()).block(length);
        }
        // SAFETY: as in `text`.
        (!self.0.is_null()).then(|| unsafe { CStr::from_ptr(self.0) }.to_bytes().to_vec())
    }
}

/// A place for a result: for one value or an array, or null if the application does not want it.
#[repr(transparent)]
pub struct Out<T>(*mut T);

impl<T> Clone for Out<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Out<T> {}

impl<T> Out<T> {
    /// The result is not wanted.
    pub const NULL: Out<T> = Out(std::ptr::null_mut());

    /// Whether it is null.
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }
}

impl<T: Copy> Out<T> {
    /// Writes a value, if it is wanted.
    pub fn set(self, value: T) {
        self.set_at(0, value);
    }

    /// Writes the element at this position, if the array is wanted.
    pub fn set_at(self, index: usize, value: T) {
        if !self.0.is_null() {
            // SAFETY: not null, so the application vouches for the elements that the call gives (see the
            // module).
            unsafe { self.0.add(index).write_unaligned(value) }
        }
    }
}

impl Out<c_void> {
    /// Writes bytes, if they are wanted.
    pub fn set_bytes(self, bytes: &[u8]) {
        if !self.0.is_null() {
            // SAFETY: not null, so the application vouches for the bytes that the call writes; the driver's
            // memory does not overlap with the application's.
            unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.0.cast::<u8>(), bytes.len()) }
        }
    }

    /// The pointer at this position of an array of pointers; null if there is no array.
    pub fn pointer_at(self, index: usize) -> Out<c_void> {
        if self.0.is_null() {
            return self;
        }
        // SAFETY: not null, so the application vouches for the elements of the array (see the module).
        Out(unsafe { self.0.cast::<*mut c_void>().add(index).read_unaligned() })
    }
}

/// A file descriptor of the application, for as long as a call; `CL_INVALID_VALUE` if it cannot be one.
pub fn descriptor<'call>(number: i32) -> Result<BorrowedFd<'call>> {
    code::ensure(number >= 0, code::INVALID_VALUE)?;
    // SAFETY: not -1, and the application vouches for it until the call returns (see the module). If it is
    // not open, the system reports that.
    Ok(unsafe { BorrowedFd::borrow_raw(number) })
}

/// Closes a descriptor that the application has handed over.
pub fn close(number: i32) {
    // SAFETY: the application gives up the descriptor with the call that hands it over (see the module).
    drop(unsafe { OwnedFd::from_raw_fd(number) });
}

/// Memory of the application that a command or an object uses beyond the call. Nothing here reads or writes
/// it.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostMemory(*mut c_void);

// SAFETY: it is only an address; callers that dereference it must uphold its validity (see `vk_runtime`).
unsafe impl Send for HostMemory {}
// SAFETY: as above.
unsafe impl Sync for HostMemory {}

impl HostMemory {
    /// No memory.
    pub const NULL: HostMemory = HostMemory(std::ptr::null_mut());

    /// Whether it is null.
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// The address.
    pub fn pointer(self) -> *mut u8 {
        self.0.cast()
    }

    /// The address, or else `CL_INVALID_VALUE`.
    pub fn place(self) -> Result<std::ptr::NonNull<u8>> {
        std::ptr::NonNull::new(self.pointer()).ok_or(code::INVALID_VALUE)
    }

    /// The place `offset` bytes on.
    #[must_use]
    pub fn offset(self, offset: usize) -> HostMemory {
        HostMemory(self.0.wrapping_byte_add(offset))
    }

    /// The driver's own memory, to pass to the application.
    pub fn of(pointer: *mut u8) -> HostMemory {
        HostMemory(pointer.cast())
    }

    /// `size` bytes of it, to be read during the call; `None` if it is null.
    pub fn view<'call>(self, size: usize) -> Option<&'call [u8]> {
        // SAFETY: not null, so the application vouches for `size` bytes until the call returns (see the
        // module).
        (!self.0.is_null()).then(|| unsafe { std::slice::from_raw_parts(self.pointer(), size) })
    }
}

/// A pointer of the application that is handed back unchanged.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct UserData(*mut c_void);

// SAFETY: it is only handed back; the specification allows callbacks from any thread.
unsafe impl Send for UserData {}
// SAFETY: as above.
unsafe impl Sync for UserData {}

impl UserData {
    /// The same as a parameter that may be null.
    pub fn as_input(self) -> In<c_void> {
        In(self.0)
    }
}

/// Types without padding and without invalid bit patterns.
///
/// # Safety
/// Every byte of a value is initialised, and all bytes make a value.
pub unsafe trait Plain: Copy {}

macro_rules! plain {
    ($($ty:ty),* $(,)?) => {
        $(
            // SAFETY: integers, pointers, or structures of them without padding.
            unsafe impl Plain for $ty {}
        )*
    };
}

plain!(u8, i32, u32, i64, u64, isize, usize, HostMemory);
plain!(crate::cl::cl_name_version, crate::cl::cl_image_format, crate::cl::cl_buffer_region);
plain!([u8; 16], [u8; 8]);

/// The bytes of a value.
pub fn bytes_of<T: Plain>(value: &T) -> &[u8] {
    // SAFETY: every byte of a plain value is initialised.
    unsafe { std::slice::from_raw_parts(std::ptr::from_ref(value).cast::<u8>(), size_of::<T>()) }
}

/// Functions of the application. They may be called from any thread.
pub mod callback {
    use super::{HostMemory, UserData};
    use crate::cl::{cl_int, size_t};
    use std::ffi::{c_char, c_void};

    /// `pfn_notify` of a context: error text, private data, its size, user data.
    pub type ContextNotify = Option<unsafe extern "C" fn(*const c_char, *const c_void, size_t, *mut c_void)>;
    /// A function that gets an object and the user data.
    pub type ObjectNotify = Option<unsafe extern "C" fn(*mut c_void, *mut c_void)>;
    /// A function that gets an event, its status and the user data.
    pub type EventNotify = Option<unsafe extern "C" fn(*mut c_void, cl_int, *mut c_void)>;
    /// A native kernel.
    pub type Native = Option<unsafe extern "C" fn(*mut c_void)>;
    /// A function that frees shared virtual memory.
    pub type SvmFree = Option<unsafe extern "C" fn(*mut c_void, u32, *mut *mut c_void, *mut c_void)>;

    /// A function with its user data, called at most once.
    #[derive(Clone, Copy)]
    pub struct OnObject {
        function: unsafe extern "C" fn(*mut c_void, *mut c_void),
        data: UserData,
    }

    impl OnObject {
        /// `None` if the function is null.
        pub fn new(function: ObjectNotify, data: UserData) -> Option<Self> {
            function.map(|function| OnObject { function, data })
        }

        /// Calls it with an object's handle.
        pub fn call(self, handle: *const c_void) {
            // SAFETY: the application registered the function for this call with this data.
            unsafe { (self.function)(handle.cast_mut(), self.data.0) }
        }
    }

    /// Where a context reports errors.
    #[derive(Clone, Copy)]
    pub struct OnError {
        function: unsafe extern "C" fn(*const c_char, *const c_void, size_t, *mut c_void),
        data: UserData,
    }

    impl OnError {
        /// `None` if the function is null.
        pub fn new(function: ContextNotify, data: UserData) -> Option<Self> {
            function.map(|function| OnError { function, data })
        }

        /// Calls it with a text.
        pub fn call(self, text: &str) {
            let text = std::ffi::CString::new(text.replace('\0', " ")).unwrap_or_default();
            // SAFETY: the application registered the function for texts and this data; there is no private
            // information.
            unsafe { (self.function)(text.as_ptr(), std::ptr::null(), 0, self.data.0) }
        }
    }

    /// Where the kernels of a context print (`cl_arm_printf`).
    #[derive(Clone, Copy)]
    pub struct PrintNotify(unsafe extern "C" fn(*const c_char, size_t, size_t, *mut c_void));

    impl PrintNotify {
        /// From the value of a property; `None` if it is zero.
        pub fn from_word(word: isize) -> Option<Self> {
            // SAFETY: a pointer to a function has the size of a word, and none is a zero. The application
            // vouches that it is one of this type.
            let function = unsafe { std::mem::transmute::<isize, Option<_>>(word) };
            function.map(PrintNotify)
        }

        /// Calls it with a text, after which nothing is left in the launch's buffer.
        pub fn call(self, text: &[u8], data: UserData) {
            // SAFETY: the application registered the function for texts of this length and this data.
            unsafe { (self.0)(text.as_ptr().cast(), text.len(), 1, data.0) }
        }
    }

    /// Makes the application free shared memory.
    pub fn call_svm_free(
        function: unsafe extern "C" fn(*mut c_void, u32, *mut *mut c_void, *mut c_void),
        queue: usize,
        mut pointers: Vec<HostMemory>,
        data: UserData,
    ) {
        let count = pointers.len() as u32;
        // SAFETY: the application asked for this call with these pointers; the list has as many as it says.
        unsafe { function(queue as *mut c_void, count, pointers.as_mut_ptr().cast(), data.0) }
    }

    /// Copies memory of the application, which vouches for it until the command is complete.
    pub fn copy(to: HostMemory, from: HostMemory, size: usize) {
        // SAFETY: as the application promises. The ranges were checked not to overlap, and an overlap would
        // be harmless.
        unsafe { std::ptr::copy(from.pointer(), to.pointer(), size) }
    }

    /// A callback of an event.
    #[derive(Clone, Copy)]
    pub struct OnEvent {
        function: unsafe extern "C" fn(*mut c_void, cl_int, *mut c_void),
        data: UserData,
    }

    impl OnEvent {
        /// `None` if the function is null.
        pub fn new(function: EventNotify, data: UserData) -> Option<Self> {
            function.map(|function| OnEvent { function, data })
        }

        /// Calls it with an event's handle and a status.
        pub fn call(self, handle: *const c_void, status: cl_int) {
            // SAFETY: the application registered the function for this call with this data.
            unsafe { (self.function)(handle.cast_mut(), status, self.data.0) }
        }
    }

    /// A native kernel with the copy of its arguments.
    pub fn call_native(function: unsafe extern "C" fn(*mut c_void), arguments: &mut [u8]) {
        // SAFETY: the application asked for this call with these arguments.
        unsafe { function(arguments.as_mut_ptr().cast()) }
    }

    /// Writes an address into the copy of a native kernel's arguments.
    pub fn put_pointer(arguments: &mut [u8], offset: usize, pointer: HostMemory) -> Option<()> {
        let place = arguments.get_mut(offset..offset.checked_add(size_of::<usize>())?)?;
        place.copy_from_slice(&(pointer.pointer() as usize).to_ne_bytes());
        Some(())
    }
}
