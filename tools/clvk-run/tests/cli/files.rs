//! NPY files and files of raw bytes.

use crate::harness::Folder;
use ndarray::{Array2, ArrayD, array};
use ndarray_npy::{read_npy, write_npy};

fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

#[test]
fn raw_files_are_read_and_written() {
    let folder = Folder::new("raw");
    folder.write("x.bin", floats(&[1.0, 2.0, 3.0]));
    folder.write("y.bin", floats(&[10.0, 20.0, 30.0]));
    let run = folder.good(&["run", "saxpy.cl", "--", "2", "in:x.bin", "inout:y.bin"]);
    assert!(run.out.contains("wrote y.bin") && !run.out.contains("wrote x.bin"), "{}", run.out);
    assert_eq!(folder.read("y.bin"), floats(&[12.0, 24.0, 36.0]));
    assert_eq!(folder.read("x.bin"), floats(&[1.0, 2.0, 3.0]));
    folder.good(&["run", "saxpy.cl", "--", "2", "in:x.bin", "out:z.raw:float[3]"]);
    assert_eq!(folder.read("z.raw"), floats(&[2.0, 4.0, 6.0]));
}

#[test]
fn npy_files_keep_type_and_shape() {
    let folder = Folder::new("npy");
    write_npy(folder.path("x.npy"), &array![[1f32, 2.0, 3.0], [4.0, 5.0, 6.0]]).unwrap();
    write_npy(folder.path("y.npy"), &Array2::<f32>::ones((3, 2))).unwrap();
    folder.good(&["run", "saxpy.cl", "--", "2", "in:x.npy", "inout:y.npy"]);
    let y: Array2<f32> = read_npy(folder.path("y.npy")).unwrap();
    assert_eq!(y, array![[3f32, 5.0], [7.0, 9.0], [11.0, 13.0]]);
    folder.good(&["run", "saxpy.cl", "--", "2", "in:x.npy", "out:z.npy:float[1,2,3]"]);
    let z: ArrayD<f32> = read_npy(folder.path("z.npy")).unwrap();
    assert_eq!((z.shape(), z[[0, 1, 2]]), (&[1, 2, 3][..], 12.0));
    // The lanes of a vector are the last dimension.
    folder.good(&["run", "saxpy.cl", "--", "2", "in:x.npy", "out:v.npy:float2[3]"]);
    assert_eq!(read_npy::<_, Array2<f32>>(folder.path("v.npy")).unwrap()[[2, 1]], 12.0);
}

#[test]
fn columns_first_is_read_as_what_it_means() {
    let folder = Folder::new("fortran");
    let columns = array![[1f32, 4.0], [2.0, 5.0], [3.0, 6.0]].reversed_axes();
    assert!(!columns.is_standard_layout());
    write_npy(folder.path("x.npy"), &columns).unwrap();
    let values = folder.printed(&["run", "saxpy.cl", "--print", "y", "--", "1", "in:x.npy", "zero:float[6]"]);
    assert_eq!(values, ["1", "2", "3", "4", "5", "6"]);
}

#[test]
fn wrong_files_are_refused() {
    let folder = Folder::new("wrong_files");
    write_npy(folder.path("double.npy"), &array![1f64, 2.0]).unwrap();
    write_npy(folder.path("int.npy"), &array![1i32, 2]).unwrap();
    write_npy(folder.path("empty.npy"), &ndarray::Array1::<f32>::zeros(0)).unwrap();
    write_npy(folder.path("right.npy"), &array![1f32, 2.0]).unwrap();
    let right = folder.read("right.npy");
    folder.write("short.npy", &right[..right.len() - 1]);
    folder.write("cut.npy", &right[..20]);
    folder.write("text.npy", "1 2 3\n");
    let huge = String::from_utf8(right[10..right.len() - 8].to_vec()).unwrap();
    let huge = huge.replacen("              \n", "\n", 1).replacen("(2,)", "(99999999999999,)", 1);
    folder.write(
        "huge.npy",
        [&right[..8], &(huge.len() as u16).to_le_bytes(), huge.as_bytes(), &[0; 8]].concat(),
    );
    let mut nested = vec![b'('; 60_000];
    nested.push(b'\n');
    let length = u16::try_from(nested.len()).unwrap().to_le_bytes();
    folder.write("nested.npy", [&right[..8], &length, &nested].concat());
    folder.write("odd.bin", [0; 7]);
    folder.write("empty.bin", []);
    for (argument, expected) in [
        ("in:missing.npy", "cannot read `missing.npy`: No such file or directory"),
        ("in:missing.bin", "name an existing file"),
        ("in:.", "cannot read `.`: it is not a regular file"),
        ("in:/dev/zero", "cannot read `/dev/zero`: it is not a regular file"),
        (
            "in:double.npy",
            "`double.npy` holds elements of NPY type '<f8', but parameter `x` (`float*`) needs `float`",
        ),
        ("in:int.npy", "NPY type '<i4'"),
        ("in:empty.npy", "`empty.npy` holds no elements"),
        ("in:short.npy", "has the shape [2], but 7 bytes of elements"),
        ("in:cut.npy", "damaged header"),
        ("in:text.npy", "damaged header"),
        ("in:huge.npy", "has the shape [99999999999999]"),
        ("in:nested.npy", "damaged header"),
        ("in:odd.bin", "`odd.bin` holds 7 bytes, which is not a whole number of `float` (4 bytes each)"),
        ("in:empty.bin", "holds no elements"),
    ] {
        folder.refused(2, &["run", "saxpy.cl", "--", "1", argument, "zero:float[2]"], &[expected]);
    }
    for (argument, expected) in [
        ("out:z.npy", "is not of the form `out:FILE:TYPE[N,M…]`"),
        ("out:no/such/folder/z.npy:float[2]", "cannot write `no/such/folder/z.npy`"),
        ("out:no/such/folder/z.bin:float[2]", "cannot write `no/such/folder/z.bin`"),
    ] {
        folder.refused(2, &["run", "saxpy.cl", "--", "1", "zero:float[2]", argument], &[expected]);
    }
}

#[test]
fn files_for_vectors_have_their_lanes_last() {
    let folder = Folder::new("npy_lanes");
    folder.write("v.cl", "__kernel void v(__global const float3 *in, __global float *out) { out[get_global_id(0)] = in[get_global_id(0)].z; }");
    write_npy(folder.path("four.npy"), &array![[1f32, 2.0, 3.0, 0.0], [4.0, 5.0, 6.0, 0.0]]).unwrap();
    write_npy(folder.path("three.npy"), &Array2::<f32>::zeros((4, 3))).unwrap();
    let run = |file| ["run", "v.cl", "--print", "out", "--", file, "zero:float[2]"];
    assert_eq!(folder.printed(&run("in:four.npy")), ["3", "6"]);
    folder.refused(2, &run("in:three.npy"), &["the shape [4, 3]", "`float3`: a last dimension of 4"]);
}

#[test]
fn structures_are_raw_bytes() {
    let folder = Folder::new("structures");
    folder.write(
        "s.cl",
        "typedef struct { int a; float b; } Pair;
        __kernel void s(Pair p, __global Pair *out) { out[get_global_id(0)].a = p.a + 1; out[get_global_id(0)].b = p.b; }",
    );
    folder.write("p.bin", [[7, 0, 0, 0], 2.5f32.to_le_bytes()].concat());
    folder.good(&["run", "s.cl", "--global", "2", "--", "in:p.bin", "out:o.bin:uchar[16]"]);
    assert_eq!(folder.read("o.bin"), [[8, 0, 0, 0], 2.5f32.to_le_bytes()].concat().repeat(2));
    folder.write("p.bin", [0; 9]);
    folder.refused(2, &["run", "s.cl", "--global", "2", "--", "in:p.bin", "zero:uchar[16]"], &["9 bytes"]);
    folder.refused(
        2,
        &["run", "s.cl", "--global", "2", "--", "3", "zero:uchar[16]"],
        &["structure", "in:FILE"],
    );
}

#[test]
fn structures_are_written_as_literals_and_printed() {
    let folder = Folder::new("structure_literals");
    folder.write(
        "s.cl",
        "typedef struct { short2 v; char tail[2]; } Inner;
        typedef struct { int a; Inner inner; float b; } Outer;
        kernel void s(Outer in, global Outer *out) {
            in.a += get_global_id(0);
            in.inner.v = in.inner.v.yx;
            out[get_global_id(0)] = in;
        }",
    );
    let run = |value: &'static str, options: &[&'static str]| {
        let head = ["run", "s.cl", "--print", "out:2"];
        [&head[..], options, &["--", value, "zero:uchar[32]"]].concat()
    };
    let out = folder.good(&run("{7, {(1,-2), {3, 4}}, 2.5f}", &[])).out;
    let element = |a| format!("{{a: {a}, inner: {{v: (-2, 1), tail: {{3, 4}}}}, b: 2.5}}");
    assert!(out.contains(&format!("\nout: {} {}\n", element(7), element(8))), "{out}");
    let report = folder.good(&run("{7, {(1,-2), {3, 4}}, 2.5f}", &["--json"])).out;
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    let first = serde_json::json!({"a": 7, "inner": {"v": [-2, 1], "tail": [3, 4]}, "b": 2.5});
    assert_eq!(report["printed"][0]["values"][0], first);
    for (value, expected) in [
        ("{7, 1}", "it has 3 members (a, inner, b), but 2 values were given"),
        ("{7, {(1,2), {3, 400}}, 2.5f}", "`.inner.tail[1]` cannot be 400"),
        (
            "7",
            "`in` (`Outer`) is a structure, written `{…}` or given as `in:FILE`: it takes its members in `{}`",
        ),
    ] {
        folder.refused(2, &run(value, &[]), &[expected]);
    }
    // A union has no members to name one by one.
    folder.write(
        "u.cl",
        "typedef union { int a; float b; } U; kernel void u(U in, global int *x) { x[0] = in.a; }",
    );
    folder.refused(2, &["run", "u.cl", "--", "{1}", "zero:int[1]"], &["union", "`in:FILE`"]);
}

#[test]
fn the_lanes_of_a_vector_may_be_a_part_of_the_last_dimension() {
    let folder = Folder::new("npy_part");
    folder.write("v.cl", "kernel void v(global float2 *x) { x[get_global_id(0)] = x[get_global_id(0)].yx; }");
    let values = Array2::<f32>::from_shape_fn((4, 512), |(row, column)| (row * 512 + column) as f32);
    write_npy(folder.path("x.npy"), &values).unwrap();
    let run = folder.good(&["run", "v.cl", "--print", "x:1", "--", "inout:x.npy"]);
    assert!(run.out.contains("global 1024,") && run.out.contains("x: (1, 0)"), "{}", run.out);
    let swapped: Array2<f32> = read_npy(folder.path("x.npy")).unwrap();
    assert_eq!((swapped.shape(), swapped[[1, 0]], swapped[[1, 1]]), (&[4, 512][..], 513.0, 512.0));
}

#[test]
fn complex_numbers_are_vectors_of_two() {
    use num_complex::Complex;
    let folder = Folder::new("npy_complex");
    folder
        .write("v.cl", "kernel void v(global float2 *x) { x[get_global_id(0)].y = -x[get_global_id(0)].y; }");
    let values = array![
        [Complex::new(1f32, 2.0), Complex::new(3.0, 4.0)],
        [Complex::new(5.0, 6.0), Complex::new(7.0, 8.0)]
    ];
    write_npy(folder.path("x.npy"), &values).unwrap();
    folder.good(&["run", "v.cl", "--", "inout:x.npy"]);
    let conjugates: Array2<Complex<f32>> = read_npy(folder.path("x.npy")).unwrap();
    assert_eq!(conjugates, values.mapv(|value| value.conj()));
    // They suit nothing else.
    folder.refused(2, &["run", "saxpy.cl", "--", "1", "in:x.npy", "zero:float[4]"], &["NPY type '<c8'"]);
}

#[test]
fn small_arrays_are_text() {
    let folder = Folder::new("csv");
    folder.write("x.csv", "a,b\n1,2\n3,4.5\n");
    folder.good(&["run", "saxpy.cl", "--", "2", "in:x.csv", "out:y.csv:float[2,2]"]);
    assert_eq!(folder.read("y.csv"), b"2,4\n6,9\n");
    folder.write("v.cl", "kernel void v(global const float3 *x, global float3 *y) { y[get_global_id(0)] = x[get_global_id(0)] * 2; }");
    folder.write("v.csv", "1 2 3\n4 5 6\n");
    folder.good(&["run", "v.cl", "--", "in:v.csv", "out:w.csv:float3[2]"]);
    assert_eq!(folder.read("w.csv"), b"2,4,6\n8,10,12\n");
    folder.write("expected.csv", "2,4,6\n8,10,12.5\n");
    let run = folder.run(&["run", "v.cl", "--verify", "y=expected.csv", "--", "in:v.csv", "zero:float3[2]"]);
    assert!(run.out.contains("y: WRONG, 1 of 2 elements differ") && run.code == 1, "{run:?}");
    assert!(run.out.contains("y[1] is (8, 10, 12), expected (8, 10, 12.5)"), "{run:?}");
    folder.write("bad.csv", "1,2\n3\n");
    folder.refused(
        2,
        &["run", "saxpy.cl", "--", "1", "in:bad.csv", "zero:float[3]"],
        &["cannot read `bad.csv`: line 2 has 1 value, but the first row has 2"],
    );
}

#[test]
fn an_ending_that_promises_something_else_is_a_warning() {
    let folder = Folder::new("endings");
    for (name, promise) in [("y.tiff", "a picture"), ("y.txt", "text"), ("y.npz", "an array")] {
        let output = format!("out:{name}:float[2]");
        let run = folder.run(&["run", "saxpy.cl", "--", "1", "fill:3:float[2]", &output]);
        assert_eq!((run.code, run.err.trim_end().lines().count()), (0, 1), "{run:?}");
        let expected = format!("warning: `{name}` gets raw bytes, although its name promises {promise}");
        assert!(run.err.starts_with(&expected), "{run:?}");
        assert_eq!(folder.read(name), floats(&[3.0, 3.0]));
    }
    folder.good(&["run", "saxpy.cl", "--", "1", "fill:3:float[2]", "out:y.raw:float[2]"]);
}

#[test]
fn a_dash_is_a_standard_stream() {
    use std::io::Write;
    use std::process::Stdio;
    let folder = Folder::new("streams");
    let run = |arguments: &[&str], input: &[u8]| {
        let mut command = folder.command(arguments);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(input).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        (output.stdout, String::from_utf8(output.stderr).unwrap())
    };
    let arguments = ["run", "saxpy.cl", "--print", "y:1", "--", "2", "in:-", "out:-:float[2]"];
    let (out, err) = run(&arguments, &floats(&[1.0, 4.0]));
    assert_eq!(out, floats(&[2.0, 8.0]));
    // The report gives way.
    assert!(err.contains("y: 2\n") && !err.contains("wrote"), "{err}");
    // An NPY file is known by its first bytes.
    write_npy(folder.path("x.npy"), &array![1f32, 4.0]).unwrap();
    let (out, _) = run(&["run", "saxpy.cl", "--", "2", "in:-", "out:-.npy:float[2]"], &folder.read("x.npy"));
    folder.write("y.npy", &out);
    assert_eq!(read_npy::<_, ndarray::Array1<f32>>(folder.path("y.npy")).unwrap(), array![2f32, 8.0]);
    let (out, _) =
        run(&["run", "-", "--", "2", "fill:1:float[2]", "out:-.csv:float[2]"], &folder.read("saxpy.cl"));
    assert_eq!(out, b"2\n2\n");
    let (out, _) = run(&["compile", "-", "-o", "-"], &folder.read("saxpy.cl"));
    assert_eq!(out[..4], 0x0723_0203u32.to_le_bytes());
    run(
        &["run", "saxpy.cl", "--verify", "y=-", "--", "2", "fill:1:float[2]", "zero:float[2]"],
        &floats(&[2.0, 2.0]),
    );
    folder.refused(2, &["run", "-", "--", "2", "in:-", "zero:float[2]"], &["can be read only once"]);
    folder.refused(
        2,
        &["run", "saxpy.cl", "--", "2", "inout:-", "out:-:float[2]"],
        &["can be written only once"],
    );
}

#[test]
fn npy_files_of_half_keep_their_type() {
    let folder = Folder::new("npy_half");
    folder.write("h.cl", "kernel void h(global half *x) { vstore_half(vload_half(get_global_id(0), x) * 2, get_global_id(0), x); }");
    // As NumPy writes numpy.array([1, -0.5], dtype=numpy.float16).
    let mut header = b"{'descr': '<f2', 'fortran_order': False, 'shape': (2,), }".to_vec();
    header.resize(117, b' ');
    header.push(b'\n');
    let of = |halves: [u16; 2]| {
        let numbers = halves.map(u16::to_le_bytes).concat();
        [&b"\x93NUMPY\x01\x00"[..], &[118, 0], &header, &numbers].concat()
    };
    folder.write("x.npy", of([0x3c00, 0xb800]));
    folder.good(&["run", "h.cl", "--", "inout:x.npy"]);
    let written = folder.read("x.npy");
    assert_eq!(written[written.len() - 4..], [0x4000u16, 0xbc00].map(u16::to_le_bytes).concat());
    let text = String::from_utf8_lossy(&written).into_owned();
    assert!(text.contains("'descr': '<f2'") && text.contains("'shape': (2,)"), "{text}");
    write_npy(folder.path("u.npy"), &array![1u16, 2]).unwrap();
    folder.refused(
        2,
        &["run", "h.cl", "--", "in:u.npy"],
        &["`u.npy` holds elements of NPY type '<u2'", "needs `half`"],
    );
    folder.refused(2, &["run", "saxpy.cl", "--", "1", "in:x.npy", "zero:float[2]"], &["NPY type '<f2'"]);
}
