//! Names of the kit's functions and parameters, which are not keywords of any language.

/// Keywords of C, C++, Rust and Kotlin that can be names in OpenCL C, and names that the kit uses itself.
const TAKEN: &[&str] = &[
    "abstract",
    "alignas",
    "alignof",
    "and",
    "args",
    "as",
    "asm",
    "async",
    "await",
    "become",
    "bitand",
    "bitor",
    "box",
    "bytes",
    "by",
    "catch",
    "class",
    "clvk",
    "companion",
    "compl",
    "concept",
    "const_cast",
    "constexpr",
    "constructor",
    "crate",
    "data",
    "decltype",
    "delete",
    "device",
    "dyn",
    "dynamic_cast",
    "explicit",
    "export",
    "false",
    "final",
    "finally",
    "fn",
    "friend",
    "fun",
    "gen",
    "impl",
    "in",
    "init",
    "interface",
    "internal",
    "is",
    "lateinit",
    "launch",
    "let",
    "loop",
    "macro",
    "main",
    "match",
    "mod",
    "move",
    "mut",
    "mutable",
    "namespace",
    "native",
    "new",
    "noexcept",
    "not",
    "null",
    "nullptr",
    "object",
    "operator",
    "or",
    "out",
    "override",
    "package",
    "padded",
    "priv",
    "private",
    "program",
    "protected",
    "pub",
    "public",
    "range",
    "ref",
    "reified",
    "requires",
    "sealed",
    "self",
    "static_cast",
    "status",
    "super",
    "suspend",
    "template",
    "this",
    "throw",
    "trait",
    "true",
    "try",
    "type",
    "typealias",
    "typeid",
    "typename",
    "typeof",
    "unsafe",
    "unsized",
    "use",
    "using",
    "val",
    "var",
    "variant",
    "virtual",
    "wchar_t",
    "when",
    "where",
    "xor",
    "yield",
];

/// A name that all languages take.
pub fn safe(name: &str) -> String {
    if TAKEN.contains(&name) { format!("{name}_") } else { name.to_owned() }
}

/// An identifier made of any text.
pub fn identifier(text: &str) -> String {
    let mut name: String =
        text.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' }).collect();
    if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        name.insert_str(0, "p_");
    }
    safe(&name)
}

/// `my_program` as `MyProgram`.
pub fn camel(name: &str) -> String {
    let parts = name.split('_').filter(|part| !part.is_empty());
    parts.map(|part| part[..1].to_ascii_uppercase() + &part[1..]).collect()
}

/// `my_kernel` as `myKernel`, a Kotlin function.
pub fn lower_camel(name: &str) -> String {
    let camel = camel(name);
    match camel.chars().next() {
        Some(first) => safe(&(first.to_ascii_lowercase().to_string() + &camel[first.len_utf8()..])),
        None => "kernel".to_owned(),
    }
}

/// The last part of a package's name, which is not a keyword.
pub fn package(program: &str) -> String {
    program.replace('_', "") + "app"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_identifiers_and_no_keywords() {
        assert_eq!(identifier("3D-Blur.v2"), "p_3d_blur_v2");
        assert_eq!(identifier("class"), "class_");
        assert_eq!(camel("my__blur_3x3"), "MyBlur3x3");
        assert_eq!(lower_camel("Blur_x"), "blurX");
        assert_eq!(lower_camel("___"), "kernel");
        assert_eq!(safe("in"), "in_");
        assert_eq!(package("in_"), "inapp");
    }
}
