//! Compares sizes and values with Khronos' headers (Debian's `opencl-c-headers`), not with the crate that the
//! driver uses: a mistake in the crate would affect the driver and its tests alike.
//!
//! - [`table`] reads `queries.txt`, which gives the C type of every answer according to the specification.
//! - [`khronos`] reads the headers: their queries by their text, sizes and values by a C program.
//! - [`answers`] asks live objects.
//!
//! A query that the headers have and the table lacks fails [`the_table_has_every_query`], so that newer
//! headers are noticed.

mod answers;
mod khronos;
mod table;

use khronos::Headers;
use std::collections::BTreeSet;
use table::Table;

/// Vendors whose extensions add queries to the headers. Only those of the extensions that the driver offers
/// are in the table.
const VENDORS: [&str; 12] =
    ["AMD", "ANDROID", "ARM", "EXP", "HUAWEI", "IMG", "INTEL", "MTK", "NV", "POCL", "QCOM", "QTI"];

/// What the names of queries start with.
const PREFIXES: [&str; 14] = [
    "CL_PLATFORM_",
    "CL_DEVICE_",
    "CL_DRIVER_",
    "CL_CONTEXT_",
    "CL_QUEUE_",
    "CL_MEM_",
    "CL_IMAGE_",
    "CL_PIPE_",
    "CL_SAMPLER_",
    "CL_PROGRAM_",
    "CL_KERNEL_",
    "CL_EVENT_",
    "CL_PROFILING_",
    "CL_COMMAND_BUFFER_",
];

#[test]
fn the_table_has_every_query() {
    let (headers, table) = (Headers::find(), Table::read());
    let mut missing = BTreeSet::new();
    for (group, name) in headers.names() {
        let vendor = name.rsplit('_').next().is_some_and(|suffix| VENDORS.contains(&suffix));
        let is_query = match group.as_deref() {
            Some(group) => table.groups.contains_key(group),
            None => PREFIXES.iter().any(|prefix| name.starts_with(prefix)),
        };
        if is_query && !vendor && !table.has(&name) {
            missing.insert(format!("{} {name}", group.unwrap_or_default()));
        }
    }
    assert!(missing.is_empty(), "add them to queries.txt: {missing:#?}");
}

#[test]
fn names_of_the_table_have_the_values_that_it_says() {
    let (headers, table) = (Headers::find(), Table::read());
    let names: Vec<&str> = table.rows().map(|row| row.name.as_str()).collect();
    let values = headers.values(&names);
    for row in table.rows() {
        match (values.get(&row.name), row.value) {
            (Some(known), Some(value)) => assert_eq!(*known, i64::from(value), "{}", row.name),
            (None, None) => assert!(row.ty.is_none(), "{}: the headers lack it, so say its value", row.name),
            _ => {}
        }
    }
}

#[test]
fn constants_and_types_are_those_of_the_headers() {
    let headers = Headers::find();
    let wrong = headers.disagreements(&khronos::rust_declarations());
    assert!(wrong.is_empty(), "{wrong:#?}");
}
