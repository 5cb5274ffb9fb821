//! Names that belong to related languages and are nothing in OpenCL C: what to tell who writes them.

/// Whether a declaration or statement that starts with this word is of a language that OpenCL C is not, all of it.
pub(crate) fn starts_foreign(name: &str) -> bool {
    matches!(name, "class" | "template" | "namespace" | "using" | "_Alignas")
}

/// A remark on a name that means nothing here but does in C11, C++, CUDA or the C library.
pub(crate) fn remark(name: &str) -> Option<String> {
    let plain = |instead: &str| Some(format!("in OpenCL C it is '{instead}'"));
    match name {
        "generic" => {
            Some("the generic address space needs OpenCL C 2.0: choose it with -cl-std=CL2.0".to_owned())
        }
        "pipe" => Some("pipes need OpenCL C 2.0: choose it with -cl-std=CL2.0".to_owned()),
        "class" | "template" | "typename" | "namespace" | "using" | "new" | "delete" | "nullptr"
        | "throw" | "try" | "catch" | "constexpr" | "static_cast" | "reinterpret_cast" | "const_cast"
        | "dynamic_cast" | "decltype" | "virtual" | "operator" | "friend" | "this" | "noexcept"
        | "mutable" | "explicit" | "public" => {
            Some(format!("'{name}' is a keyword of C++; OpenCL C is based on C99"))
        }
        "_Thread_local" | "_Alignas" | "_Alignof" | "_Atomic" | "_Noreturn" | "_Generic" => {
            Some(format!("'{name}' is a keyword of C11; OpenCL C is based on C99"))
        }
        "__block" => Some("the storage type '__block' is not supported in OpenCL C (§6.14.5)".to_owned()),
        "__global__" => plain("kernel"),
        "__shared__" => plain("local"),
        "__constant__" => plain("constant"),
        "__syncthreads" => plain("barrier(CLK_LOCAL_MEM_FENCE)"),
        "threadIdx" => plain("get_local_id(0)"),
        "blockIdx" => plain("get_group_id(0)"),
        "blockDim" => plain("get_local_size(0)"),
        "gridDim" => plain("get_num_groups(0)"),
        "__device__" | "__host__" | "__forceinline__" => {
            Some(format!("'{name}' is a word of CUDA; functions of OpenCL C need none"))
        }
        "int8_t" => plain("char"),
        "uint8_t" => plain("uchar"),
        "int16_t" => plain("short"),
        "uint16_t" => plain("ushort"),
        "int32_t" => plain("int"),
        "uint32_t" => plain("uint"),
        "int64_t" => plain("long"),
        "uint64_t" => plain("ulong"),
        "malloc" | "calloc" | "realloc" | "free" => {
            Some("kernels cannot allocate memory: pass a buffer as an argument".to_owned())
        }
        "memcpy" | "memset" | "memmove" | "strlen" | "strcpy" | "strcmp" | "abort" | "exit" | "assert"
        | "rand" | "srand" | "puts" | "putchar" | "sprintf" | "fprintf" | "errno" => {
            Some(format!("'{name}' is of the C library, which OpenCL C does not have (§6.11)"))
        }
        _ => None,
    }
}
