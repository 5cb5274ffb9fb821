//! Hints about names of related languages that do not exist in OpenCL C.

/// Whether a whole declaration or statement that starts with this word belongs to another language.
pub(crate) fn starts_foreign(name: &str) -> bool {
    matches!(name, "class" | "template" | "namespace" | "using" | "_Alignas" | "elseif" | "elsif" | "elif")
}

/// The C operator for a C++ operator that is a word.
pub(crate) fn operator(name: &str) -> Option<&'static str> {
    Some(match name {
        "and" => "&&",
        "or" => "||",
        "not" => "!",
        "xor" => "^",
        "bitand" => "&",
        "bitor" => "|",
        "compl" => "~",
        "not_eq" => "!=",
        "and_eq" => "&=",
        "or_eq" => "|=",
        "xor_eq" => "^=",
        _ => return None,
    })
}

/// The vector type, if this is the name of another language's function that makes a vector.
fn vector_maker(name: &str) -> Option<String> {
    if let Some(vector) = name.strip_prefix("make_") {
        let element = vector.trim_end_matches(|last: char| last.is_ascii_digit());
        let known = ["char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "float", "double"];
        return (known.contains(&element) && element.len() < vector.len()).then(|| vector.to_owned());
    }
    let (element, count) = name.split_once("vec")?;
    let element = match element {
        "" => "float",
        "i" => "int",
        "u" => "uint",
        "d" => "double",
        _ => return None,
    };
    matches!(count, "2" | "3" | "4").then(|| format!("{element}{count}"))
}

/// A remark on a name that has no meaning here but has one in C11, C++, CUDA, GLSL or the C library.
pub(crate) fn remark(name: &str) -> Option<String> {
    let plain = |instead: &str| Some(format!("the OpenCL C equivalent is '{instead}'"));
    if let Some(vector) = vector_maker(name) {
        return Some(format!(
            "in OpenCL C the type is '{vector}', and a vector is written '({vector})(...)'"
        ));
    }
    match name {
        "elseif" | "elsif" | "elif" => Some(format!("'{name}' is not a keyword: write 'else if'")),
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
        "warpSize" => plain("get_max_sub_group_size()"),
        "gl_GlobalInvocationID" => plain("get_global_id(0)"),
        "gl_LocalInvocationID" => plain("get_local_id(0)"),
        "gl_WorkGroupID" => plain("get_group_id(0)"),
        "gl_WorkGroupSize" => plain("get_local_size(0)"),
        "gl_NumWorkGroups" => plain("get_num_groups(0)"),
        "atomicAdd" => plain("atomic_add"),
        "atomicSub" => plain("atomic_sub"),
        "atomicMin" => plain("atomic_min"),
        "atomicMax" => plain("atomic_max"),
        "atomicExch" | "atomicExchange" => plain("atomic_xchg"),
        "atomicCAS" | "atomicCompSwap" => plain("atomic_cmpxchg"),
        "__popc" | "bitCount" => plain("popcount"),
        "__clz" => plain("clz"),
        "__fmaf_rn" => plain("fma"),
        "__ldg" => Some("read through the pointer: '*pointer'".to_owned()),
        "lerp" => plain("mix"),
        "frac" => plain("fract"),
        "saturate" | "__saturatef" => plain("clamp(x, 0.0f, 1.0f)"),
        "inversesqrt" => plain("rsqrt"),
        "__threadfence" => plain("mem_fence(CLK_GLOBAL_MEM_FENCE)"),
        "__device__" | "__host__" | "__forceinline__" => {
            Some(format!("'{name}' belongs to CUDA: OpenCL C functions need no such keyword"))
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
            Some(format!("'{name}' belongs to the C library, which OpenCL C does not have (§6.11)"))
        }
        _ => None,
    }
}
