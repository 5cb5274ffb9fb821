//! `trace`: what a work-item did, which the text of the kernel says.

use crate::harness::Folder;
use serde_json::Value;

const STEPS: &str = "float twice(float x)
{
    float y = x * 2;
    return y;
}

kernel void steps(global float *out, int n)
{
    int i = get_global_id(0);
    float sum = 0.5f;
    for (int j = 0; j < n; j++) {
        if (j == i)
            sum += twice(j);
    }
    uchar4 colour = (uchar4)(1, 2, 3, 255);
    colour.x = i;
    out[i] = sum;
}
";

/// The lines, targets and values of the steps.
fn steps(folder: &Folder, arguments: &[&str]) -> Vec<(u64, String, String)> {
    let head = ["trace", "steps.cl", "--json", "--validate"];
    let run = folder.good(&[&head[..], arguments, &["--", "zero:float[8]", "3"]].concat());
    let trace: Value = serde_json::from_str(&run.out).unwrap();
    let text = |step: &Value, name: &str| step[name].as_str().unwrap().to_owned();
    let steps = trace["steps"].as_array().unwrap();
    steps.iter().map(|it| (it["line"].as_u64().unwrap(), text(it, "what"), text(it, "value"))).collect()
}

#[test]
fn values_come_in_the_order_of_the_program() {
    let folder = Folder::new("trace");
    folder.write("steps.cl", STEPS);
    let all = steps(&folder, &["--work-item", "2"]);
    let of = |name: &str| -> Vec<(u64, &str)> {
        all.iter().filter(|it| it.1 == name).map(|it| (it.0, it.2.as_str())).collect()
    };
    assert_eq!(of("i"), [(9, "2")]);
    assert_eq!(of("j"), [(11, "0"), (11, "1"), (11, "2"), (11, "3")]);
    assert_eq!(of("j == i"), [(12, "false"), (12, "false"), (12, "true")]);
    assert_eq!((of("y"), of("sum")), (vec![(3, "4.0")], vec![(10, "0.5"), (13, "4.5")]));
    assert_eq!(of("out[i]"), [(17, "4.5")]);
    let colours: Vec<&str> =
        all.iter().filter(|it| it.1.starts_with("colour")).map(|it| it.2.as_str()).collect();
    assert_eq!(colours.last(), Some(&"(2, 2, 3, -1 (0xff))"), "{all:?}");
    let sums = steps(&folder, &["--work-item", "2", "--watch", "sum"]);
    assert_eq!(sums.iter().map(|it| it.2.as_str()).collect::<Vec<_>>(), ["0.5", "4.5"]);
}

#[test]
fn the_first_work_item_with_a_value_is_found() {
    let folder = Folder::new("trace-where");
    folder.write("steps.cl", STEPS);
    // Twice 2 is in the third work-item alone.
    let found = steps(&folder, &["--where", "sum > 3"]);
    assert!(found.contains(&(9, "i".to_owned(), "2".to_owned())), "{found:?}");
    let found = steps(&folder, &["--where", "i == 5"]);
    assert!(found.contains(&(9, "i".to_owned(), "5".to_owned())), "{found:?}");
    let arguments = ["--", "zero:float[8]", "3"];
    let refused = |option: &'static str, code, text: &'static str| {
        let run = folder.run(&[&["trace", "steps.cl", option][..], &arguments].concat());
        assert!(run.code == code && run.err.contains(text), "{run:?}");
    };
    refused("--where=isnan(sum)", 1, "no work-item stores a value for which `isnan(sum)` holds");
    refused("--where=nothing > 3", 2, "the program has no variable `nothing`");
    refused("--where=sum", 2, "a variable, a relation");
    refused("--work-item=8", 2, "there is no work-item 8,0,0: the global size is 8,1,1");
    refused("--watch=nothing", 2, "stores nothing in a variable `nothing`");
}

#[test]
fn long_loops_are_folded_and_devices_compared() {
    let folder = Folder::new("trace-fold");
    folder.write(
        "f.cl",
        "kernel void f(global int *out, int n)\n{\n    int sum = 0;\n    for (int i = 0; i < n; i++)\n        \
         sum += i;\n    out[0] = sum;\n}\n",
    );
    let arguments = ["--global", "1", "--", "zero:int[1]", "1000"];
    let run = folder.good(&[&["trace", "f.cl"][..], &arguments].concat());
    assert!(run.out.contains("more rounds") && run.out.lines().count() < 40, "{}", run.out);
    assert!(run.out.contains("out[0] = 499500"), "{}", run.out);
    // More than there is room for: what comes last is lost, and counted.
    folder.write(
        "g.cl",
        "kernel void g(global int *out, int n)\n{\n    int8 sum = 0;\n    for (int i = 0; i < n; i++)\n        \
         sum += i;\n    out[0] = sum.s0;\n}\n",
    );
    let many = ["trace", "g.cl", "--global", "1", "--", "zero:int[1]", "40000"];
    assert!(folder.good(&many).out.contains("more values were not recorded"));
    let same = [&["trace", "f.cl", "--compare-device", "0"][..], &arguments].concat();
    let run = folder.good(&same);
    assert!(run.out.contains("agree in all"), "{run:?}");
}
