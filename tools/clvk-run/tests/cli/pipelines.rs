//! `check --pipelines` and `check --stats`: what drivers make of kernels.

use crate::harness::Folder;
use serde_json::Value;

fn rows(text: &str) -> Vec<Value> {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn a_driver_compiles_without_running() {
    let folder = Folder::new("pipelines");
    folder.write(
        "two.cl",
        "kernel void twice(global int *x) { x[get_global_id(0)] *= FACTOR; }\n\
         __attribute__((reqd_work_group_size(8, 4, 1)))\n\
         kernel void sums(global int *x, local int *a, local int4 *b) {\n\
             a[get_local_id(0)] = b[get_local_id(0)].x; barrier(1); x[0] = a[1];\n\
         }\n",
    );
    let arguments = ["check", "--pipelines", "--device", "0", "--json", "-DFACTOR=2", "saxpy.cl", "two.cl"];
    let found = rows(&folder.good(&arguments).out);
    let kernels: Vec<&Value> = found.iter().map(|row| &row["kernel"]).collect();
    assert_eq!(kernels, ["saxpy", "twice", "sums"]);
    for row in &found {
        assert_eq!(row["outcome"], "compiled", "{row}");
        assert!(!row["device"].as_str().unwrap().is_empty() && row["seconds"].is_number(), "{row}");
        assert!(row["cost"].is_object(), "{row}");
    }
    assert_eq!(found[2]["local_size"], serde_json::json!([8, 4, 1]), "what the kernel requires");
    let sized = ["check", "--device", "0", "--local", "16,2", "--json", "saxpy.cl"];
    assert_eq!(rows(&folder.good(&sized).out)[0]["local_size"], serde_json::json!([16, 2, 1]));
    let text = folder.good(&["check", "--stats", "--device", "0", "saxpy.cl"]).out;
    assert!(text.contains("\n  saxpy ") && text.ends_with("1 compiled (kernels times devices)\n"), "{text}");
}

#[test]
fn what_does_not_compile_is_named() {
    let folder = Folder::new("pipelines-refused");
    folder.write(
        "large.cl",
        "kernel void good(global int *x) { x[0] = 1; }\n\
         __attribute__((reqd_work_group_size(1048576, 1, 1))) kernel void large(global int *x) { x[0] = 1; }\n",
    );
    folder.write("wrong.cl", "kernel void k(global int *x) { x[0] = y; }\n");
    let run = folder.run(&["check", "--pipelines", "--device", "0", "--json", "wrong.cl", "large.cl"]);
    assert_eq!(run.code, 3, "{run:?}");
    let found = rows(&run.out);
    let outcomes: Vec<(&str, &str)> =
        found.iter().map(|row| (row["kernel"].as_str().unwrap(), row["outcome"].as_str().unwrap())).collect();
    assert_eq!(outcomes, [("", "refused"), ("good", "compiled"), ("large", "refused")]);
    assert!(found[0]["reasons"][0].as_str().unwrap().starts_with("line 1: "), "{found:?}");
    assert!(found[2]["reasons"][0].as_str().unwrap().contains("work-groups of 1048576"), "{found:?}");
}

#[test]
fn mistakes_are_refused_with_a_remedy() {
    let folder = Folder::new("pipelines-mistakes");
    folder.refused(2, &["check", "--pipelines", "--format", "sarif", "saxpy.cl"], &["text or JSON"]);
    folder.refused(2, &["check", "--pipelines", "-"], &["name files"]);
    folder.refused(2, &["check", "--pipelines", "nonesuch.cl"], &["nonesuch.cl"]);
    folder.refused(2, &["check", "--device", "nonesuch", "saxpy.cl"], &["nonesuch", "the devices are"]);
    folder.write(
        "rich.json",
        folder.good(&["devices", "--profile", "nvidia-h200"]).out.replace("49152", "99999999"),
    );
    let beyond = ["check", "--device", "0", "--profile", "rich.json", "saxpy.cl"];
    folder.refused(2, &beyond, &["is not for the device", "without `--profile`"]);
    folder.refused(4, &["check", "--device", "0", "--timeout", "0.000001", "saxpy.cl"], &["did not finish"]);
    folder.write("none.cl", "int f(int x) { return x; }\n");
    folder.refused(3, &["check", "--pipelines", "--device", "0", "none.cl"], &["has no kernels"]);
}

#[test]
fn a_poorer_profile_can_be_compiled_for() {
    let folder = Folder::new("pipelines-profile");
    let list: Vec<Value> = serde_json::from_str(&folder.good(&["devices", "--json"]).out).unwrap();
    let mut profile = list[0]["profile"].clone();
    profile["buffer_device_address"] = false.into();
    profile["name"] = "descriptors".into();
    folder.write("poor.json", profile.to_string());
    let run = folder.good(&["check", "--device", "0", "--profile", "poor.json", "--json", "saxpy.cl"]);
    let found = rows(&run.out);
    assert_eq!((&found[0]["outcome"], &found[0]["profile"]), (&"compiled".into(), &"descriptors".into()));
}
