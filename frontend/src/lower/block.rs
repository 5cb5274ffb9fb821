//! Blocks of sub-groups (cl_intel_subgroups and its kind): each work-item has an element of every row.
//!
//! Rows of buffers are loads and stores. Those of images are library functions, which convert between the
//! pixels' bytes and their colours.

use super::builtin::Arguments;
use super::function::FunctionLowering;
use clvk_ir::{BinaryOp, ImageType, Op, Type, Value, WorkItemQuery};

impl FunctionLowering<'_, '_> {
    /// The addresses of the elements of a block that belong to this work-item: the one with its number in
    /// every row of as many as a sub-group has.
    fn block(&mut self, base: Value, size: u32, rows: u32) -> Vec<Value> {
        let lane = self.sub_group_query(WorkItemQuery::SubGroupLocalId);
        let width = self.sub_group_query(WorkItemQuery::MaxSubGroupSize);
        let mut index = lane;
        let mut addresses = Vec::new();
        for row in 0..rows {
            if row > 0 {
                index = self.build().binary(BinaryOp::Add, index, width);
            }
            addresses.push(self.build().pointer_index(base, index, u64::from(size)));
        }
        addresses
    }

    /// `intel_sub_group_block_read…`.
    pub fn block_read(&mut self, arguments: &Arguments) -> Value {
        let ty = self.lowering.value_type(arguments.result).expect("a block is a number or a vector");
        let size = ty.access_size() / ty.lanes();
        let element = ty.scalar().map_or(ty, Type::Scalar);
        let place = arguments.values[0];
        let elements: Vec<Value> = match self.function.ty(place) {
            Type::Image(image) => {
                self.image_block_read(place, image, arguments.values[1], (element, ty.lanes()))
            }
            _ => {
                let addresses = self.block(place, size, ty.lanes());
                addresses
                    .into_iter()
                    .map(|address| self.build().load(address, element, size, false))
                    .collect()
            }
        };
        match elements[..] {
            [only] => only,
            _ => self.build().value(Op::Construct, &elements, ty),
        }
    }

    /// `intel_sub_group_block_write…`.
    pub fn block_write(&mut self, arguments: &Arguments) -> Option<Value> {
        let place = arguments.values[0];
        let value = *arguments.values.last().expect("checked");
        let ty = self.function.ty(value);
        let elements: Vec<Value> = match ty.lanes() {
            1 => vec![value],
            lanes => (0..lanes).map(|row| self.build().extract(value, row as u8)).collect(),
        };
        if let Type::Image(image) = self.function.ty(place) {
            self.image_block_write(place, image, arguments.values[1], &elements);
            return None;
        }
        let size = ty.access_size() / ty.lanes();
        for (address, element) in self.block(place, size, ty.lanes()).into_iter().zip(elements) {
            self.build().store(address, element, size, false);
        }
        None
    }

    /// The elements that this work-item has of the rows of a block of an image.
    fn image_block_read(
        &mut self,
        image: Value,
        ty: ImageType,
        place: Value,
        (element, rows): (Type, u32),
    ) -> Vec<Value> {
        let name = format!("__clvk_block_{}_u{}", if ty.writable { "rw" } else { "ro" }, bits(element));
        let params = [Type::Image(ty), Type::I32, Type::I32];
        let function = self.lowering.library_function(name, &params, Some(element));
        let places = self.rows_of_block(place, rows);
        let read = |[x, y]: [Value; 2]| self.build().value(Op::Call(function), &[image, x, y], element);
        places.into_iter().map(read).collect()
    }

    /// Writes a block of an image. This work-item has an element of every row.
    fn image_block_write(&mut self, image: Value, ty: ImageType, place: Value, elements: &[Value]) {
        let element = self.function.ty(elements[0]);
        let access = if ty.readable { "rw" } else { "wo" };
        let name = format!("__clvk_block_write_{access}_u{}", bits(element));
        let params = [Type::Image(ty), Type::I32, Type::I32, element];
        let function = self.lowering.library_function(name, &params, None);
        let places = self.rows_of_block(place, elements.len() as u32);
        for ([x, y], &element) in places.into_iter().zip(elements) {
            self.push(Op::Call(function), &[image, x, y, element], &[]);
        }
    }

    /// The byte and the row at which each row of a block begins.
    fn rows_of_block(&mut self, place: Value, rows: u32) -> Vec<[Value; 2]> {
        let (x, y) = (self.build().extract(place, 0), self.build().extract(place, 1));
        let row = |row: u32| {
            let row = self.function.int(Type::I32, i64::from(row));
            [x, self.build().binary(BinaryOp::Add, y, row)]
        };
        (0..rows).map(row).collect()
    }
}

fn bits(element: Type) -> u32 {
    8 * element.access_size()
}
