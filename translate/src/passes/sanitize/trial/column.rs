//! What a value is in each work-item of a work-group, as far as that is known before the launch.

use clvk_ir::{Constant, Op, Type, fold};
use std::rc::Rc;

/// The bits of a scalar in all work-items.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Column {
    Unknown,
    /// The same in all.
    Same(u64),
    Each(Rc<[u64]>),
}

impl Column {
    /// Of a number for each work-item.
    pub fn of(numbers: Vec<u64>) -> Column {
        match numbers.first() {
            Some(&first) if numbers.iter().all(|&number| number == first) => Column::Same(first),
            _ => Column::Each(numbers.into()),
        }
    }

    /// The number of a work-item.
    pub fn at(&self, item: usize) -> Option<u64> {
        match self {
            Column::Unknown => None,
            Column::Same(bits) => Some(*bits),
            Column::Each(numbers) => Some(numbers[item]),
        }
    }

    /// What two groups of work-items have, where one has come from each side.
    pub fn either(one: (&Column, &Mask), two: (&Column, &Mask)) -> Column {
        if one.0 == two.0 {
            return one.0.clone();
        }
        let at = |item: usize| -> Option<u64> {
            match (one.1.has(item), two.1.has(item)) {
                (true, true) => one.0.at(item).filter(|&bits| two.0.at(item) == Some(bits)),
                (true, false) => one.0.at(item),
                (false, true) => two.0.at(item),
                (false, false) => Some(0),
            }
        };
        let numbers: Option<Vec<u64>> = (0..one.1.0.len()).map(at).collect();
        numbers.map_or(Column::Unknown, Column::of)
    }

    /// What an operation computes of others, and how many times that was computed.
    pub fn computed(op: &Op, operands: &[(Column, Type)], result: Type, items: usize) -> (Column, usize) {
        if !matches!(result, Type::Scalar(_)) || operands.iter().any(|(column, _)| *column == Column::Unknown)
        {
            return (Column::Unknown, 1);
        }
        let at = |item: usize| -> Option<u64> {
            let number = |operand: usize| operands[operand].0.at(item);
            let scalar = operands[0].1.scalar()?;
            match *op {
                Op::Binary(op) => fold::binary(op, scalar, number(0)?, number(1)?),
                Op::Compare(op) => Some(u64::from(fold::compare(op, scalar, number(0)?, number(1)?))),
                Op::Select => {
                    if number(0)? != 0 {
                        number(1)
                    } else {
                        number(2)
                    }
                }
                _ => {
                    let constants: Vec<Constant> = (0..operands.len())
                        .map(|operand| number(operand).map(Constant::Bits))
                        .collect::<Option<_>>()?;
                    let typed: Vec<(&Constant, Type)> =
                        constants.iter().zip(operands).map(|(constant, (_, ty))| (constant, *ty)).collect();
                    fold::fold(op, &typed, result)?.lane(0)
                }
            }
        };
        if operands.iter().all(|(column, _)| matches!(column, Column::Same(_))) {
            return (at(0).map_or(Column::Unknown, Column::Same), 1);
        }
        let numbers: Option<Vec<u64>> = (0..items).map(at).collect();
        (numbers.map_or(Column::Unknown, Column::of), items)
    }
}

/// A bit for each work-item of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mask(Rc<[bool]>);

impl Mask {
    pub fn all(items: usize) -> Mask {
        Mask(vec![true; items].into())
    }

    pub fn is_empty(&self) -> bool {
        !self.0.contains(&true)
    }

    pub fn has(&self, item: usize) -> bool {
        self.0[item]
    }

    pub fn items(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().enumerate().filter(|(_, is_in)| **is_in).map(|(item, _)| item)
    }

    /// Those for which a condition is known to be so.
    pub fn where_is(&self, condition: &Column, value: bool) -> Mask {
        let holds = |item: usize| condition.at(item).is_some_and(|bits| (bits != 0) == value);
        Mask((0..self.0.len()).map(|item| self.0[item] && holds(item)).collect())
    }

    pub fn or(&self, other: &Mask) -> Mask {
        Mask(self.0.iter().zip(other.0.iter()).map(|(&one, &two)| one || two).collect())
    }
}
