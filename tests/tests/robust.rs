//! Kernels that access memory far outside of their arguments, on every device, with addresses and with
//! descriptors: in robust mode only their arguments are read or written.

use clvk_tests::bench::{Bench, Settings};
use clvk_tests::{judge, pipeline};
use vk_runtime::{Arg, Buffer, Kernel, LaunchConfig, Program};

/// Each kernel writes what it saw to `seen`, whose elements were 7.
const SOURCE: &str = r#"
kernel void load(global const int *in, global int *seen, long far)
{
    seen[0] = in[far];
    seen[1] = in[-far];
    seen[2] = vload4(0, in + far).w;
    seen[3] = ((global const uchar *)in)[far * 4 + 1];
    seen[4] = in[3];
    seen[5] = in[4];
    seen[6] = in[-1];
    seen[7] = vload4(0, in + 1).x;
}

kernel void store(global int *out, global int *seen, long far)
{
    out[far] = 99;
    out[-far] = 99;
    vstore4((int4)(99), 0, out + far);
    ((global uchar *)out)[far * 4 + 1] = 99;
    out[4] = 99;
    out[-1] = 99;
    out[3] = 5;
    seen[0] = 1;
}

kernel void atomics(global int *out, global int *seen, long far)
{
    seen[0] = atomic_add(out + far, 1);
    seen[1] = atomic_cmpxchg(out - far, 0, 3);
    seen[2] = atomic_xchg(out + 4, 9);
    seen[3] = atomic_inc(out + 3);
    seen[4] = atomic_add(out - 1, 1);
}

kernel void copy(global int *out, global int *seen, long far)
{
    struct { int values[24]; } block;
    for (int i = 0; i < 24; i++)
        block.values[i] = i + 100;
    *(global __typeof__(block) *)(out + far) = block;
    *(global __typeof__(block) *)(out + 2) = block;
    block = *(global __typeof__(block) *)(out + far);
    seen[0] = block.values[23];
    seen[1] = block.values[seen[2] - 7];
}

kernel void arrays(global int *seen, local int *given, long far)
{
    const int tables[4] = { 11, 12, 13, 14 };
    local int own[4];
    int mine[4];
    for (int i = 0; i < 4; i++)
        own[i] = mine[i] = given[i] = i + 20;
    int at = (int)far, seven = seen[1];
    own[at] = 1;
    mine[at] = 1;
    given[at] = 1;
    own[-at] = mine[-at] = given[-at] = 1;
    own[seven - 3] = mine[seven - 3] = given[seven - 3] = 1;
    seen[0] = own[at] + mine[at] + given[at] + tables[at & 0xffff];
    seen[1] = own[-at] + mine[-at] + given[-at] + tables[-at];
    seen[2] = own[3] + mine[seven - 4] + given[3] + tables[seven - 4];
    seen[3] = own[seven - 3] + mine[seven - 3] + given[seven - 3] + tables[seven - 3];
}

kernel void either(global int *a, global int *b, global int *seen, long far)
{
    global int *pointer = seen[0] == 7 ? a : b;
    pointer[far] = 99;
    seen[1] = pointer[far];
    seen[2] = pointer[1];
    for (int i = 0; i < 100; i++)
        pointer++;
    seen[3] = *pointer;
    *pointer = 99;
}
"#;

/// Size of the whole buffer in words; the argument is a part of it.
const WHOLE: usize = 4096;
/// The first word of the part, and its size in words.
const PART: (usize, usize) = (1024, 4);

/// A device in robust mode, and the kernels of [`SOURCE`] for it.
struct Robust {
    bench: Bench,
    program: Program,
}

impl Robust {
    fn new(index: usize, descriptors: bool) -> Robust {
        let settings = Settings { descriptors, robust: true, ..Settings::default() };
        let bench = Bench::new(index, &settings).unwrap();
        let options = ["-cl-std=CL3.0".to_owned()];
        let module = pipeline::compile("robust.cl", SOURCE, &options, bench.compiler()).unwrap();
        let program = Program::new(&bench.device, module).unwrap();
        Robust { bench, program }
    }

    fn kernel(&self, name: &str) -> Kernel {
        self.program.kernel(name).unwrap()
    }

    fn words(&self, words: &[i32]) -> Buffer {
        Buffer::with_data(&self.bench.device, bytemuck::cast_slice(words)).unwrap()
    }

    /// The first eight words of `seen` after a launch with these arguments.
    fn run(&self, name: &str, seen: &Buffer, arguments: &[Arg<'_>]) -> [i32; 8] {
        let work = || {
            self.kernel(name).launch(&LaunchConfig::linear(1), arguments)?.wait()?;
            let mut words = [0; 8];
            seen.read(0, bytemuck::cast_slice_mut(&mut words))?;
            Ok(words)
        };
        self.bench.exclusively(work).unwrap()
    }
}

fn read(buffer: &Buffer) -> Vec<i32> {
    let mut words = vec![0; buffer.size() as usize / 4];
    buffer.read(0, bytemuck::cast_slice_mut(&mut words)).unwrap();
    words
}

/// Distances in words: in the same buffer, in the same or another allocation, and nowhere.
const DISTANCES: [i64; 4] = [5, 700, 1 << 20, 1 << 29];

fn on_each(check: impl Fn(&Robust, i64, &str)) {
    for (index, info) in judge::devices().unwrap() {
        for descriptors in [false, true] {
            let bench = Robust::new(index, descriptors);
            for far in DISTANCES {
                check(&bench, far, &format!("{} far {far} descriptors {descriptors}", info.name()));
            }
        }
    }
}

#[test]
fn loads_from_elsewhere_give_zero() {
    on_each(|bench, far, context| {
        let whole = bench.words(&[42; WHOLE]);
        let part = whole.part(PART.0 as u64 * 4, PART.1 as u64 * 4).unwrap();
        let seen = bench.words(&[7; 8]);
        let found = bench.run(
            "load",
            &seen,
            &[Arg::Buffer(&part), Arg::Buffer(&seen), Arg::Bytes(&far.to_le_bytes())],
        );
        assert_eq!(found[..7], [0, 0, 0, 0, 42, 0, 0], "{context}");
        // Each element of a vector that lies partly inside may be read or not.
        assert!([0, 42].contains(&found[7]), "{context}: {}", found[7]);
    });
}

#[test]
fn stores_and_atomic_operations_elsewhere_do_nothing() {
    on_each(|bench, far, context| {
        let whole = bench.words(&[42; WHOLE]);
        let part = whole.part(PART.0 as u64 * 4, PART.1 as u64 * 4).unwrap();
        let seen = bench.words(&[7; 8]);
        let arguments = [Arg::Buffer(&part), Arg::Buffer(&seen), Arg::Bytes(&far.to_le_bytes())];
        assert_eq!(bench.run("store", &seen, &arguments)[..2], [1, 7], "{context}");
        let mut expected = vec![42; WHOLE];
        expected[PART.0 + 3] = 5;
        assert_eq!(read(&whole), expected, "{context}");
        assert_eq!(bench.run("atomics", &seen, &arguments)[..5], [0, 0, 0, 5, 0], "{context}");
        expected[PART.0 + 3] = 6;
        assert_eq!(read(&whole), expected, "{context}");
    });
}

#[test]
fn copies_of_structures_stay_inside() {
    on_each(|bench, far, context| {
        let whole = bench.words(&[42; WHOLE]);
        let part = whole.part(PART.0 as u64 * 4, PART.1 as u64 * 4).unwrap();
        let seen = bench.words(&[7; 8]);
        let arguments = [Arg::Buffer(&part), Arg::Buffer(&seen), Arg::Bytes(&far.to_le_bytes())];
        let found = bench.run("copy", &seen, &arguments);
        assert_eq!(found[..3], [0, 0, 7], "{context}");
        let mut expected = vec![42; WHOLE];
        expected[PART.0 + 2..PART.0 + 4].copy_from_slice(&[100, 101]);
        assert_eq!(read(&whole), expected, "{context}");
    });
}

#[test]
fn arrays_are_not_left() {
    on_each(|bench, far, context| {
        let seen = bench.words(&[7; 8]);
        let arguments = [Arg::Buffer(&seen), Arg::Local(16), Arg::Bytes(&far.to_le_bytes())];
        // Local arrays may share one memory, so only accesses beyond all of them are certain.
        let found = bench.run("arrays", &seen, &arguments);
        if far > 64 {
            assert_eq!(found[0] - if far == 1 << 20 || far == 1 << 29 { 11 } else { 0 }, 0, "{context}");
            assert_eq!(found[1], 0, "{context}");
        }
        assert_eq!(found[2], 23 + 23 + 23 + 14, "{context}");
    });
}

#[test]
fn pointers_of_several_arguments_reach_only_these() {
    on_each(|bench, far, context| {
        let buffers = [1, 2].map(|value| bench.words(&[value; WHOLE]));
        let parts = buffers.each_ref().map(|whole| whole.part(4096, 16).unwrap());
        let seen = bench.words(&[7; 8]);
        let arguments = [
            Arg::Buffer(&parts[0]),
            Arg::Buffer(&parts[1]),
            Arg::Buffer(&seen),
            Arg::Bytes(&far.to_le_bytes()),
        ];
        let found = bench.run("either", &seen, &arguments);
        assert_eq!((found[0], found[2], found[3]), (7, 1, 0), "{context}");
        // A work-item may see what it has stored itself.
        assert!([0, 99].contains(&found[1]), "{context}: {}", found[1]);
        for (value, buffer) in [1, 2].into_iter().zip(&buffers) {
            assert_eq!(read(buffer), vec![value; WHOLE], "{context}");
        }
    });
}
