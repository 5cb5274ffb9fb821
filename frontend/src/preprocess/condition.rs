//! Evaluates the expression of an `#if` (C99 §6.10.1) in 64-bit integers, by operator precedence with
//! explicit stacks, so that nesting cannot overflow the stack.
//!
//! A division by zero is not an error if its value is not used (`defined X && 1 / X`). It poisons its value,
//! and only a poisoned result is an error.

use super::definition::spelling;
use super::literal::{self, Number};
use super::pp_token::{PpKind, PpToken};
use crate::Span;
use crate::diagnostic::Diagnostic;
use crate::symbol::Interner;
use crate::token::Punct;

#[derive(Clone, Copy)]
struct Value {
    bits: u64,
    unsigned: bool,
    /// A division by zero that the value depends on.
    poison: Option<Span>,
}

#[derive(Clone, Copy)]
enum Operator {
    Open,
    Unary(Punct),
    Binary(Punct),
    /// `?` whose `:` is yet to come.
    Question,
    /// `? :` whose last operand is being read.
    Conditional,
}

impl Operator {
    /// Its precedence; brackets and open `?` have the lowest.
    fn precedence(self) -> u32 {
        match self {
            Operator::Open | Operator::Question => 0,
            Operator::Conditional => 1,
            Operator::Binary(punct) => binary_precedence(punct).unwrap_or(0),
            Operator::Unary(_) => 12,
        }
    }
}

fn binary_precedence(punct: Punct) -> Option<u32> {
    Some(match punct {
        Punct::OrOr => 2,
        Punct::AndAnd => 3,
        Punct::Pipe => 4,
        Punct::Caret => 5,
        Punct::Ampersand => 6,
        Punct::EqualEqual | Punct::NotEqual => 7,
        Punct::Less | Punct::Greater | Punct::LessEqual | Punct::GreaterEqual => 8,
        Punct::ShiftLeft | Punct::ShiftRight => 9,
        Punct::Plus | Punct::Minus => 10,
        Punct::Star | Punct::Slash | Punct::Percent => 11,
        _ => return None,
    })
}

/// Whether the expression is true. Macros are already expanded and `defined` is replaced; remaining names
/// count as zero.
pub(super) fn evaluate(tokens: &[PpToken], end: Span, interner: &Interner) -> Result<bool, Diagnostic> {
    let mut evaluator = Evaluator { values: Vec::new(), operators: Vec::new(), interner };
    let mut wants_operand = true;
    for token in tokens {
        wants_operand = if wants_operand { evaluator.operand(token)? } else { evaluator.operator(token)? };
    }
    if wants_operand {
        let message = if tokens.is_empty() { "this condition is empty" } else { "expected a value" };
        return Err(Diagnostic::error(end, message));
    }
    evaluator.finish(end)
}

struct Evaluator<'a> {
    values: Vec<Value>,
    operators: Vec<(Operator, Span)>,
    interner: &'a Interner,
}

impl Evaluator<'_> {
    /// Takes a token where a value is expected; returns whether a value is still expected.
    fn operand(&mut self, token: &PpToken) -> Result<bool, Diagnostic> {
        let value = match token.kind {
            PpKind::Identifier(_) => Value { bits: 0, unsigned: false, poison: None },
            PpKind::Number(symbol) => self.number(self.interner.text(symbol), token.span)?,
            PpKind::Char(symbol) => {
                let (value, _) = literal::character(self.interner.text(symbol))
                    .map_err(|message| Diagnostic::error(token.span, message))?;
                Value { bits: i64::from(value) as u64, unsigned: false, poison: None }
            }
            PpKind::Punct(Punct::LeftParen) => {
                self.operators.push((Operator::Open, token.span));
                return Ok(true);
            }
            PpKind::Punct(punct @ (Punct::Plus | Punct::Minus | Punct::Exclaim | Punct::Tilde)) => {
                self.operators.push((Operator::Unary(punct), token.span));
                return Ok(true);
            }
            PpKind::Special(_) => return Err(Diagnostic::error(token.span, FLOAT)),
            _ => {
                let message =
                    format!("'{}' is not a value of a condition", spelling(token.kind, self.interner));
                return Err(Diagnostic::error(token.span, message));
            }
        };
        self.values.push(value);
        Ok(false)
    }

    fn number(&self, text: &str, span: Span) -> Result<Value, Diagnostic> {
        match literal::number(text).map_err(|message| Diagnostic::error(span, message))? {
            Number::Int(bits, suffix) => {
                let unsigned = suffix.unsigned || bits > i64::MAX as u64;
                Ok(Value { bits, unsigned, poison: None })
            }
            Number::Float(..) => Err(Diagnostic::error(span, FLOAT)),
        }
    }

    /// Takes a token after a value; returns whether a value is expected next.
    fn operator(&mut self, token: &PpToken) -> Result<bool, Diagnostic> {
        let PpKind::Punct(punct) = token.kind else { return Err(self.not_an_operator(token)) };
        match punct {
            Punct::RightParen => {
                self.reduce(1);
                match self.operators.pop() {
                    Some((Operator::Open, _)) => Ok(false),
                    Some((_, question)) => Err(missing_colon(question)),
                    None => Err(Diagnostic::error(token.span, "this ')' has no '('")),
                }
            }
            Punct::Question => {
                self.reduce(2);
                self.operators.push((Operator::Question, token.span));
                Ok(true)
            }
            Punct::Colon => {
                self.reduce(1);
                match self.operators.last_mut() {
                    Some((operator @ Operator::Question, _)) => *operator = Operator::Conditional,
                    _ => return Err(Diagnostic::error(token.span, "this ':' has no '?'")),
                }
                Ok(true)
            }
            _ => {
                let precedence = binary_precedence(punct).ok_or_else(|| self.not_an_operator(token))?;
                self.reduce(precedence);
                self.operators.push((Operator::Binary(punct), token.span));
                Ok(true)
            }
        }
    }

    fn not_an_operator(&self, token: &PpToken) -> Diagnostic {
        let text = spelling(token.kind, self.interner);
        let message = match token.kind {
            PpKind::Punct(Punct::LeftParen) => {
                "expected an operator before '(': is a function-like macro missing?"
            }
            PpKind::Punct(_) => {
                let error =
                    Diagnostic::error(token.span, format!("'{text}' is not an operator of a condition"));
                let assigns = token.kind == PpKind::Punct(Punct::Equal);
                return if assigns { error.suggest("==") } else { error };
            }
            _ => return Diagnostic::error(token.span, format!("expected an operator before '{text}'")),
        };
        Diagnostic::error(token.span, message)
    }

    /// Applies the operators on the stack that have at least this precedence.
    fn reduce(&mut self, precedence: u32) {
        while let Some(&(operator, span)) = self.operators.last() {
            if operator.precedence() < precedence.max(1) {
                return;
            }
            self.operators.pop();
            let right = self.pop();
            let result = match operator {
                Operator::Unary(punct) => unary(punct, right),
                Operator::Binary(punct) => binary(punct, span, self.pop(), right),
                Operator::Conditional => {
                    let then = self.pop();
                    let condition = self.pop();
                    let chosen = if condition.bits != 0 { then } else { right };
                    let poison = condition.poison.or(chosen.poison);
                    Value { bits: chosen.bits, unsigned: then.unsigned || right.unsigned, poison }
                }
                Operator::Open | Operator::Question => unreachable!("they bind less than anything"),
            };
            self.values.push(result);
        }
    }

    fn pop(&mut self) -> Value {
        self.values.pop().expect("each operator has its operands on the stack")
    }

    fn finish(mut self, end: Span) -> Result<bool, Diagnostic> {
        self.reduce(1);
        match self.operators.pop() {
            Some((Operator::Open, open)) => {
                return Err(Diagnostic::error(end, "expected ')'").related(open, "to match this '('"));
            }
            Some((_, question)) => return Err(missing_colon(question)),
            None => {}
        }
        let value = self.pop();
        match value.poison {
            Some(span) => Err(Diagnostic::error(span, "division by zero in a condition")),
            None => Ok(value.bits != 0),
        }
    }
}

const FLOAT: &str = "floating-point literal in a condition";

fn missing_colon(question: Span) -> Diagnostic {
    Diagnostic::error(question, "this '?' has no ':'")
}

fn unary(punct: Punct, value: Value) -> Value {
    match punct {
        Punct::Minus => Value { bits: value.bits.wrapping_neg(), ..value },
        Punct::Tilde => Value { bits: !value.bits, ..value },
        Punct::Exclaim => Value { bits: u64::from(value.bits == 0), unsigned: false, poison: value.poison },
        _ => value,
    }
}

fn binary(punct: Punct, span: Span, left: Value, right: Value) -> Value {
    let (a, b) = (left.bits, right.bits);
    let truth = |bits: bool, poison| Value { bits: u64::from(bits), unsigned: false, poison };
    match punct {
        Punct::AndAnd => {
            let poison = left.poison.or(if a != 0 { right.poison } else { None });
            return truth(a != 0 && b != 0, poison);
        }
        Punct::OrOr => {
            let poison = left.poison.or(if a == 0 { right.poison } else { None });
            return truth(a != 0 || b != 0, poison);
        }
        _ => {}
    }
    let poison = left.poison.or(right.poison);
    let unsigned = left.unsigned || right.unsigned;
    let order = if unsigned { a.cmp(&b) } else { (a as i64).cmp(&(b as i64)) };
    let bits = match punct {
        Punct::EqualEqual => return truth(a == b, poison),
        Punct::NotEqual => return truth(a != b, poison),
        Punct::Less => return truth(order.is_lt(), poison),
        Punct::LessEqual => return truth(order.is_le(), poison),
        Punct::Greater => return truth(order.is_gt(), poison),
        Punct::GreaterEqual => return truth(order.is_ge(), poison),
        Punct::ShiftLeft => return Value { bits: shift(left, right, true), unsigned: left.unsigned, poison },
        Punct::ShiftRight => {
            return Value { bits: shift(left, right, false), unsigned: left.unsigned, poison };
        }
        Punct::Slash | Punct::Percent if b == 0 => {
            return Value { bits: 0, unsigned, poison: poison.or(Some(span)) };
        }
        Punct::Slash if unsigned => a / b,
        Punct::Slash => (a as i64).wrapping_div(b as i64) as u64,
        Punct::Percent if unsigned => a % b,
        Punct::Percent => (a as i64).wrapping_rem(b as i64) as u64,
        Punct::Star => a.wrapping_mul(b),
        Punct::Plus => a.wrapping_add(b),
        Punct::Minus => a.wrapping_sub(b),
        Punct::Ampersand => a & b,
        Punct::Caret => a ^ b,
        Punct::Pipe => a | b,
        _ => unreachable!("{punct:?} is not an operator of a condition"),
    };
    Value { bits, unsigned, poison }
}

/// A shift: a negative count shifts the other way, and a count of 64 or more shifts out everything.
fn shift(value: Value, count: Value, left: bool) -> u64 {
    let is_negative = !count.unsigned && (count.bits as i64) < 0;
    let left = left != is_negative;
    let magnitude = if is_negative { (count.bits as i64).unsigned_abs() } else { count.bits };
    let magnitude = u32::try_from(magnitude).unwrap_or(u32::MAX);
    match (left, value.unsigned) {
        (true, _) => value.bits.checked_shl(magnitude).unwrap_or(0),
        (false, true) => value.bits.checked_shr(magnitude).unwrap_or(0),
        (false, false) => (value.bits as i64 >> magnitude.min(63)) as u64,
    }
}
