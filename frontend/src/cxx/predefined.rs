//! What C++ for OpenCL predefines beyond keywords and built-in functions: templates of the library, written
//! in C++ themselves. A program that names none of them pays nothing for them.

use crate::symbol::Interner;

/// The text, as if the program began with it (C++ for OpenCL §2.2.5: `__remove_address_space`).
pub const TEXT: &str = "
template <class T> struct __remove_address_space { typedef T type; };
#if defined(__opencl_c_generic_address_space)
template <class T> struct __remove_address_space<__generic T> { typedef T type; };
#endif
template <class T> struct __remove_address_space<__global T> { typedef T type; };
template <class T> struct __remove_address_space<__private T> { typedef T type; };
template <class T> struct __remove_address_space<__local T> { typedef T type; };
template <class T> struct __remove_address_space<__constant T> { typedef T type; };
";

/// Whether a program of these names may use the text.
#[must_use]
pub fn is_wanted(interner: &Interner) -> bool {
    interner.get("__remove_address_space").is_some()
}
