//! Handles: what the application has of an object, and which ones live.
//!
//! A handle is the address of an object, whose first word is the dispatch table, as the ICD loader demands.
//! It is never followed on the application's word: every type has a [`Registry`] of its live objects, and a
//! handle that is not in it is the type's error code.
//!
//! Each thread remembers the object of each type that it has looked up last, without keeping it alive: where
//! it lives, it need not be looked up, and as long as it is remembered, its address is given to no other.
//!
//! The application's references are counted in the registry, which owns the object while there is one.
//! Objects own each other by [`Arc`]: a context lives as long as its buffers, and its handle is good as long
//! as it lives.

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
    /// What a handle of something else is.
    const INVALID: Code;

    /// The live objects.
    fn registry() -> &'static Registry<Self>;

    /// What the thread has looked up last.
    fn last() -> &'static LocalKey<RefCell<Weak<Self>>>;
}

/// Makes types with a [`Header`] as the first field objects.
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

/// The first field of an object: the dispatch table. Takes the object out of the registry when it goes.
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
    /// Nothing lives yet.
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
        // The object takes itself out of the registry, and may release others.
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

/// A handle as the application gives and takes it.
#[repr(transparent)]
pub struct Handle<T>(*const T);

impl<T> Clone for Handle<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Handle<T> {}

// SAFETY: a pointer, which has no padding; it is never followed, so all bytes are a value.
unsafe impl<T> crate::border::Plain for Handle<T> {}

impl<T> Handle<T> {
    /// No object.
    pub const NULL: Handle<T> = Handle(std::ptr::null());

    /// Whether it is null.
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// As the application has it.
    pub fn word(self) -> usize {
        self.0 as usize
    }

    /// From a word of a property list.
    pub fn from_word(word: usize) -> Self {
        Handle(word as *const T)
    }
}

impl<T: Object> Handle<T> {
    /// The object; the type's error code if there is none. For objects that a thread uses again and again.
    pub fn get(self) -> Result<Arc<T>> {
        let of_this = |last: &RefCell<Weak<T>>| {
            let last = last.borrow();
            if last.as_ptr() == self.0 { last.upgrade() } else { None }
        };
        // A thread that ends remembers nothing any more.
        if let Ok(Some(object)) = T::last().try_with(of_this) {
            return Ok(object);
        }
        let found = self.find()?;
        let _ = T::last().try_with(|last| last.replace(Arc::downgrade(&found)));
        Ok(found)
    }

    /// The same, for objects that are looked up once or together with others.
    pub fn find(self) -> Result<Arc<T>> {
        T::registry().find(self.0 as usize)
    }

    /// The object, or none for null.
    pub fn optional(self) -> Result<Option<Arc<T>>> {
        if self.is_null() { Ok(None) } else { self.get().map(Some) }
    }

    /// One more reference of the application.
    pub fn retain(self) -> Result<()> {
        T::registry().retain(self.0 as usize)
    }

    /// One reference of the application less.
    pub fn release(self) -> Result<()> {
        T::registry().release(self.0 as usize)
    }

    /// The handle of an object that has one.
    pub fn of(object: &Arc<T>) -> Self {
        Handle(Arc::as_ptr(object))
    }

    /// Gives a new object to the application, with one reference.
    pub fn publish(object: Arc<T>) -> Self {
        let handle = Handle::of(&object);
        T::registry().insert(object);
        handle
    }

    /// Gives an object that has a handle to the application once more.
    pub fn publish_again(object: &Arc<T>) -> Result<Self> {
        let handle = Handle::of(object);
        handle.retain()?;
        Ok(handle)
    }
}

/// References that the application has of an object.
pub fn references<T: Object>(object: &T) -> u32 {
    T::registry().references(object)
}

/// The handle of an object, as callbacks take it.
pub fn address<T: Object>(object: &T) -> *const c_void {
    std::ptr::from_ref(object).cast()
}

/// The objects of an array of handles: `CL_INVALID_VALUE` if there should be some and there is no array.
pub fn list<T: Object>(handles: crate::border::In<Handle<T>>, count: u32) -> Result<SmallVec<[Arc<T>; 4]>> {
    let list = handles.list(count as usize).ok_or(crate::code::INVALID_VALUE)?;
    list.into_iter().map(Handle::find).collect()
}
