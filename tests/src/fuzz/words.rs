//! Words for damaging inputs: those of the language, and numbers at which limits lie.

/// The words.
#[rustfmt::skip]
pub const WORDS: &[&str] = &[
    // Statements.
    "if", "else", "for", "while", "do", "switch", "case", "default", "break", "continue", "return", "goto", "{", "}", ";",
    // Operators and brackets.
    "(", ")", "[", "]", "+", "-", "*", "/", "%", "&", "|", "^", "~", "!", "<", ">", "<<", ">>", "<=", ">=", "==", "!=",
    "&&", "||", "?", ":", "=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^=", "++", "--", ",", ".", "->",
    "sizeof", "alignof", "vec_step", "__builtin_astype", "as_int", "as_float4", "convert_uchar4_sat_rte",
    // Types and qualifiers.
    "void", "bool", "char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "float", "double", "half",
    "size_t", "ptrdiff_t", "intptr_t", "unsigned", "signed", "char3", "uchar16", "short8", "int2", "int3", "uint4",
    "long3", "ulong16", "float2", "float3", "float4", "float8", "float16", "double4", "half8", "event_t", "sampler_t",
    "image2d_t", "image3d_t", "image2d_array_t", "struct", "union", "enum", "typedef", "const", "volatile", "restrict",
    "static", "extern", "inline", "kernel", "global", "local", "constant", "private", "generic", "read_only", "write_only",
    "read_write", "__attribute__", "packed", "aligned", "reqd_work_group_size", "opencl_unroll_hint",
    "atomic_int", "atomic_ulong", "bool2", "void *", "global int *", "local float *", "constant char *",
    // Members and names.
    ".x", ".w", ".xyzw", ".s0", ".sF", ".lo", ".hi", ".even", ".odd", ".wzyx", ".s01234567", "main", "p", "a", "s", "n",
    // Constants.
    "0", "1", "-1", "2", "3", "7", "8", "31", "32", "63", "64", "127", "128", "255", "256", "65535", "65536", "2147483647",
    "-2147483648", "4294967295", "9223372036854775807", "18446744073709551615", "18446744073709551616", "0x", "0x1p-149f",
    "1e999", "1.0f", "0.5", "1e-45f", "1.0h", "NAN", "INFINITY", "INT_MIN", "LONG_MIN", "'a'", "'\\377'", "\"%v4hld\"",
    "true", "false", "1000000", "1UL", "1u", "0.0f", "-0.0f",
    // Built-in functions.
    "get_global_id(0)", "get_local_size", "barrier(CLK_LOCAL_MEM_FENCE)", "atomic_add", "atomic_cmpxchg", "vload3",
    "vstore_half", "select", "mad24", "mul_hi", "shuffle", "clamp", "rotate", "popcount", "fma", "sin", "pow", "sqrt",
    "dot", "cross", "any", "isnan", "printf", "to_global", "async_work_group_copy", "sub_group_reduce_add", "upsample",
    "fract", "convert_long_sat", "convert_half_rtz", "atomic_fetch_add_explicit", "work_group_barrier", "remquo",
    // The preprocessor.
    "#", "##", "\n#define M(x, ...) x ## __VA_ARGS__\n", "\n#if 1\n", "\n#elif 0\n", "\n#else\n", "\n#endif\n", "\n#undef M\n",
    "\n#pragma OPENCL EXTENSION all : enable\n", "\n#pragma unroll 4\n", "\n#pragma OPENCL FP_CONTRACT OFF\n", "\n#line 7 \"b\"\n",
    "defined(M)", "M(1, 2)", "__VA_ARGS__", "__LINE__", "__FILE__", "\\\n", "\"", "'", "/*", "*/", "//", "\n", "...",
    "\0", "é", "\u{FEFF}", "??=", "$", "@", "`",
    // C++.
    "class", "template <class T>", "template <>", "template <int N>", "typename", "typename... A", "A...", "sizeof...(A)",
    "namespace", "using", "auto", "decltype(", "decltype(auto)", "constexpr", "static_assert", "if constexpr", "operator",
    "operator()", "operator=", "operator bool", "this", "virtual", "public:", "private:", "friend", "mutable", "explicit",
    "noexcept", "nullptr", "new", "delete", "= default", "= delete", "static_cast<", "reinterpret_cast<", "const_cast<",
    "addrspace_cast<", "&&", "::", "::*", "[&]", "[=]", "[*this]", "[a = 1]", "(auto x)", "-> int", "~", "<=>", "T", "T &&", "const T &",
    "T::x", "struct T {", "for (auto x : a)", "auto [a, b] =", "throw", "try", "typeid", "dynamic_cast<", "__global", "char8_t",
    "u8\"", "R\"(", ")\"", "operator\"\"_k", "0b101", "1'000", "enum class", "inline", "thread_local", "extern \"C\"", "...",
    "cl::global<int>", "cl::local_ptr<int>", "cl::atomic<int>", "#include <opencl_memory>\n", "#include <opencl_image>\n",
    // The text form of the intermediate representation.
    "func", "loop", "block", "exit", "yield", "%0", "%1", "r0", "i1", "i8", "i64", "f16", "f32", "f64", "v4i32", "v3f32",
    "ptr", "undef", "null", "align", "spir",
];
