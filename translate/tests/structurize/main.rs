//! Graphs turned into regions: random ones are executed and compared with a walk over the graph itself, and
//! known ones are inspected.

#[allow(dead_code, reason = "these kernels need little of it")]
#[path = "../machine/mod.rs"]
mod machine;

use clvk_interface::DeviceProfile;
use clvk_ir::container::Library;
use clvk_ir::structurize::{Cfg, End, Limits, structurize};
use clvk_ir::{BinaryOp, Block, Builder, CompareOp, Function, Module, Region, Scalar, Type, Value};
use clvk_translate::TranslateOptions;
use clvk_translate::testing::run_named;

/// The end of a block in a test's graph; blocks are numbered.
#[derive(Clone, Debug)]
enum Edges {
    Return,
    Jump(usize),
    /// Depends on a bit of the hash.
    Branch(u32, usize, usize),
    /// Depends on two bits of the hash: the first three values have cases.
    Switch(u32, [usize; 4]),
}

/// A kernel without a body.
fn module() -> Module {
    clvk_ir::text::parse_module(
        "kernel @main(%p: ptr.global \"p\" \"int*\" buffer element i32 signed,
                      %n: i32 \"n\" \"int\" value size 4 align 4 element i32 signed,
                      %m: i32 \"m\" \"int\" value size 4 align 4 element i32 signed) {\nreturn\n}",
    )
    .unwrap()
}

/// `hash = hash * 31 + number` in the first word of the buffer; returns the hash.
fn fill(function: &mut Function, region: Region, number: usize) -> Value {
    let int = Type::Scalar(Scalar::I32);
    let (factor, addend) = (function.int(int, 31), function.int(int, number as i64));
    let buffer = function.params[0];
    let mut build = Builder::new(function, region);
    let old = build.load(buffer, int, 4, false);
    let product = build.binary(BinaryOp::Mul, old, factor);
    let hash = build.binary(BinaryOp::Add, product, addend);
    build.store(buffer, hash, 4, false);
    hash
}

fn bits(function: &mut Function, region: Region, hash: Value, shift: u32, mask: i64) -> Value {
    let int = Type::Scalar(Scalar::I32);
    let (shift, mask) = (function.int(int, i64::from(shift)), function.int(int, mask));
    let mut build = Builder::new(function, region);
    let shifted = build.binary(BinaryOp::LShr, hash, shift);
    build.binary(BinaryOp::And, shifted, mask)
}

fn build(graph: &[Edges]) -> Module {
    build_with(graph, Limits::default())
}

fn build_with(graph: &[Edges], limits: Limits) -> Module {
    let mut module = module();
    let kernel = module.kernels().next().unwrap();
    let function = &mut module.functions[kernel];
    let body = function.body.unwrap();
    function.regions[body].insts.clear();
    let mut cfg = Cfg::default();
    let blocks: Vec<Block> = graph.iter().map(|_| cfg.add_block(function)).collect();
    for (number, edges) in graph.iter().enumerate() {
        let region = cfg.blocks[blocks[number]].region;
        let hash = fill(function, region, number);
        cfg.blocks[blocks[number]].end = match *edges {
            Edges::Return => {
                Builder::new(function, region).push(clvk_ir::Op::Return, &[], &[]);
                End::Left
            }
            Edges::Jump(target) => End::Jump(blocks[target]),
            Edges::Branch(shift, then, otherwise) => {
                let bit = bits(function, region, hash, shift, 1);
                let zero = function.int(Type::Scalar(Scalar::I32), 0);
                let condition = Builder::new(function, region).compare(CompareOp::Ne, bit, zero);
                End::Branch { condition, then: blocks[then], otherwise: blocks[otherwise] }
            }
            Edges::Switch(shift, targets) => {
                let selector = bits(function, region, hash, shift, 3);
                let cases = (0..3).map(|case| (vec![case as u64], blocks[targets[case]])).collect();
                End::Switch { selector, cases, default: blocks[targets[3]] }
            }
        };
    }
    structurize(function, cfg, body, limits);
    clvk_ir::verify::verify(&module).unwrap_or_else(|errors| panic!("{errors:?}\n{graph:?}\n{module}"));
    module
}

/// The initial value of the hash.
const FIRST: [u8; 4] = [0, 37, 74, 111];

/// The hash at the end of a walk over the graph; `None` if the walk takes too long.
fn walk(graph: &[Edges]) -> Option<u32> {
    let mut hash = u32::from_le_bytes(FIRST);
    let mut block = 0;
    for _ in 0..400 {
        hash = hash.wrapping_mul(31).wrapping_add(block as u32);
        block = match graph[block] {
            Edges::Return => return Some(hash),
            Edges::Jump(target) => target,
            Edges::Branch(shift, then, otherwise) => [otherwise, then][(hash >> shift & 1) as usize],
            Edges::Switch(shift, targets) => targets[(hash >> shift & 3) as usize],
        };
    }
    None
}

/// Pseudo-random numbers that are the same everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % limit as u64) as usize
    }
}

fn random_graph(random: &mut Random) -> Vec<Edges> {
    let count = 2 + random.below(14);
    let mut graph: Vec<Edges> = Vec::new();
    for number in 0..count {
        // Near blocks are more likely, so that there are nested loops and not only one big tangle.
        let mut target = || match random.below(4) {
            0 => random.below(count),
            near => (number + near).saturating_sub(random.below(3)).min(count - 1),
        };
        let targets = [target(), target(), target(), target()];
        let shift = random.below(20) as u32;
        graph.push(match random.below(8) {
            0 => Edges::Return,
            1 | 2 => Edges::Jump(targets[0]),
            3 => Edges::Switch(shift, targets),
            _ => Edges::Branch(shift, targets[0], targets[1]),
        });
    }
    graph[count - 1] = Edges::Return;
    graph
}

fn hash_of(module: &Module, graph: &[Edges]) -> u32 {
    let buffer = machine::run_alone(module, FIRST.to_vec(), &[5, -16])
        .unwrap_or_else(|fault| panic!("{fault} in\n{graph:?}\n{module}"));
    u32::from_le_bytes(buffer[..4].try_into().unwrap())
}

#[test]
fn random_graphs_keep_their_meaning_before_and_after_the_passes() {
    let profile = DeviceProfile::preset("lavapipe-22.3").unwrap();
    let mut random = Random(7);
    let mut run = 0;
    while run < 3000 {
        let graph = random_graph(&mut random);
        let Some(expected) = walk(&graph) else { continue };
        run += 1;
        for limits in [
            Limits { loops: 1, nesting: 256 },
            Limits { loops: 2, nesting: 8 },
            Limits { loops: 0, nesting: 0 },
        ] {
            let module = build_with(&graph, limits);
            assert_eq!(hash_of(&module, &graph), expected, "{limits:?}\n{graph:?}\n{module}");
        }
        let mut module = build(&graph);
        assert_eq!(hash_of(&module, &graph), expected, "{graph:?}\n{module}");
        if run % 10 == 0 {
            let passes = ["promote-functions", "simplify-functions", "inline", "structure-exits"];
            run_named(&mut module, &passes, &Library::empty(), &profile, &TranslateOptions::default())
                .unwrap();
            assert_eq!(hash_of(&module, &graph), expected, "{graph:?}\nafter the passes\n{module}");
        }
    }
}

#[test]
fn code_grows_by_a_constant_for_each_edge() {
    let mut random = Random(3);
    for count in [50, 500] {
        // Every block leads to two arbitrary ones, which is as irreducible as possible.
        let graph: Vec<Edges> = (0..count)
            .map(|number| match number % 25 {
                24 => Edges::Return,
                _ => Edges::Branch(random.below(20) as u32, random.below(count), random.below(count)),
            })
            .collect();
        let module = build(&graph);
        let (_, function) = module.functions.iter().next().unwrap();
        let mut insts = 0;
        function.walk(|_, _| insts += 1);
        assert!(insts < 40 * count, "{insts} instructions for {count} blocks");
    }
}

#[test]
fn exits_over_many_constructs_cost_a_constant_each() {
    // Each of a chain of blocks leads to the next, or to one of a second chain that unwinds: a near one, one
    // half way, or its end.
    let instructions = |count: usize| {
        let mut graph: Vec<Edges> = Vec::new();
        for number in 0..count {
            let next = if number + 1 < count { number + 1 } else { count };
            let last = |to: usize| 2 * count - 1 - to;
            graph.push(Edges::Switch(3, [next, last(number), last(number / 2), last(0)]));
        }
        graph.extend((count..2 * count).map(|number| Edges::Jump(number + 1)));
        graph.push(Edges::Return);
        let mut module = build(&graph);
        let profile = DeviceProfile::preset("lavapipe-22.3").unwrap();
        run_named(
            &mut module,
            &["structure-exits"],
            &Library::empty(),
            &profile,
            &TranslateOptions::default(),
        )
        .unwrap();
        assert_eq!(Some(hash_of(&module, &graph)), walk(&graph));
        let (_, function) = module.functions.iter().next().unwrap();
        let mut insts = 0;
        function.walk(|_, _| insts += 1);
        insts
    };
    let (few, many) = (instructions(20), instructions(100));
    assert!(many < 6 * few, "{few} and {many} instructions");
}

fn text(graph: &[Edges]) -> String {
    build(graph).to_string()
}

/// The depth of braces at the addition of a block's number.
fn depth(text: &str, number: usize) -> usize {
    let addend = format!(", {number}:i32");
    let mut depth: usize = 0;
    for line in text.lines() {
        if line.contains("add ") && line.ends_with(&addend) {
            return depth;
        }
        depth = depth + line.matches('{').count() - line.matches('}').count();
    }
    panic!("block {number} is not in\n{text}")
}

#[test]
fn what_follows_a_loop_or_a_join_stands_behind_it() {
    // 0 → 1 (head) → 2 → 1 or 3; 1 → 4; 3 and 4 → 5.
    let graph = [
        Edges::Jump(1),
        Edges::Branch(3, 2, 4),
        Edges::Branch(5, 1, 3),
        Edges::Jump(5),
        Edges::Jump(5),
        Edges::Return,
    ];
    let text = text(&graph);
    assert_eq!(text.matches("loop").count(), 1, "{text}");
    assert_eq!((depth(&text, 0), depth(&text, 5)), (1, 1), "{text}");
    assert!(depth(&text, 3) < depth(&text, 2) && depth(&text, 4) < depth(&text, 2), "{text}");
}

#[test]
fn a_loop_with_two_entries_gets_one_dispatcher() {
    let graph = [Edges::Branch(2, 1, 2), Edges::Jump(2), Edges::Branch(4, 1, 3), Edges::Return];
    let text = text(&graph);
    assert_eq!((text.matches("loop").count(), text.matches("switch").count()), (1, 1), "{text}");
    for number in 0..4 {
        let addition = |line: &&str| line.contains("add ") && line.ends_with(&format!(", {number}:i32"));
        assert_eq!(text.lines().filter(addition).count(), 1, "block {number} in\n{text}");
    }
}

/// The deepest nesting of braces.
fn deepest(text: &str) -> usize {
    let (mut depth, mut deepest) = (0usize, 0);
    for character in text.chars() {
        match character {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

#[test]
fn loops_in_loops_are_bounded() {
    for count in [10, 100, 1000] {
        let mut graph = vec![Edges::Jump(1)];
        graph.extend((1..=count).map(|number| Edges::Jump(number + 1)));
        // Back edges to each header, from the innermost one out.
        graph.extend((0..count).map(|step| Edges::Branch(1, count - step, count + step + 2)));
        graph.push(Edges::Return);
        let text = text(&graph);
        assert!(text.matches("loop").count() <= count.min(Limits::default().loops as usize), "{count} loops");
        assert!(deepest(&text) <= 256, "{}", deepest(&text));
    }
}

#[test]
fn constructs_in_constructs_are_bounded() {
    // A switch whose targets each fall through to the next: each is placed after a construct around the
    // switch.
    for count in [8, 100, 2000] {
        let mut graph: Vec<Edges> = Vec::new();
        // A tree of branches; each leaf is one of the targets.
        graph.extend((0..count - 1).map(|node| Edges::Branch(node as u32 % 20, 2 * node + 1, 2 * node + 2)));
        graph.extend((0..count).map(|number| Edges::Jump(count - 1 + number + 1)));
        graph.push(Edges::Return);
        let module = build(&graph);
        assert!(deepest(&module.to_string()) <= 270, "{}", deepest(&module.to_string()));
        if let Some(expected) = walk(&graph) {
            assert_eq!(hash_of(&module, &graph), expected, "{count}");
        }
    }
}
