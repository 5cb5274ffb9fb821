//! Queries.

use crate::c::*;
use opencl_sys::*;
use std::ptr::{null, null_mut};

#[test]
fn a_value_needs_its_room() {
    let session = Session::new();
    let (mut value, mut size) = ([0xffu8; 16], 0);
    let place = value.as_mut_ptr().cast();
    // SAFETY: at most 16 bytes are written.
    unsafe {
        assert_eq!(
            clGetDeviceInfo(session.device, CL_DEVICE_ADDRESS_BITS, 3, place, null_mut()),
            CL_INVALID_VALUE
        );
        ok(clGetDeviceInfo(session.device, CL_DEVICE_ADDRESS_BITS, 16, place, &raw mut size));
        assert_eq!(clGetDeviceInfo(session.device, 0xffff, 16, place, null_mut()), CL_INVALID_VALUE);
    }
    assert_eq!((size, &value[..5]), (4, &[64, 0, 0, 0, 0xff][..]));
}

#[test]
fn devices_tell_what_the_specification_demands() {
    let session = Session::new();
    let raw = |name| {
        answer(|size, value, ret| {
            // SAFETY: as much room as the size says.
            unsafe { clGetDeviceInfo(session.device, name, size, value, ret) }
        })
    };
    let word = |name| u32::from_ne_bytes(raw(name).try_into().unwrap());
    let long = |name| u64::from_ne_bytes(raw(name).try_into().unwrap());
    assert!(word(CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS) >= 3);
    assert!(long(CL_DEVICE_MAX_PARAMETER_SIZE) >= 1024);
    assert!(long(CL_DEVICE_LOCAL_MEM_SIZE) >= 32 << 10);
    let (all, one) = (long(CL_DEVICE_GLOBAL_MEM_SIZE), long(CL_DEVICE_MAX_MEM_ALLOC_SIZE));
    assert!(one <= all && one >= (all / 4).min(1 << 30));
    let single = long(CL_DEVICE_SINGLE_FP_CONFIG);
    assert_eq!(single & (CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN), CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN);
    let extensions = String::from_utf8(raw(CL_DEVICE_EXTENSIONS)).unwrap();
    assert!(extensions.contains("cl_khr_byte_addressable_store"), "{extensions}");
    let features = raw(CL_DEVICE_OPENCL_C_FEATURES);
    assert_eq!(features.len() % size_of::<cl_name_version>(), 0);
    assert!(features.windows(16).any(|part| part == b"__opencl_c_int64"));
}

#[test]
fn depth_images_are_two_dimensional() {
    let session = Session::new();
    let has_depth = |kind| {
        let mut formats = [cl_image_format { image_channel_order: 0, image_channel_data_type: 0 }; 128];
        let mut count = 0;
        // SAFETY: room for as many formats as it says.
        ok(unsafe {
            clGetSupportedImageFormats(
                session.context,
                CL_MEM_READ_ONLY,
                kind,
                formats.len() as u32,
                formats.as_mut_ptr(),
                &raw mut count,
            )
        });
        formats[..count as usize].iter().any(|format| format.image_channel_order == CL_DEPTH)
    };
    assert!(has_depth(CL_MEM_OBJECT_IMAGE2D) && has_depth(CL_MEM_OBJECT_IMAGE2D_ARRAY));
    for kind in [
        CL_MEM_OBJECT_IMAGE1D,
        CL_MEM_OBJECT_IMAGE1D_ARRAY,
        CL_MEM_OBJECT_IMAGE1D_BUFFER,
        CL_MEM_OBJECT_IMAGE3D,
    ] {
        assert!(!has_depth(kind), "{kind:#x}");
    }
}

/// The answer of a session's device.
fn device_answer(session: &Session, name: u32) -> Vec<u8> {
    answer(|size, value, ret| {
        // SAFETY: as much room as the size says.
        unsafe { clGetDeviceInfo(session.device, name, size, value, ret) }
    })
}

/// Versions and names of a list that a device returns.
fn names(session: &Session, name: u32) -> Vec<(u32, String)> {
    let bytes = device_answer(session, name);
    let entry = |entry: &[u8]| {
        let text = entry[4..].split(|&byte| byte == 0).next().unwrap();
        (u32::from_ne_bytes(entry[..4].try_into().unwrap()), String::from_utf8(text.to_vec()).unwrap())
    };
    bytes.chunks_exact(size_of::<cl_name_version>()).map(entry).collect()
}

#[test]
fn versions_of_the_language_are_those_that_compile() {
    let session = Session::new();
    let listed: Vec<u32> = names(&session, CL_DEVICE_OPENCL_C_ALL_VERSIONS)
        .into_iter()
        .map(|(version, _)| version >> 12)
        .collect();
    let features: Vec<String> =
        names(&session, CL_DEVICE_OPENCL_C_FEATURES).into_iter().map(|(_, name)| name).collect();
    let has = |name: &str| features.iter().any(|feature| feature == name);
    for (version, option) in [
        (0x400, c"-cl-std=CL1.0"),
        (0x401, c"-cl-std=CL1.1"),
        (0x402, c"-cl-std=CL1.2"),
        (0xc00, c"-cl-std=CL3.0"),
    ] {
        assert!(listed.contains(&version), "{option:?}");
    }
    // Features that 2.0 has without macros.
    let two = "#if __OPENCL_C_VERSION__ != 200\n#error the version\n#endif\n
        global int counter;
        int any(int *p) { return *p; }
        kernel void k(read_write image2d_t i, write_only image3d_t j, read_only pipe int p, global atomic_int *a) {
            int v = any(&counter) + work_group_reduce_add(1) + read_imagei(i, (int2)(0)).x;
            write_imagei(j, (int4)(0), (int4)(read_pipe(p, &v)));
            atomic_fetch_add_explicit(a, v, memory_order_seq_cst, memory_scope_all_svm_devices);
            enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ atomic_init(a, 1); });
        }";
    let program = session.program(two);
    // SAFETY: a text with a zero at its end.
    let status = unsafe { clBuildProgram(program, 0, null(), c"-cl-std=CL2.0".as_ptr(), None, null_mut()) };
    assert_eq!(status == CL_SUCCESS, listed.contains(&0x800), "{}", session.log(program));
    assert_eq!(
        listed.contains(&0x800),
        has("__opencl_c_device_enqueue") && has("__opencl_c_read_write_images")
    );
    // SAFETY: the handle is the test's.
    ok(unsafe { clReleaseProgram(program) });
}

#[test]
fn sub_groups_are_a_feature_and_no_extension() {
    let session = Session::new();
    let extensions = String::from_utf8(device_answer(&session, CL_DEVICE_EXTENSIONS)).unwrap();
    let independent = device_answer(&session, CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS);
    // One requires the other (OpenCL API §4.2).
    assert_eq!(
        extensions.split(' ').any(|name| name == "cl_khr_subgroups"),
        independent == CL_TRUE.to_ne_bytes()
    );
    let features = names(&session, CL_DEVICE_OPENCL_C_FEATURES);
    let offered = features.iter().any(|(_, name)| name == "__opencl_c_subgroups");
    assert_eq!(offered, device_answer(&session, CL_DEVICE_MAX_NUM_SUB_GROUPS) != 0u32.to_ne_bytes());
}

#[test]
fn spirv_is_the_intermediate_language() {
    let session = Session::new();
    let version = String::from_utf8(device_answer(&session, CL_DEVICE_IL_VERSION)).unwrap();
    assert!(version.starts_with("SPIR-V_1.6 ") && version.contains("SPIR-V_1.0"), "{version}");
    let listed = names(&session, CL_DEVICE_ILS_WITH_VERSION);
    assert_eq!(listed.len(), 7);
    // The version is 10, 10 and 12 bits.
    assert!(listed.iter().all(|(version, name)| name == "SPIR-V" && version >> 22 == 1));
}

#[test]
fn devices_are_not_divided() {
    let session = Session::new();
    assert_eq!(device_answer(&session, CL_DEVICE_PARTITION_PROPERTIES), 0isize.to_ne_bytes());
    assert_eq!(device_answer(&session, CL_DEVICE_PARTITION_AFFINITY_DOMAIN), 0u64.to_ne_bytes());
    assert_eq!(device_answer(&session, CL_DEVICE_PARENT_DEVICE), 0usize.to_ne_bytes());
    assert_eq!(device_answer(&session, CL_DEVICE_REFERENCE_COUNT), 1u32.to_ne_bytes());
    assert_eq!(device_answer(&session, CL_DEVICE_PARTITION_TYPE), 0isize.to_ne_bytes());
    assert_eq!(device_answer(&session, CL_DEVICE_PARTITION_MAX_SUB_DEVICES), 0u32.to_ne_bytes());
    let equally = [CL_DEVICE_PARTITION_EQUALLY, 1, 0];
    // "CL_INVALID_VALUE if values specified in properties are valid but are not supported by the device",
    // also where only their number is asked for (API specification §4.3).
    let by_counts = [CL_DEVICE_PARTITION_BY_COUNTS, 1, 1, CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0];
    let by_numa = [CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, CL_DEVICE_AFFINITY_DOMAIN_NUMA as isize, 0];
    let (mut devices, mut count) = ([null_mut(); 4], 7);
    // SAFETY: a zero ends the properties, and there is room for four devices.
    unsafe {
        let divide = |device, properties| {
            clCreateSubDevices(device, properties, 4, devices.as_mut_ptr(), &raw mut count)
        };
        let mut divide = divide;
        assert_eq!(divide(session.device, equally.as_ptr()), CL_INVALID_VALUE);
        assert_eq!(divide(session.device, null()), CL_INVALID_VALUE);
        assert_eq!(divide(null_mut(), equally.as_ptr()), CL_INVALID_DEVICE);
        for properties in [&equally[..], &by_counts, &by_numa] {
            assert_eq!(divide(session.device, properties.as_ptr()), CL_INVALID_VALUE);
            let mut most = 7;
            let properties = properties.as_ptr();
            let asked = clCreateSubDevices(session.device, properties, 0, null_mut(), &raw mut most);
            assert_eq!((asked, most), (CL_INVALID_VALUE, 7));
        }
        // References to root devices are not counted.
        ok(clReleaseDevice(session.device));
        ok(clRetainDevice(session.device));
    }
    assert_eq!((devices, count), ([null_mut(); 4], 7));
    assert_eq!(device_answer(&session, CL_DEVICE_REFERENCE_COUNT), 1u32.to_ne_bytes());
}

/// The answer of the platform.
fn platform_answer(name: u32) -> Vec<u8> {
    answer(|size, value, ret| {
        // SAFETY: as much room as the size says.
        unsafe { clGetPlatformInfo(null_mut(), name, size, value, ret) }
    })
}

/// The names of a list of extensions.
fn extensions(list: Vec<u8>) -> Vec<String> {
    let text = String::from_utf8(list).unwrap();
    text.trim_end_matches('\0').split(' ').map(str::to_owned).collect()
}

#[test]
fn the_platform_lists_what_all_devices_list() {
    let mut devices = [null_mut(); 16];
    let mut count = 0;
    // SAFETY: room for 16 devices.
    ok(unsafe { clGetDeviceIDs(null_mut(), CL_DEVICE_TYPE_ALL, 16, devices.as_mut_ptr(), &raw mut count) });
    let of_device = |&device: &cl_device_id| {
        extensions(answer(|size, value, ret| {
            // SAFETY: as much room as the size says.
            unsafe { clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, size, value, ret) }
        }))
    };
    let lists: Vec<Vec<String>> = devices[..count as usize].iter().map(of_device).collect();
    let platform = extensions(platform_answer(CL_PLATFORM_EXTENSIONS));
    assert!(platform.iter().any(|name| name == "cl_khr_byte_addressable_store"), "{platform:?}");
    for name in lists.iter().chain([&platform]).flatten() {
        let of_all = lists.iter().all(|list| list.contains(name));
        assert_eq!(platform.contains(name), of_all, "{name}");
    }
    let versions = platform_answer(CL_PLATFORM_EXTENSIONS_WITH_VERSION);
    let with_versions: Vec<String> = versions
        .chunks_exact(size_of::<cl_name_version>())
        .map(|entry| extensions(entry[4..].to_vec()).remove(0))
        .collect();
    assert_eq!(with_versions, platform);
}

#[test]
fn extensions_are_listed_as_the_user_wishes() {
    const WISHES: &str = "+cl_khr_subgroups,-cl_khr_fp16,+cl_example_unknown";
    if std::env::var("CLVK_EXTENSIONS").as_deref() != Ok(WISHES) {
        // The devices of a process are found once, so a separate process runs with the variable.
        let test = "queries::extensions_are_listed_as_the_user_wishes";
        let mut command = std::process::Command::new(std::env::current_exe().unwrap());
        let output =
            command.args(["--exact", test, "--nocapture"]).env("CLVK_EXTENSIONS", WISHES).output().unwrap();
        let (text, messages) =
            (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success() && text.contains("1 passed"), "{text}{messages}");
        assert_eq!(messages.matches("CLVK_EXTENSIONS").count(), 1, "{messages}");
        assert!(messages.contains("`cl_example_unknown`"), "{messages}");
        return;
    }
    let session = Session::new();
    let listed = extensions(device_answer(&session, CL_DEVICE_EXTENSIONS));
    let has = |name: &str| listed.iter().any(|other| other == name);
    assert!(has("cl_khr_subgroups") && has("cl_example_unknown") && !has("cl_khr_fp16"), "{listed:?}");
    let with_versions = names(&session, CL_DEVICE_EXTENSIONS_WITH_VERSION);
    assert_eq!(with_versions.into_iter().map(|(_, name)| name).collect::<Vec<_>>(), listed);
    let platform = extensions(platform_answer(CL_PLATFORM_EXTENSIONS));
    assert!(
        platform.contains(&"cl_khr_subgroups".to_owned()) && !platform.contains(&"cl_khr_fp16".to_owned())
    );
    // Queries about the device's abilities have the same answers as before.
    assert_ne!(device_answer(&session, CL_DEVICE_HALF_FP_CONFIG), [0; 8]);
    let source = "#if !defined(cl_khr_subgroups) || defined(cl_khr_fp16)
        #error the macros
        #endif
        #pragma OPENCL EXTENSION cl_khr_subgroups : enable
        kernel void k(global uint *out) { out[get_global_id(0)] = sub_group_broadcast(1u, 0); }";
    let program = session.built_for_version_three(source);
    // SAFETY: the handle is the test's.
    ok(unsafe { clReleaseProgram(program) });
}

/// The driver's answer about the sub-groups of work-groups of this size.
pub fn sub_group_answer(session: &Session, kernel: cl_kernel, name: u32, local: usize) -> usize {
    let bytes = answer(|size, value, ret| {
        let input = (&raw const local).cast();
        // SAFETY: one size as input, and as much room as the size says.
        unsafe {
            clGetKernelSubGroupInfo(
                kernel,
                session.device,
                name,
                size_of_val(&local),
                input,
                size,
                value,
                ret,
            )
        }
    });
    usize::from_ne_bytes(bytes.try_into().unwrap())
}

#[test]
fn host_and_kernel_agree_on_sub_groups() {
    let session = Session::new();
    let program = session.built_for_version_three(
        "kernel void k(global uint *out) {
            if (get_local_linear_id() == 0) {
                out[0] = get_max_sub_group_size();
                out[1] = get_num_sub_groups();
            }
        }",
    );
    let (kernel, out) = (session.kernel(program, c"k"), session.buffer_of(&[0; 2]));
    set(kernel, 0, &out);
    for local in [1usize, 3, 32, 33, 64] {
        // SAFETY: one size for one dimension.
        ok(unsafe {
            let (size, none) = (&raw const local, null_mut());
            clEnqueueNDRangeKernel(session.queue, kernel, 1, null(), size, size, 0, null(), none)
        });
        let told = [CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE]
            .map(|name| sub_group_answer(&session, kernel, name, local) as i32);
        assert_eq!(session.contents(out, 2), told, "work-groups of {local}");
    }
    // SAFETY: the handles are the test's.
    unsafe {
        ok(clReleaseKernel(kernel));
        ok(clReleaseProgram(program));
        ok(clReleaseMemObject(out));
    }
}

/// The texts that an array of pointers leads to.
fn texts(list: &[u8]) -> Vec<String> {
    let pointers =
        list.chunks_exact(size_of::<usize>()).map(|word| usize::from_ne_bytes(word.try_into().unwrap()));
    pointers
        .map(|address| {
            // SAFETY: the driver gives pointers to texts that live as long as the process.
            let text = unsafe { std::ffi::CStr::from_ptr(std::ptr::with_exposed_provenance(address)) };
            text.to_str().unwrap().to_owned()
        })
        .collect()
}

/// What OpenCL 3.1 demands of a device (OpenCL API, appendix E, and the required extensions in §4.2).
#[test]
fn devices_of_version_three_one_have_what_it_demands() {
    let session = Session::new();
    let number = device_answer(&session, CL_DEVICE_NUMERIC_VERSION);
    let number = u32::from_ne_bytes(number.try_into().unwrap());
    let version = format!("OpenCL {}.{} ", number >> 22, number >> 12 & 0x3ff);
    let text = String::from_utf8(device_answer(&session, CL_DEVICE_VERSION)).unwrap();
    assert!(text.starts_with(&version) && ["OpenCL 3.0 ", "OpenCL 3.1 "].contains(&&version[..]), "{text}");
    // The second one by cl_khr_spirv_extended_debug_info.
    let sets = texts(&device_answer(&session, CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS));
    assert_eq!(sets, ["OpenCL.std", "OpenCL.DebugInfo.100"]);
    let spirv = texts(&device_answer(&session, CL_DEVICE_SPIRV_EXTENSIONS));
    assert!(spirv.iter().all(|name| name.starts_with("SPV_")), "{spirv:?}");
    let capabilities: Vec<u32> = device_answer(&session, CL_DEVICE_SPIRV_CAPABILITIES)
        .chunks_exact(4)
        .map(|word| u32::from_ne_bytes(word.try_into().unwrap()))
        .collect();
    // SPIR-V §3.31: Addresses, Linkage, Kernel, Vector16, Int64, Int16 and Int8, but not Shader.
    let always = [4, 5, 6, 7, 11, 22, 39];
    assert!(always.iter().all(|number| capabilities.contains(number)) && !capabilities.contains(&1));
    let half_and_double = [(10, CL_DEVICE_DOUBLE_FP_CONFIG), (9, CL_DEVICE_HALF_FP_CONFIG)];
    for (capability, config) in half_and_double {
        let has = device_answer(&session, config) != [0; 8];
        assert_eq!(capabilities.contains(&capability), has, "capability {capability}");
    }
    if version != "OpenCL 3.1 " {
        eprintln!("the device has OpenCL 3.0: the rest is not tested");
        return;
    }
    let listed = extensions(device_answer(&session, CL_DEVICE_EXTENSIONS));
    for name in [
        "cl_khr_device_uuid",
        "cl_khr_extended_bit_ops",
        "cl_khr_integer_dot_product",
        "cl_khr_spirv_queries",
        "cl_khr_subgroup_extended_types",
        "cl_khr_subgroup_rotate",
        "cl_khr_subgroup_shuffle",
        "cl_khr_subgroup_shuffle_relative",
        "cl_khr_suggested_local_work_size",
    ] {
        assert!(listed.iter().any(|other| other == name), "{name}");
    }
    for name in ["SPV_KHR_bit_instructions", "SPV_KHR_integer_dot_product", "SPV_KHR_subgroup_rotate"] {
        assert!(spirv.iter().any(|other| other == name), "{name}");
    }
    // SPIR-V §3.31, OpenCL SPIR-V environment §3.1 and §3.2: Pipes, DeviceEnqueue and SubgroupDispatch.
    let has_pipes = device_answer(&session, CL_DEVICE_PIPE_SUPPORT) == CL_TRUE.to_ne_bytes();
    let enqueues = device_answer(&session, CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES) != [0; 8];
    for (capability, has) in [(17, has_pipes), (19, enqueues), (58, true)] {
        assert_eq!(capabilities.contains(&capability), has, "capability {capability}");
    }
    let versions = names(&session, CL_DEVICE_OPENCL_C_ALL_VERSIONS);
    assert!(versions.iter().any(|(version, _)| version >> 12 == 0xc01));
    assert_ne!(device_answer(&session, CL_DEVICE_MAX_NUM_SUB_GROUPS), 0u32.to_ne_bytes());
}

/// A local argument may have no bytes since OpenCL 3.1.
#[test]
fn local_memory_of_no_bytes_is_an_argument_since_three_one() {
    let session = Session::new();
    let number = device_answer(&session, CL_DEVICE_NUMERIC_VERSION);
    let is_new = u32::from_ne_bytes(number.try_into().unwrap()) >= (3 << 22 | 1 << 12);
    let program = session.built(
        "kernel void k(local int *scratch, int n, global int *out) {
        if (n) scratch[0] = n;
        out[0] = n + 5;
    }",
    );
    let kernel = session.kernel(program, c"k");
    // SAFETY: local arguments have no value.
    let status = unsafe { clSetKernelArg(kernel, 0, 0, null()) };
    assert_eq!(status, if is_new { CL_SUCCESS } else { CL_INVALID_ARG_SIZE });
    if is_new {
        let out = session.buffer_of(&[0]);
        set(kernel, 1, &0i32);
        set(kernel, 2, &out);
        ok(session.launch(kernel, 1));
        assert_eq!(session.contents(out, 1), [5]);
        // SAFETY: the handle is the test's.
        ok(unsafe { clReleaseMemObject(out) });
    }
    // SAFETY: the handles are the test's.
    unsafe {
        ok(clReleaseKernel(kernel));
        ok(clReleaseProgram(program));
    }
}

#[test]
fn kernels_demand_the_sub_groups_that_there_are_or_are_refused() {
    let session = Session::new();
    let listed = extensions(device_answer(&session, CL_DEVICE_EXTENSIONS));
    if !listed.iter().any(|name| name == "cl_intel_required_subgroup_size") {
        eprintln!("the device has no sub-groups: not tested");
        return;
    }
    let sizes = device_answer(&session, CL_DEVICE_SUB_GROUP_SIZES_INTEL);
    let sizes: Vec<usize> =
        sizes.chunks_exact(8).map(|word| usize::from_ne_bytes(word.try_into().unwrap())).collect();
    for size in [1, 2, 4, 8, 16, 32, 64, 128] {
        let program = session.program(&format!(
            "__attribute__((intel_reqd_sub_group_size({size}))) kernel void k(global uint *out) {{
                out[0] = get_max_sub_group_size();
            }}"
        ));
        let options = c"-cl-std=CL3.0";
        // SAFETY: a text with a zero at its end.
        let status = unsafe { clBuildProgram(program, 0, null(), options.as_ptr(), None, null_mut()) };
        assert_eq!(status == CL_SUCCESS, sizes.contains(&size), "{size}: {}", session.log(program));
        if status == CL_SUCCESS {
            let (kernel, out) = (session.kernel(program, c"k"), session.buffer_of(&[0]));
            set(kernel, 0, &out);
            ok(session.launch(kernel, 256));
            assert_eq!(session.contents(out, 1), [size as i32]);
            // SAFETY: the handles are the test's.
            unsafe {
                ok(clReleaseKernel(kernel));
                ok(clReleaseMemObject(out));
            }
        }
        // SAFETY: as above.
        ok(unsafe { clReleaseProgram(program) });
    }
}
