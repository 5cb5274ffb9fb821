//! Files: the main file, the macros of the command line, and included files.

use super::lexer::Lexer;
use super::pp_token::{PpKind, PpToken};
use super::{OpenFile, Preprocessor, header};
use crate::Span;
use crate::diagnostic::{Diagnostic, shorten};
use crate::limits;
use crate::options::CxxVersion;
use crate::token::Punct;
use std::fmt::Write;
use std::path::PathBuf;

/// Headers of C99 (OpenCL C §6.11) and of OpenCL's host API, which are not available to programs.
const C_HEADERS: &[&str] = &[
    "assert.h",
    "complex.h",
    "ctype.h",
    "errno.h",
    "fenv.h",
    "float.h",
    "inttypes.h",
    "iso646.h",
    "limits.h",
    "locale.h",
    "math.h",
    "setjmp.h",
    "signal.h",
    "stdarg.h",
    "stdbool.h",
    "stddef.h",
    "stdint.h",
    "stdio.h",
    "stdlib.h",
    "string.h",
    "tgmath.h",
    "time.h",
    "wchar.h",
    "wctype.h",
    "CL/cl.h",
];

/// Headers of C++'s standard library (C++17 §20.5.1.2), but for those of C (`<cmath>` is one of its, too).
const CXX_HEADERS: &[&str] = &[
    "algorithm",
    "any",
    "array",
    "atomic",
    "bitset",
    "cassert",
    "cctype",
    "cfloat",
    "charconv",
    "chrono",
    "cinttypes",
    "climits",
    "cmath",
    "complex",
    "concepts",
    "cstdarg",
    "cstddef",
    "cstdint",
    "cstdio",
    "cstdlib",
    "cstring",
    "ctime",
    "deque",
    "exception",
    "execution",
    "forward_list",
    "fstream",
    "functional",
    "initializer_list",
    "iomanip",
    "iostream",
    "iterator",
    "limits",
    "list",
    "map",
    "memory",
    "mutex",
    "new",
    "numeric",
    "optional",
    "ostream",
    "queue",
    "random",
    "ratio",
    "set",
    "span",
    "sstream",
    "stack",
    "stdexcept",
    "string",
    "string_view",
    "thread",
    "tuple",
    "type_traits",
    "typeinfo",
    "unordered_map",
    "unordered_set",
    "utility",
    "valarray",
    "variant",
    "vector",
];

impl Preprocessor<'_> {
    /// Opens the main file, and before it the macros of the options.
    pub(super) fn start(&mut self, name: &str, text: &str) {
        if text.len() > limits::FILE_SIZE {
            let message = format!("'{name}' is larger than {} MiB", limits::FILE_SIZE >> 20);
            return self.stop(Diagnostic::error(Span::NONE, message));
        }
        self.open(name.into(), text.to_owned(), None, Span::NONE);
        if !self.options.macros.is_empty() {
            let mut text = String::new();
            for (name, value) in &self.options.macros {
                let _ = match value {
                    Some(value) => writeln!(text, "#define {name} {}", value.replace(['\n', '\r'], " ")),
                    None => writeln!(text, "#undef {name}"),
                };
            }
            self.open("<command line>".into(), text, None, Span::NONE);
        }
    }

    fn open(&mut self, name: PathBuf, text: String, included_from: Option<Span>, span: Span) {
        match self.sources.add_file(name, without_trigraphs(text), included_from) {
            Ok(id) => {
                let lexer = Lexer::new(self.sources.file_text(id).clone(), self.sources.file_start(id))
                    .with_raw_strings(self.options.cxx.is_some());
                self.files.push(OpenFile { id, lexer, conditionals: Vec::new() });
            }
            Err(_) => self.out_of_positions(span),
        }
    }

    /// Reports what is still open at the end of a file.
    pub(super) fn finish_file(&mut self) {
        let Some(file) = self.files.last_mut() else { return };
        if let Some(comment) = file.lexer.take_open_comment() {
            self.diagnostics.push(Diagnostic::error(comment, "this comment is not closed"));
        }
        for conditional in file.conditionals.drain(..) {
            let message = "this conditional directive has no #endif";
            self.diagnostics.push(Diagnostic::error(conditional.span, message));
        }
    }

    /// `#include` (C99 §6.10.2), and GNU C's `#include_next`.
    pub(super) fn include(&mut self, directive: Span, next: bool) {
        let header = self.files.last_mut().and_then(|file| file.lexer.header_name());
        let mut open = None;
        let header = match header {
            Some(header) => {
                self.expect_end_of_line(if next { "include_next" } else { "include" });
                Some(header)
            }
            None => {
                let line = self.line_tokens();
                let line = self.expand_line(&line);
                open = line.first().filter(|token| token.is(Punct::Less)).map(|token| token.span);
                self.computed_header(&line)
            }
        };
        let Some((quoted, name, span)) = header else {
            let text = if next { "#include_next" } else { "#include" };
            return self.diagnostics.push(match open {
                Some(open) => Diagnostic::error(open, "the '<' before the file name has no '>'"),
                None => Diagnostic::error(directive, format!("expected \"FILE\" or <FILE> after {text}")),
            });
        };
        if self.gathering {
            return self.error(directive, "#include in the arguments of a macro is not supported");
        }
        if name.is_empty() {
            return self.error(span, "the file name is empty");
        }
        if self.files.len() > limits::INCLUDE_DEPTH {
            return self.too_deep(span);
        }
        let Some(left) = self.includes_left.checked_sub(1) else {
            let message = format!("more than {} files are included", limits::INCLUDES);
            return self.stop(Diagnostic::error(span, message));
        };
        self.includes_left = left;
        if next && self.files.len() <= 1 {
            self.warning(directive, "#include_next in the main file is the same as #include");
        }
        self.open_header(quoted, next, &name, span);
    }

    /// Searches for a file to include. In the main file `#include_next` is `#include`.
    fn find_header(&self, quoted: bool, next: bool, name: &str) -> Option<Result<(PathBuf, String), String>> {
        let includer = self.files.last().map(|file| self.sources.file_name(file.id).to_owned());
        let includer = includer.unwrap_or_default();
        let found = match next && self.files.len() > 1 {
            true => self.includes.resolve_next(name, &includer),
            false => self.includes.resolve(name, quoted, &includer),
        };
        found.or_else(|| header::find(name, self.options).map(|text| Ok((name.into(), text.to_owned()))))
    }

    /// `__has_include ("FILE")`, `__has_include (<FILE>)` and `__has_include_next`, as 0 or 1.
    pub(super) fn has_include_operator(&mut self, operator: PpToken, next: bool) -> PpToken {
        let name = if next { "__has_include_next" } else { "__has_include" };
        let mut line = Vec::new();
        let open = self.raw_next();
        let mut closed = false;
        if open.is(Punct::LeftParen) {
            loop {
                let token = self.raw_next();
                closed = token.is(Punct::RightParen);
                if closed || token.is_end() {
                    break;
                }
                line.push(token);
            }
        }
        // Macros are expanded only if neither form is written.
        let written =
            line.first().is_some_and(|token| matches!(token.kind, PpKind::Str(_)) || token.is(Punct::Less));
        let line = if written { line } else { self.expand_list(&line) };
        let found = match self.computed_header(&line).filter(|_| closed) {
            Some((quoted, file, _)) => self.find_header(quoted, next, &file).is_some(),
            None => {
                let message = format!("expected '{name} (\"FILE\")' or '{name} (<FILE>)'");
                self.error(operator.span, message);
                false
            }
        };
        let kind = PpKind::Number(self.interner.intern(if found { "1" } else { "0" }));
        PpToken { kind, ..operator }
    }

    fn open_header(&mut self, quoted: bool, next: bool, name: &str, span: Span) {
        match self.find_header(quoted, next, name) {
            None => self.not_found(name, span),
            Some(Err(reason)) => {
                self.is_incomplete = true;
                self.error(span, format!("'{}' cannot be included: {reason}", shorten(name)));
            }
            Some(Ok((path, text))) => {
                if text.len() > limits::FILE_SIZE {
                    let message =
                        format!("'{}' is larger than {} MiB", shorten(name), limits::FILE_SIZE >> 20);
                    self.error(span, message);
                } else if !self.once.contains(&path) {
                    self.open(path, text, Some(span), span);
                }
            }
        }
    }

    fn not_found(&mut self, name: &str, span: Span) {
        let mut diagnostic = Diagnostic::error(span, format!("file '{}' not found", shorten(name)));
        let directories = &self.options.include_dirs;
        let is_of_c = C_HEADERS.contains(&name);
        let library_of_cxx = self.options.cxx.filter(|_| CXX_HEADERS.contains(&name));
        let is_of_cuda = name.starts_with("cuda") || name == "device_launch_parameters.h";
        // What it declares is missing, so that everything else that is found would follow from it.
        self.is_incomplete = true;
        diagnostic = if is_of_c {
            diagnostic
                .note("the headers of C are not available in OpenCL C (§6.11): its functions need none, remove the line")
        } else if let Some(version) = library_of_cxx {
            diagnostic.note(match version {
                CxxVersion::OpenCl => {
                    "the standard library of C++ is not available in kernels (OpenCL C++ §2.9): OpenCL C++ has its own, in headers such as <opencl_math>"
                }
                _ => "the standard library of C++ is not available in kernels (C++ for OpenCL §2.1)",
            })
        } else if is_of_cuda {
            diagnostic.note("this header belongs to CUDA: is it the right file?")
        } else if directories.is_empty() {
            diagnostic.note("add the directory that holds it with -I")
        } else {
            let list: Vec<String> = directories.iter().map(|path| path.display().to_string()).collect();
            diagnostic.note(format!("searched in: {}", list.join(", ")))
        };
        // Headers of C can all be named in one run; others may hold the macros that what follows depends on.
        if is_of_c {
            self.diagnostics.push(diagnostic);
        } else {
            self.stop(diagnostic);
        }
    }

    /// Reports that the include depth is reached, and which files include each other.
    fn too_deep(&mut self, span: Span) {
        const SHOWN: usize = 8;
        let names = self.files.iter().map(|file| self.sources.file_name(file.id).display().to_string());
        let names: Vec<String> = names.collect();
        let last = names.last().cloned().unwrap_or_default();
        let before = names[..names.len() - 1].iter().rposition(|name| *name == last);
        let message = format!("#include is nested deeper than {} files", limits::INCLUDE_DEPTH);
        let diagnostic = Diagnostic::error(span, message);
        let note = match before {
            Some(before) => format!("'{last}' includes itself: {}", names[before..].join(" → ")),
            None => format!("the innermost are: {}", names[names.len().saturating_sub(SHOWN)..].join(" → ")),
        };
        self.stop(diagnostic.note(note));
    }

    /// The header that a macro-expanded line names: a string, or everything between `<` and `>`.
    fn computed_header(&mut self, line: &[PpToken]) -> Option<(bool, String, Span)> {
        let (first, rest) = line.split_first()?;
        if let PpKind::Str(text) = first.kind {
            if let Some(extra) = rest.first() {
                self.warning(extra.span, "extra tokens at the end of #include");
            }
            let text = self.interner.text(text);
            return Some((true, text[1..text.len() - 1].to_owned(), first.span));
        }
        if !first.is(Punct::Less) {
            return None;
        }
        let close = rest.iter().position(|token| token.is(Punct::Greater))?;
        let mut name = String::new();
        for (index, token) in rest[..close].iter().enumerate() {
            if token.flags.space && index > 0 {
                name.push(' ');
            }
            token.kind.write(&mut name, self.interner);
        }
        Some((false, name, first.span))
    }
}

/// Replaces trigraphs (C99 §5.2.1.1) before anything else reads the text, so messages show the replaced text.
fn without_trigraphs(text: String) -> String {
    if !text.contains("??") {
        return text;
    }
    let mut result = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(at) = rest.find("??") {
        let replaced = match rest.as_bytes().get(at + 2) {
            Some(b'=') => '#',
            Some(b'(') => '[',
            Some(b'/') => '\\',
            Some(b')') => ']',
            Some(b'\'') => '^',
            Some(b'<') => '{',
            Some(b'!') => '|',
            Some(b'>') => '}',
            Some(b'-') => '~',
            _ => {
                result.push_str(&rest[..=at]);
                rest = &rest[at + 1..];
                continue;
            }
        };
        result.push_str(&rest[..at]);
        result.push(replaced);
        rest = &rest[at + 3..];
    }
    result.push_str(rest);
    result
}
