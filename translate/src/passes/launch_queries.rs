//! What the passes that answer launch queries have in common (OpenCL C §6.15.1).

use super::cursor::Cursor;
use clvk_ir::{BinaryOp, CompareOp, Type, Value, WorkItemQuery};

/// A pass that answers launch queries.
pub trait LaunchQueries<'f> {
    /// Where it is in the function.
    fn cursor(&mut self) -> &mut Cursor<'f>;

    /// The answer in one of the dimensions 0 to 2, an `I32`.
    fn component(&mut self, query: WorkItemQuery, dimension: u32) -> Value;

    /// The answer in a dimension that may be dynamic, an `I32`. From dimension 3 on, sizes are 1 and ids are
    /// 0.
    fn in_dimension(&mut self, query: WorkItemQuery, dimension: Value) -> Value {
        let is_size = matches!(
            query,
            WorkItemQuery::GlobalSize
                | WorkItemQuery::LocalSize
                | WorkItemQuery::EnqueuedLocalSize
                | WorkItemQuery::NumGroups
        );
        let beyond = self.cursor().int(Type::I32, i64::from(is_size));
        if let Some(known) = self.cursor().function.as_bits(dimension) {
            return if known < 3 { self.component(query, known as u32) } else { beyond };
        }
        let ty = self.cursor().function.ty(dimension);
        (0..3).rev().fold(beyond, |value, known| {
            let component = self.component(query, known);
            let cursor = self.cursor();
            let known = cursor.int(ty, i64::from(known));
            let this = cursor.compare(CompareOp::Eq, dimension, known);
            cursor.select(this, component, value)
        })
    }

    /// The product of sizes in three dimensions.
    fn volume(&mut self, [x, y, z]: [Value; 3]) -> Value {
        let plane = self.cursor().binary(BinaryOp::Mul, x, y);
        self.cursor().binary(BinaryOp::Mul, plane, z)
    }
}
