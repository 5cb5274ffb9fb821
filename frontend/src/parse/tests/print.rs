//! The tree in a compact notation: operators in full parentheses, declarators in words.

use crate::ast::*;
use crate::symbol::{Interner, Symbol};

pub(super) struct Printer<'a> {
    pub(super) interner: &'a Interner,
}

impl Printer<'_> {
    fn text(&self, symbol: Symbol) -> &str {
        self.interner.text(symbol)
    }

    pub(super) fn item(&self, item: &Item) -> String {
        match item {
            Item::Function(function) => {
                let head = self.declarator(&function.specifiers, &function.declarator);
                format!("{head} {}", self.block(&function.body))
            }
            Item::Declaration(declaration) => self.declaration(declaration),
            Item::Pragma(pragma, _) => format!("{pragma:?}"),
            Item::StaticAssert(assertion) => self.static_assert(assertion),
            Item::Empty(_) => ";".to_owned(),
        }
    }

    fn static_assert(&self, assertion: &StaticAssert) -> String {
        let message = assertion.message.as_ref().map(|message| String::from_utf8_lossy(message).into_owned());
        format!("assert {} {message:?}", self.expr(&assertion.condition))
    }

    fn declaration(&self, declaration: &Declaration) -> String {
        if declaration.declarators.is_empty() {
            return self.specifiers(&declaration.specifiers);
        }
        let declared = declaration.declarators.iter().map(|init| {
            let head = self.declarator(&declaration.specifiers, &init.declarator);
            match &init.initializer {
                Some(value) => format!("{head} = {}", self.initializer(value)),
                None => head,
            }
        });
        declared.collect::<Vec<_>>().join("; ")
    }

    fn declarator(&self, specifiers: &Specifiers, declarator: &Declarator) -> String {
        let mut text = declarator.name.map_or(String::new(), |name| format!("{}: ", self.text(name.symbol)));
        for part in &declarator.derived {
            text += &match part {
                Derived::Pointer(qualifiers, _) => format!("{}pointer to ", qualifiers_text(qualifiers)),
                Derived::BlockPointer(qualifiers, _) => format!("{}block of ", qualifiers_text(qualifiers)),
                Derived::Array { size, qualifiers, .. } => {
                    let size = size.as_ref().map_or(String::new(), |size| self.expr(size));
                    format!("array [{}{size}] of ", qualifiers_text(qualifiers))
                }
                Derived::Function(parameters) => format!("{} -> ", self.parameters(parameters)),
            };
        }
        format!("{text}{}{}", self.specifiers(specifiers), self.attributes(&declarator.attributes))
    }

    fn parameters(&self, parameters: &Parameters) -> String {
        let params = parameters.params.iter();
        let mut params: Vec<_> =
            params.map(|param| self.declarator(&param.specifiers, &param.declarator)).collect();
        if parameters.variadic.is_some() {
            params.push("...".to_owned());
        }
        format!("({})", params.join(", "))
    }

    fn attributes(&self, attributes: &[Attribute]) -> String {
        let one = |attribute: &Attribute| {
            let arguments = attribute.arguments.iter().map(|argument| match argument {
                AttributeArgument::Expr(value) => self.expr(value),
                AttributeArgument::Type(ty) => self.type_name(ty),
            });
            let arguments: Vec<_> = arguments.collect();
            format!(" @{}({})", self.text(attribute.name.symbol), arguments.join(", "))
        };
        attributes.iter().map(one).collect()
    }

    fn specifiers(&self, specifiers: &Specifiers) -> String {
        let mut text = String::new();
        for (class, _) in &specifiers.storage {
            text += &format!("{class:?} ").to_lowercase();
        }
        if specifiers.is_inline.is_some() {
            text += "inline ";
        }
        if specifiers.is_kernel.is_some() {
            text += "kernel ";
        }
        text += &qualifiers_text(&specifiers.qualifiers);
        text += &match &specifiers.ty {
            TypeSpecifier::Basic(basic) => format!("{basic:?}").to_lowercase(),
            TypeSpecifier::Named(name) => self.text(name.symbol).to_owned(),
            TypeSpecifier::Record(record) => self.record(record),
            TypeSpecifier::Enum(listed) => self.enumeration(listed),
            TypeSpecifier::TypeofExpr(value) => format!("typeof({})", self.expr(value)),
            TypeSpecifier::TypeofType(ty) => format!("typeof({})", self.type_name(ty)),
            TypeSpecifier::Pipe(ty) => format!("pipe {}", self.type_name(ty)),
            TypeSpecifier::Unsupported(name) => format!("unsupported<{name}>"),
            TypeSpecifier::Missing => "missing".to_owned(),
        };
        text + &self.attributes(&specifiers.attributes)
    }

    fn record(&self, record: &RecordSpecifier) -> String {
        let mut text = if record.is_union { "union" } else { "struct" }.to_owned();
        if let Some(tag) = record.tag {
            text += &format!(" {}", self.text(tag.symbol));
        }
        if let Some(members) = &record.members {
            let members = members.iter().map(|member| {
                let declared = member.declarators.iter().map(|(declarator, width)| {
                    let width =
                        width.as_ref().map_or(String::new(), |width| format!(" :{}", self.expr(width)));
                    let head = match declarator {
                        Some(declarator) => self.declarator(&member.specifiers, declarator),
                        None => self.specifiers(&member.specifiers),
                    };
                    format!("{head}{width}; ")
                });
                if member.declarators.is_empty() {
                    format!("{}; ", self.specifiers(&member.specifiers))
                } else {
                    declared.collect::<String>()
                }
            });
            text += &format!(" {{ {}}}", members.collect::<String>());
        }
        text + &self.attributes(&record.attributes)
    }

    fn enumeration(&self, listed: &EnumSpecifier) -> String {
        let mut text = "enum".to_owned();
        if let Some(tag) = listed.tag {
            text += &format!(" {}", self.text(tag.symbol));
        }
        if let Some(enumerators) = &listed.enumerators {
            let enumerators = enumerators.iter().map(|(name, value)| match value {
                Some(value) => format!("{} = {}", self.text(name.symbol), self.expr(value)),
                None => self.text(name.symbol).to_owned(),
            });
            text += &format!(" {{ {} }}", enumerators.collect::<Vec<_>>().join(", "));
        }
        text + &self.attributes(&listed.attributes)
    }

    fn type_name(&self, ty: &TypeName) -> String {
        self.declarator(&ty.specifiers, &ty.declarator)
    }

    fn initializer(&self, initializer: &Initializer) -> String {
        match initializer {
            Initializer::Expr(value) => self.expr(value),
            Initializer::List(list) => self.list(list),
        }
    }

    fn list(&self, list: &InitializerList) -> String {
        let elements = list.elements.iter().map(|(designators, value)| {
            let mut text: String = designators
                .iter()
                .map(|designator| match designator {
                    Designator::Index(index) => format!("[{}]", self.expr(index)),
                    Designator::Range(first, last) => {
                        format!("[{} ... {}]", self.expr(first), self.expr(last))
                    }
                    Designator::Member(name) => format!(".{}", self.text(name.symbol)),
                })
                .collect();
            if !text.is_empty() {
                text += " = ";
            }
            text + &self.initializer(value)
        });
        format!("{{{}}}", elements.collect::<Vec<_>>().join(", "))
    }

    fn block(&self, block: &Block) -> String {
        let statements = block.statements.iter().map(|statement| format!("{} ", self.statement(statement)));
        format!("{{ {}}}", statements.collect::<String>())
    }

    pub(super) fn statement(&self, statement: &Statement) -> String {
        let optional = |value: &Option<Expr>| value.as_ref().map_or(String::new(), |value| self.expr(value));
        let text = match &statement.kind {
            StatementKind::Expr(value) => format!("{};", self.expr(value)),
            StatementKind::Declaration(declaration) => format!("{};", self.declaration(declaration)),
            StatementKind::Block(block) => self.block(block),
            StatementKind::If { condition, then, otherwise } => {
                let text = format!("if {} {}", self.expr(condition), self.statement(then));
                match otherwise {
                    Some(otherwise) => format!("{text} else {}", self.statement(otherwise)),
                    None => text,
                }
            }
            StatementKind::While { condition, body } => {
                format!("while {} {}", self.expr(condition), self.statement(body))
            }
            StatementKind::DoWhile { body, condition } => {
                format!("do {} while {};", self.statement(body), self.expr(condition))
            }
            StatementKind::For { init, condition, step, body } => {
                let init = init.as_ref().map_or(";".to_owned(), |init| self.statement(init));
                format!("for ({init} {}; {}) {}", optional(condition), optional(step), self.statement(body))
            }
            StatementKind::Switch { selector, body } => {
                format!("switch {} {}", self.expr(selector), self.statement(body))
            }
            StatementKind::Case { value, high: Some(high), body } => {
                format!("case {}..{}: {}", self.expr(value), self.expr(high), self.statement(body))
            }
            StatementKind::Case { value, high: None, body } => {
                format!("case {}: {}", self.expr(value), self.statement(body))
            }
            StatementKind::Default { body } => format!("default: {}", self.statement(body)),
            StatementKind::Label { name, body } => {
                format!("{}: {}", self.text(name.symbol), self.statement(body))
            }
            StatementKind::Goto(name) => format!("goto {};", self.text(name.symbol)),
            StatementKind::Break => "break;".to_owned(),
            StatementKind::Continue => "continue;".to_owned(),
            StatementKind::Return(value) => format!("return {};", optional(value)),
            StatementKind::Pragma(pragma) => format!("#{pragma:?}"),
            StatementKind::StaticAssert(assertion) => self.static_assert(assertion),
            StatementKind::Empty => ";".to_owned(),
        };
        format!("{}{text}", self.attributes(&statement.attributes).trim_start())
    }

    fn exprs(&self, values: &[Expr]) -> String {
        values.iter().map(|value| self.expr(value)).collect::<Vec<_>>().join(", ")
    }

    pub(super) fn expr(&self, value: &Expr) -> String {
        match &value.kind {
            ExprKind::Identifier(symbol) => self.text(*symbol).to_owned(),
            ExprKind::Int(value, _) => value.to_string(),
            ExprKind::Float(value, ..) => format!("{value:?}"),
            ExprKind::Char(value) => format!("'{value}'"),
            ExprKind::Str(bytes) => format!("{:?}", String::from_utf8_lossy(bytes)),
            ExprKind::Paren(inner) => format!("<{}>", self.expr(inner)),
            ExprKind::Prefix(op, operand) => format!("{op:?}({})", self.expr(operand)),
            ExprKind::Postfix { increment, operand } => {
                format!("({}){}", self.expr(operand), if *increment { "++" } else { "--" })
            }
            ExprKind::Binary { op, left, right, .. } => {
                format!("({} {op:?} {})", self.expr(left), self.expr(right))
            }
            ExprKind::Assign { op, target, value, .. } => {
                let op = op.map_or(String::new(), |op| format!("{op:?}"));
                format!("({} {op}= {})", self.expr(target), self.expr(value))
            }
            ExprKind::Conditional { condition, then, otherwise } => {
                format!("({} ? {} : {})", self.expr(condition), self.expr(then), self.expr(otherwise))
            }
            ExprKind::Comma(left, right) => format!("({}, {})", self.expr(left), self.expr(right)),
            ExprKind::Call { callee, arguments } => {
                format!("{}({})", self.expr(callee), self.exprs(arguments))
            }
            ExprKind::Index { base, index } => format!("{}[{}]", self.expr(base), self.expr(index)),
            ExprKind::Member { base, name, arrow } => {
                format!("{}{}{}", self.expr(base), if *arrow { "->" } else { "." }, self.text(name.symbol))
            }
            ExprKind::Cast { ty, operand } => format!("cast({}; {})", self.type_name(ty), self.expr(operand)),
            ExprKind::VectorLiteral { ty, elements } => {
                format!("vector({}; {})", self.type_name(ty), self.exprs(elements))
            }
            ExprKind::CompoundLiteral { ty, list } => {
                format!("literal({}; {})", self.type_name(ty), self.list(list))
            }
            ExprKind::SizeofExpr(operand) => format!("sizeof({})", self.expr(operand)),
            ExprKind::SizeofType(ty) => format!("sizeof<{}>", self.type_name(ty)),
            ExprKind::AlignofType(ty) => format!("alignof<{}>", self.type_name(ty)),
            ExprKind::AlignofExpr(operand) => format!("alignof({})", self.expr(operand)),
            ExprKind::VecStepExpr(operand) => format!("vec_step({})", self.expr(operand)),
            ExprKind::VecStepType(ty) => format!("vec_step<{}>", self.type_name(ty)),
            ExprKind::Statements(block) => format!("({})", self.block(block)),
            ExprKind::CompilerBuiltin { name, arguments } => {
                let argument = |argument: &BuiltinArgument| match argument {
                    BuiltinArgument::Expr(value) => self.expr(value),
                    BuiltinArgument::Type(ty) => format!("<{}>", self.type_name(ty)),
                    BuiltinArgument::Member(path) => format!("{} designators", path.len()),
                };
                let arguments: Vec<String> = arguments.iter().map(argument).collect();
                format!("{}({})", self.text(name.symbol), arguments.join(", "))
            }
            ExprKind::BlockLiteral { result, parameters, body } => {
                let result = result.as_ref().map_or(String::new(), |result| self.type_name(result));
                let head =
                    parameters.as_ref().map_or(String::new(), |parameters| self.parameters(parameters));
                format!("^{result}{head} {}", self.block(body))
            }
        }
    }
}

fn qualifiers_text(qualifiers: &Qualifiers) -> String {
    let mut text = String::new();
    let plain = [
        (qualifiers.is_const, "const "),
        (qualifiers.is_volatile, "volatile "),
        (qualifiers.is_restrict, "restrict "),
    ];
    text.extend(plain.iter().filter(|(span, _)| span.is_some()).map(|(_, name)| *name));
    text.extend(qualifiers.address_spaces.iter().map(|(space, _)| format!("{space:?} ").to_lowercase()));
    text.extend(qualifiers.access.iter().map(|(access, _)| format!("{access:?} ").to_lowercase()));
    text
}
