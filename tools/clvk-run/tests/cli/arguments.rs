//! Values, buffers without files, local memory.

use crate::harness::Folder;

const VALUES: &str = "\
__kernel void values(char c, uint u, long l, float f, int4 v, float3 w, __global float *out) {
    out[0] = c; out[1] = u; out[2] = l; out[3] = f;
    out[4] = v.x; out[5] = v.y; out[6] = v.z; out[7] = v.w;
    out[8] = w.x; out[9] = w.y; out[10] = w.z;
}
";

#[test]
fn values_are_converted_to_the_types_of_the_parameters() {
    let folder = Folder::new("values");
    folder.write("v.cl", VALUES);
    let run = |values: &[&str]| {
        let head = ["run", "v.cl", "--global", "1", "--print", "out:11", "--"];
        folder.printed(&[&head[..], values, &["zero:float[11]"]].concat())
    };
    assert_eq!(
        run(&["-3", "7u", "-40", "2.5f", "(1,-2,3,4)", "(0.5,1,1e3)"]),
        ["-3", "7", "-40", "2.5", "1", "-2", "3", "4", "0.5", "1", "1000"]
    );
    // Whole numbers may be written as floats, and the other way round.
    assert_eq!(
        run(&["5.0", "0x10", "3.0f", "-8", "(1.0,2,3,4)", "(1,2,3)"]),
        ["5", "16", "3", "-8", "1", "2", "3", "4", "1", "2", "3"]
    );
}

#[test]
fn values_that_do_not_fit_are_refused() {
    let folder = Folder::new("values_refused");
    folder.write("v.cl", VALUES);
    let right = ["1", "2", "3", "4.5f", "(1,2,3,4)", "(1,2,3)", "zero:float[11]"];
    for (index, wrong, expected) in [
        (0, "128", "`c` (`char`) cannot be 128: 128 does not fit: its values go from -128 to 127"),
        (1, "-1", "`u` (`uint`) cannot be -1"),
        (1, "2.5f", "2.5 is not a whole number"),
        (2, "9223372036854775808", "`l` (`long`)"),
        (3, "(1,2)", "`f` (`float`) takes one number, but 2 were given"),
        (3, "zero:float[4]", "`f` (`float`) was given a buffer, but it needs a value"),
        (3, "1e39", "`f` (`float`) cannot be 1e39: "),
        (3, "1e400", "`1e400` is not a kernel argument"),
        (3, "{1,2}", "`f` (`float`) takes numbers, but the structure `{1, 2}` was given"),
        (3, "(1,2", "a vector is `(1,2,3,4)`"),
        (3, "nonsense", "`nonsense` is not a kernel argument"),
        (4, "7", "`v` (`int4`) has 4 lanes, but 1 were given"),
        (4, "(1,2,3,4.5)", "4.5 is not a whole number"),
        (5, "(1,2,3,4)", "`w` (`float3`) has 3 lanes, but 4 were given"),
        (6, "1", "`out` (`float*`) was given a number, but it needs a buffer"),
        (6, "local:64", "was given local memory, but it needs a buffer"),
        (6, "sampler:clamp,nearest,normalized", "was given a sampler"),
    ] {
        let mut values = right;
        values[index] = wrong;
        folder.refused(2, &[&["run", "v.cl", "--global", "1", "--"], &values[..]].concat(), &[expected]);
    }
}

const COPY: &str = "\
__kernel void copy(__global const TYPE *in, __global TYPE *out) { out[get_global_id(0)] = in[get_global_id(0)]; }
";

#[test]
fn buffers_are_zeroed_and_filled() {
    let folder = Folder::new("fill");
    folder.write("c.cl", COPY);
    let copied = |ty: &str, argument: &str| {
        let define = format!("-DTYPE={ty}");
        folder.printed(&[
            "run",
            "c.cl",
            &define,
            "--print",
            "out",
            "--",
            argument,
            &format!("fill:1:{ty}[5]"),
        ])
    };
    assert_eq!(copied("int", "zero:int[5]"), ["0"; 5]);
    assert_eq!(copied("int", "fill:-7:int[5]"), ["-7"; 5]);
    // Patterns of 1, 2 and 8 bytes, none of them a multiple of what a fill on the device takes.
    assert_eq!(copied("char", "fill:-3:char[5]"), ["-3"; 5]);
    assert_eq!(copied("short", "fill:1234:short[5]"), ["1234"; 5]);
    assert_eq!(copied("long", "fill:81985529216486895:long[5]"), ["81985529216486895"; 5]);
    assert_eq!(copied("float", "fill:2.5f:float[5]"), ["2.5"; 5]);
    assert_eq!(copied("float", "fill:inf:float[5]"), ["inf"; 5]);
}

#[test]
fn random_buffers_are_the_same_for_the_same_seed() {
    let folder = Folder::new("random");
    folder.write("c.cl", COPY);
    let random = |seed: &str| {
        let argument = format!("rand:{seed}:float[1000]");
        folder.printed(&[
            "run",
            "c.cl",
            "-DTYPE=float",
            "--print",
            "out:1000",
            "--",
            &argument,
            "zero:float[1000]",
        ])
    };
    let first = random("1");
    assert_eq!(first, random("1"));
    assert_ne!(first, random("2"));
    let numbers: Vec<f64> = first.iter().map(|text| text.parse().unwrap()).collect();
    assert!(numbers.iter().all(|number| (0.0..1.0).contains(number)));
    let mean = numbers.iter().sum::<f64>() / 1000.0;
    assert!((0.45..0.55).contains(&mean), "{mean}");
    // Promised for ever: files made from seeds must stay reproducible.
    assert_eq!(first[..2], ["0.5493782", "0.4024856"]);
    let bytes = folder.printed(&[
        "run",
        "c.cl",
        "-DTYPE=uchar",
        "--print",
        "out:500",
        "--",
        "rand:1:uchar[500]",
        "zero:uchar[500]",
    ]);
    assert!(bytes.iter().any(|text| text.parse::<u8>().unwrap() > 250));
}

#[test]
fn large_buffers_are_random_to_their_end() {
    // 20 MiB: more than the host makes at a time.
    let folder = Folder::new("random_large");
    folder.write("c.cl", "__kernel void tail(__global const uint *in, __global uint *out) { out[0] = in[5242879]; out[1] = in[4194304]; out[2] = in[0]; }");
    let tail = folder.printed(&[
        "run",
        "c.cl",
        "--global",
        "1",
        "--print",
        "out",
        "--",
        "rand:3:uint[5242880]",
        "zero:uint[3]",
    ]);
    assert!(tail[0] != tail[1] && tail[1] != tail[2] && !tail.contains(&"0".to_owned()), "{tail:?}");
}

#[test]
fn vectors_may_be_given_for_scalars_but_not_other_types() {
    let folder = Folder::new("types");
    folder.good(&["run", "saxpy.cl", "--", "1", "zero:float4[4]", "zero:float[4,4]"]);
    for (argument, expected) in [
        ("y.npy", "`y.npy` is not a kernel argument; did you mean `in:y.npy`?"),
        ("./y", "did you mean `in:./y`?"),
        ("y.png", "did you mean `image:y.png` or `in:y.png`?"),
        ("float[16]", "did you mean `zero:float[16]`?"),
        ("NULL", "did you mean `null`?"),
        ("fil:1:float[16]", "did you mean `fill:`?"),
        ("imageout:a.png:4x4", "did you mean `image-out:`?"),
        ("fill:(1,2):float4[4]", "gives 2 numbers for each `float4`, which has 4"),
        ("zero:float[99999999999]", "parameter `y` (`float*`): "),
        ("zero:int[16]", "`y` (`float*`) needs elements of type `float`, but `int` were given"),
        ("zero:float3[16]", "but `float3` were given"),
        ("fill:1.5:uint[16]", "but `uint` were given"),
        ("zero:flot[16]", "`flot` in `zero:flot[16]` is not a type"),
        ("zero:float[0]", "empty: every extent must be at least 1"),
        ("zero:float[-1]", "is not of the form"),
        ("rand:x:float[4]", "is not of the form `rand:SEED:TYPE[N]`"),
        ("fill:float[4]", "is not of the form `fill:VALUE:TYPE[N]`"),
        ("inn:x", "`inn:` in `inn:x` is not a kind of kernel argument; the kinds are in, inout"),
    ] {
        folder.refused(2, &["run", "saxpy.cl", "--", "1", "zero:float[16]", argument], &[expected]);
    }
    folder.write("c.cl", COPY);
    folder.refused(
        2,
        &["run", "c.cl", "-DTYPE=uchar", "--", "fill:256:uchar[4]", "zero:uchar[4]"],
        &["`in` (`uchar*`) cannot be filled with 256", "from 0 to 255"],
    );
}

#[test]
fn a_pointer_may_be_null() {
    let folder = Folder::new("null");
    folder.write(
        "n.cl",
        "__kernel void sum(__global int *out, __global const int *a, __global const int *b, int n) {
            uint i = get_global_id(0);
            out[i] = (a ? a[i] : n) + (b ? b[i] : 10 * n);
        }",
    );
    let run = |a: &'static str, b: &'static str| {
        ["run", "n.cl", "--global", "2", "--print", "out", "--", "zero:int[2]", a, b, "3"]
    };
    assert_eq!(folder.printed(&run("fill:5:int[2]", "null")), ["35", "35"]);
    assert_eq!(folder.printed(&run("null", "null")), ["33", "33"]);
    folder.refused(
        2,
        &["run", "n.cl", "--", "zero:int[2]", "null", "null", "null"],
        &["`n`", "a null pointer", "a value"],
    );
}

#[test]
fn local_memory_has_the_size_that_is_given() {
    let folder = Folder::new("local");
    folder.write(
        "l.cl",
        "__kernel void reverse(__global int *data, __local int *tile) {
            uint i = get_local_id(0), n = get_local_size(0);
            tile[i] = data[get_global_id(0)] + get_global_id(0);
            barrier(CLK_LOCAL_MEM_FENCE);
            data[get_global_id(0)] = tile[n - 1 - i];
        }",
    );
    let run =
        |local: &'static str| ["run", "l.cl", "--local", "4", "--print", "data", "--", "zero:int[8]", local];
    assert_eq!(folder.printed(&run("local:16")), ["3", "2", "1", "0", "7", "6", "5", "4"]);
    folder.refused(
        2,
        &run("16"),
        &["`tile`", "was given a number, but it needs `local:BYTES`; did you mean `local:16`?"],
    );
    folder.refused(2, &run("local:many"), &["is not of the form `local:BYTES`"]);
    folder.refused(2, &run("local:0"), &["tile"]);
    folder.refused(2, &run("local:99999999999"), &["tile"]);
    folder.refused(2, &run("local:3000000"), &["3000000 for `tile`", "give smaller local arguments"]);
    // What the kernel declares itself cannot be made smaller by an argument.
    folder.write(
        "o.cl",
        "kernel void own(global int *x, local int *tile) {
            local int huge[1000000];
            huge[get_local_id(0)] = tile[0] = 1;
            barrier(CLK_LOCAL_MEM_FENCE);
            x[0] = huge[x[0]];
        }",
    );
    folder.refused(
        2,
        &["run", "o.cl", "--", "zero:int[8]", "local:4"],
        &["its `__local` variables take 4000000 bytes", "declare smaller ones"],
    );
}

#[test]
fn buffers_are_filled_with_vectors() {
    let folder = Folder::new("fill_vectors");
    folder.write("c.cl", COPY);
    let copied = |ty: &str, value: &str| {
        let (define, fill) = (format!("-DTYPE={ty}"), format!("fill:{value}:{ty}[3]"));
        let zero = format!("zero:{ty}[3]");
        let run = folder.good(&["run", "c.cl", &define, "--print", "out:2", "--", &fill, &zero]);
        run.out.lines().nth(1).unwrap().to_owned()
    };
    assert_eq!(copied("float4", "(1,2.5,3,4)"), "out: (1, 2.5, 3, 4) (1, 2.5, 3, 4)");
    assert_eq!(copied("uchar3", "(1,2,3)"), "out: (1, 2, 3) (1, 2, 3)");
    assert_eq!(copied("short2", "(-1,7)"), "out: (-1, 7) (-1, 7)");
    assert_eq!(copied("int4", "9"), "out: (9, 9, 9, 9) (9, 9, 9, 9)");
}
