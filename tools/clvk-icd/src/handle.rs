//! Handles: the application's references to objects, and which of them are live.
//!
//! A handle is the address of an object, whose first word is the dispatch table, as the ICD loader demands. A
//! handle from the application is never dereferenced unchecked: every type has a [`Registry`] of its live
//! objects, and a handle that is not in it gives the type's error code.
//!
//! For each type, a thread remembers the object that it has looked up last, without keeping it alive. If that
//! object is still live, it need not be looked up again. As long as it is remembered, its address is not
//! reused.
//!
//! The registry counts the application's references, and owns the object while there are any. Objects own
//! each other by [`Arc`]: a context lives as long as its buffers, and its handle is valid as long as it
//! lives.

use crate::code::{Code, Result};
use crate::dispatch::{self, Dispatch};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::cell::RefCell;
use std::ffi::c_void;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, Weak};
use std::thread::LocalKey;

/// A type that has handles. Its first field, in C's order, is its [`Header`].
pub trait Object: Send + Sync + Sized + 'static {
    /// The error code of an invalid handle.
    const INVALID: Code;

    /// The live objects.
    fn registry() -> &'static Registry<Self>;

    /// The object that the thread has looked up last.
    fn last() -> &'static LocalKey<RefCell<Weak<Self>>>;
}

/// Implements [`Object`] for types that have a [`Header`] as their first field.
macro_rules! object {
    ($ty:ty, $code:expr) => {
        impl crate::handle::Object for $ty {
            const INVALID: crate::code::Code = $code;

            fn registry() -> &'static crate::handle::Registry<Self> {
                static LIVE: crate::handle::Registry<$ty> = crate::handle::Registry::new();
                &LIVE
            }

            fn last() -> &'static std::thread::LocalKey<std::cell::RefCell<std::sync::Weak<Self>>> {
                thread_local! {
                    static LAST: std::cell::RefCell<std::sync::Weak<$ty>> =
                        const { std::cell::RefCell::new(std::sync::Weak::new()) };
                }
                &LAST
            }
        }

        const _: () = assert!(std::mem::offset_of!($ty, header) == 0);
    };
}
pub(crate) use object;

/// The first field of an object: the dispatch table. Its drop removes the object from the registry.
#[repr(C)]
pub struct Header<T: Object> {
    dispatch: &'static Dispatch,
    object: std::marker::PhantomData<fn() -> T>,
}

impl<T: Object> Header<T> {
    /// For a new object.
    pub(crate) fn new() -> Self {
        Header { dispatch: dispatch::table(), object: std::marker::PhantomData }
    }
}

impl<T: Object> Drop for Header<T> {
    fn drop(&mut self) {
        let address = std::ptr::from_ref(self) as usize;
        drop(T::registry().write().remove(&address));
    }
}

/// The live objects of a type, by address.
pub struct Registry<T> {
    live: RwLock<FxHashMap<usize, Entry<T>>>,
}

struct Entry<T> {
    /// Keeps the address from being given to another object.
    object: Weak<T>,
    /// The application's share, while it has references.
    owner: Option<Arc<T>>,
    references: u32,
}

impl<T: Object> Registry<T> {
    /// An empty registry.
    pub(crate) const fn new() -> Self {
        Registry { live: RwLock::new(FxHashMap::with_hasher(rustc_hash::FxBuildHasher)) }
    }

    fn read(&self) -> RwLockReadGuard<'_, FxHashMap<usize, Entry<T>>> {
        self.live.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, FxHashMap<usize, Entry<T>>> {
        self.live.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn find(&self, address: usize) -> Result<Arc<T>> {
        self.read().get(&address).and_then(|entry| entry.object.upgrade()).ok_or(T::INVALID)
    }

    /// References that the application has.
    fn references(&self, object: &T) -> u32 {
        self.read().get(&(std::ptr::from_ref(object) as usize)).map_or(0, |entry| entry.references)
    }

    fn retain(&self, address: usize) -> Result<()> {
        let mut live = self.write();
        let entry = live.get_mut(&address).ok_or(T::INVALID)?;
        if entry.owner.is_none() {
            entry.owner = Some(entry.object.upgrade().ok_or(T::INVALID)?);
        }
        entry.references += 1;
        Ok(())
    }

    fn release(&self, address: usize) -> Result<()> {
        let mut live = self.write();
        let entry = live.get_mut(&address).ok_or(T::INVALID)?;
        entry.references = entry.references.checked_sub(1).ok_or(T::INVALID)?;
        let last = if entry.references == 0 { entry.owner.take() } else { None };
        // The object removes itself from the registry, and may release others.
        drop(live);
        drop(last);
        Ok(())
    }

    fn insert(&self, object: Arc<T>) {
        let address = Arc::as_ptr(&object) as usize;
        let entry = Entry { object: Arc::downgrade(&object), owner: Some(object), references: 1 };
        self.write().insert(address, entry);
    }
}

/// A handle as the application passes and receives it.
#[repr(transparent)]
pub struct Handle<T>(*const T);

impl<T> Clone for Handle<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Handle<T> {}

// SAFETY: a pointer has no padding, and it is never dereferenced, so all byte patterns are valid.
unsafe impl<T> crate::border::Plain for Handle<T> {}

impl<T> Handle<T> {
    /// No object.
    pub const NULL: Handle<T> = Handle(std::ptr::null());

    /// Whether it is null.
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// The handle as a word.
    pub fn word(self) -> usize {
        self.0 as usize
    }

    /// From a word of a property list.
    pub fn from_word(word: usize) -> Self {
        Handle(word as *const T)
    }
}

impl<T: Object> Handle<T> {
    /// The object; the type's error code if the handle is not live. For objects that a thread uses
    /// repeatedly.
    pub fn get(self) -> Result<Arc<T>> {
        let of_this = |last: &RefCell<Weak<T>>| {
            let last = last.borrow();
            if last.as_ptr() == self.0 { last.upgrade() } else { None }
        };
        // A thread that ends no longer remembers anything.
        if let Ok(Some(object)) = T::last().try_with(of_this) {
            return Ok(object);
        }
        let found = self.find()?;
        let _ = T::last().try_with(|last| last.replace(Arc::downgrade(&found)));
        Ok(found)
    }

    /// The same, for objects that are looked up once, or together with others of their type.
    pub fn find(self) -> Result<Arc<T>> {
        T::registry().find(self.0 as usize)
    }

    /// The object, or none for null.
    pub fn optional(self) -> Result<Option<Arc<T>>> {
        if self.is_null() { Ok(None) } else { self.get().map(Some) }
    }

    /// Adds a reference of the application.
    pub fn retain(self) -> Result<()> {
        T::registry().retain(self.0 as usize)
    }

    /// Removes a reference of the application.
    pub fn release(self) -> Result<()> {
        T::registry().release(self.0 as usize)
    }

    /// The handle of an object that has one.
    pub fn of(object: &Arc<T>) -> Self {
        Handle(Arc::as_ptr(object))
    }

    /// Registers a new object with one reference of the application, and returns its handle.
    pub fn publish(object: Arc<T>) -> Self {
        let handle = Handle::of(&object);
        T::registry().insert(object);
        handle
    }

    /// Registers a new object that another object owns, and returns its handle. The application has no
    /// reference: the handle is valid as long as the owner keeps the object.
    pub fn lend(object: &Arc<T>) -> Self {
        let handle = Handle::of(object);
        let entry = Entry { object: Arc::downgrade(object), owner: None, references: 0 };
        T::registry().write().insert(handle.word(), entry);
        handle
    }

    /// The handle of an object that the application has already, with one more reference.
    pub fn publish_again(object: &Arc<T>) -> Result<Self> {
        let handle = Handle::of(object);
        handle.retain()?;
        Ok(handle)
    }
}

/// Number of the application's references to an object.
pub fn references<T: Object>(object: &T) -> u32 {
    T::registry().references(object)
}

/// The handle of an object, as callbacks take it.
pub fn address<T: Object>(object: &T) -> *const c_void {
    std::ptr::from_ref(object).cast()
}

/// The objects of an array of handles: `CL_INVALID_VALUE` if the array is null.
pub fn list<T: Object>(handles: crate::border::In<Handle<T>>, count: u32) -> Result<SmallVec<[Arc<T>; 4]>> {
    let list = handles.list(count as usize).ok_or(crate::code::INVALID_VALUE)?;
    list.into_iter().map(Handle::find).collect()
}
