//! Checks of coordinates: reads without a sampler and writes must stay in the image (OpenCL C §6.15.15).

use super::report::{Details, Reporter};
use crate::passes::cursor::Cursor;
use clvk_interface::ImageQuery;
use clvk_interface::sanitize::{Access, Checked, NULL_OBJECT};
use clvk_ir::{BinaryOp, CompareOp, ConvertOp, ImageDimension, ImageOp, Inst, Op, Type, UnaryOp, Value};

/// The sizes that bound the coordinates of a shape, in order.
fn bounds(dimension: ImageDimension) -> &'static [ImageQuery] {
    use ImageQuery::{ArraySize, Depth, Height, Width};
    match dimension {
        ImageDimension::D1 | ImageDimension::D1Buffer => &[Width],
        ImageDimension::D1Array => &[Width, ArraySize],
        ImageDimension::D2 | ImageDimension::D2Depth => &[Width, Height],
        ImageDimension::D2Array | ImageDimension::D2ArrayDepth => &[Width, Height, ArraySize],
        ImageDimension::D3 => &[Width, Height, Depth],
    }
}

/// Checks the coordinates of a read or write; everything else stays as it is.
pub fn access(cursor: &mut Cursor<'_>, reporter: &mut Reporter<'_>, inst: Inst, op: ImageOp) {
    let (access, level) = match op {
        ImageOp::Read { .. } => (Access::Read, 2),
        ImageOp::Write { .. } => (Access::Write, 3),
        _ => return cursor.keep(inst),
    };
    let image = cursor.operand(inst, 0);
    let Type::Image(ty) = cursor.function.ty(image) else { return cursor.keep(inst) };
    let coordinates = cursor.operand(inst, 1);
    let level = cursor.function.insts[inst].operands.get(level).map(|&level| cursor.get(level));
    let query =
        |cursor: &mut Cursor<'_>, query| cursor.value(Op::Image(ImageOp::Query(query)), &[image], Type::I32);
    let mut fails: Vec<(Value, Value, Value)> = Vec::new();
    if let Some(level) = level {
        let levels = query(cursor, ImageQuery::Levels);
        let fail = cursor.compare(CompareOp::UGe, level, levels);
        fails.push((fail, level, levels));
    }
    for (lane, &which) in bounds(ty.dimension).iter().enumerate() {
        let coordinate = cursor.extract(coordinates, lane as u32);
        let mut size = query(cursor, which);
        if let Some(level) = level.filter(|_| which != ImageQuery::ArraySize) {
            let reduced = cursor.binary(BinaryOp::LShr, size, level);
            let one = cursor.int(Type::I32, 1);
            size = cursor.binary(BinaryOp::UMax, reduced, one);
        }
        let fail = cursor.compare(CompareOp::UGe, coordinate, size);
        fails.push((fail, coordinate, size));
    }
    let any = fails.iter().map(|&(fail, ..)| fail).reduce(|any, fail| cursor.binary(BinaryOp::Or, any, fail));
    let fits = cursor.value(Op::Unary(UnaryOp::Not), &[any.expect("shapes have sizes")], Type::BOOL);
    let result = cursor.function.insts[inst].results.first().copied();
    let types: Vec<Type> = result.map(|result| cursor.function.ty(result)).into_iter().collect();
    let zeros: Vec<Value> = types.iter().map(|&ty| cursor.function.zero(ty)).collect();
    let regions = [cursor.function.add_region(), cursor.function.add_region()];
    let check = cursor.push(Op::If, &[fits], &types, &regions);
    cursor.open(regions[0]);
    cursor.keep(inst);
    cursor.push(Op::Exit(check), result.as_slice(), &[], &[]);
    cursor.close();
    cursor.open(regions[1]);
    let (_, mut value, mut size) = fails[0];
    for &(fail, other, bound) in &fails[1..] {
        value = cursor.select(fail, other, value);
        size = cursor.select(fail, bound, size);
    }
    let value = cursor.convert(ConvertOp::SignExtend, value, Type::I64);
    let size = cursor.convert(ConvertOp::ZeroExtend, size, Type::I64);
    let object = cursor.int(Type::I32, NULL_OBJECT.into());
    let details = Details { object: Some(object), values: [Some(value), Some(size)] };
    reporter.report(cursor, Checked::Texel { access }, details);
    cursor.push(Op::Exit(check), &zeros, &[], &[]);
    cursor.close();
    if let Some(result) = result {
        let new = cursor.result(check);
        cursor.replace(result, new);
    }
}
