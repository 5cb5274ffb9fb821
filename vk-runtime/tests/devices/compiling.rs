//! Compiling kernels without launching them.

use crate::Test;
use crate::shaders::{self, StepOptions, variants};
use vk_runtime::{Device, Error, LaunchConfig, PipelineCompiler};

pub const TESTS: &[Test] = &[
    ("a_compiler_compiles_what_a_launch_needs", a_compiler_compiles_what_a_launch_needs),
    ("a_compiler_refuses_what_a_launch_would", a_compiler_refuses_what_a_launch_would),
];

fn variant(device: &Device, local: bool) -> StepOptions {
    StepOptions { local, ..variants(device.profile())[0] }
}

fn a_compiler_compiles_what_a_launch_needs(device: &Device) {
    let compiler = PipelineCompiler::new(device.info()).unwrap();
    assert_eq!(compiler.profile(), device.profile());
    let module = compiler.load(shaders::step(variant(device, false))).unwrap();
    let config = LaunchConfig::linear(1000).with_local([64, 1, 1]);
    let pipelines = module.compile("step", &config, &[]).unwrap();
    let sizes: Vec<[u32; 3]> = pipelines.iter().map(|pipeline| pipeline.local_size).collect();
    assert_eq!(sizes, [[64, 1, 1], [40, 1, 1]], "the last work-group has the rest");
    for pipeline in &pipelines {
        assert_eq!(!pipeline.executables.is_empty(), compiler.has_statistics(), "{pipeline:?}");
        for executable in &pipeline.executables {
            assert!(!executable.name.is_empty(), "{executable:?}");
            assert!(executable.statistics.iter().all(|it| !it.name.is_empty()), "{executable:?}");
        }
    }
}

fn a_compiler_refuses_what_a_launch_would(device: &Device) {
    let compiler = PipelineCompiler::new(device.info()).unwrap();
    let module = compiler.load(shaders::step(variant(device, true))).unwrap();
    let config = LaunchConfig::linear(64).with_local([64, 1, 1]);
    assert!(module.compile("step", &config, &[256]).is_ok());
    let message = |kernel: &str, config: &LaunchConfig, locals: &[u64]| {
        module.compile(kernel, config, locals).unwrap_err().to_string()
    };
    assert!(matches!(module.compile("nonesuch", &config, &[]), Err(Error::UnknownKernel { .. })));
    assert!(message("step", &config, &[]).contains("1 `__local` arguments, but the sizes of 0"));
    assert!(message("step", &config, &[0]).contains("size of local memory is 0"));
    let limit = u64::from(device.profile().max_local_memory);
    assert!(message("step", &config, &[limit + 4]).contains("bytes of local memory"));
    let large = config.with_local([device.profile().max_work_group_size[0].saturating_add(1), 1, 1]);
    assert!(message("step", &large, &[256]).contains("exceeds the device's limit"));
}
