//! Programs.

use crate::border::callback::{ObjectNotify, OnObject};
use crate::border::{In, Out, UserData};
use crate::cl::*;
use crate::code::{self, Result, ensure};
use crate::entry::{creation, plain, status};
use crate::handle::{self, Handle};
use crate::info::Request;
use crate::object::build::{self, Headers};
use crate::object::context::Context;
use crate::object::device::Device;
use crate::object::program::{Intermediate, Origin, Program};
use clvk::ObjectKind;
use std::ffi::{c_char, c_void};
use std::sync::Arc;

/// The devices that a build is for, by their positions in the program; all if none are named.
fn positions(program: &Program, devices: In<Handle<Device>>, count: u32) -> Result<Vec<usize>> {
    ensure((count == 0) == devices.is_null(), code::INVALID_VALUE)?;
    if count == 0 {
        return Ok((0..program.devices().len()).collect());
    }
    handle::list(devices, count)?.iter().map(|device| program.index_of(device)).collect()
}

/// The named devices of a context; all if none are named.
fn named_devices(
    context: &Arc<Context>,
    devices: In<Handle<Device>>,
    count: u32,
) -> Result<Vec<Arc<Device>>> {
    ensure((count == 0) == devices.is_null(), code::INVALID_VALUE)?;
    if count == 0 {
        return Ok(context.devices().to_vec());
    }
    let devices = handle::list(devices, count)?.into_vec();
    devices.iter().try_for_each(|device| context.check_device(device))?;
    Ok(devices)
}

/// A callback with its data: `CL_INVALID_VALUE` for data without a callback.
fn notification(notify: ObjectNotify, user_data: In<c_void>, data: UserData) -> Result<Option<OnObject>> {
    ensure(notify.is_some() || user_data.is_null(), code::INVALID_VALUE)?;
    Ok(OnObject::new(notify, data))
}

/// The result of a build call. With a callback, errors of the source are reported by the callback and the
/// build status instead.
fn finished(program: &Arc<Program>, notify: Option<OnObject>, result: Result<()>) -> Result<()> {
    let Some(notify) = notify else { return result };
    notify.call(handle::address(program.as_ref()));
    match result {
        Err(code::BUILD_PROGRAM_FAILURE | code::COMPILE_PROGRAM_FAILURE) => Ok(()),
        other => other,
    }
}

creation! {
    /// `clCreateProgramWithSource`.
    fn clCreateProgramWithSource(
        context: Handle<Context>,
        count: u32,
        strings: In<In<c_char>>,
        lengths: In<usize>,
    ) -> Handle<Program> {
        let context = context.get()?;
        ensure(count > 0, code::INVALID_VALUE)?;
        let strings = strings.list(count as usize).ok_or(code::INVALID_VALUE)?;
        let lengths = lengths.list(count as usize);
        let mut text = Vec::new();
        for (index, string) in strings.into_iter().enumerate() {
            let length = lengths.as_ref().map_or(0, |lengths| lengths[index]);
            text.extend(string.text_of(length).ok_or(code::INVALID_VALUE)?);
        }
        // Some applications count the zero at the end.
        while text.last() == Some(&0) {
            text.pop();
        }
        let text = String::from_utf8_lossy(&text).into_owned();
        Ok(Handle::publish(Program::from_source(context, text)))
    }

    /// `clCreateProgramWithBinary`.
    fn clCreateProgramWithBinary(
        context: Handle<Context>,
        num_devices: u32,
        devices: In<Handle<Device>>,
        lengths: In<usize>,
        binaries: In<In<u8>>,
        binary_status: Out<cl_int>,
    ) -> Handle<Program> {
        let context = context.get()?;
        ensure(num_devices > 0 && !devices.is_null(), code::INVALID_VALUE)?;
        let count = num_devices as usize;
        let lengths = lengths.list(count).ok_or(code::INVALID_VALUE)?;
        let binaries = binaries.list(count).ok_or(code::INVALID_VALUE)?;
        let devices = named_devices(&context, devices, num_devices)?;
        // A device has one binary.
        let mut others = devices.iter().enumerate();
        let distinct = others.all(|(index, device)| !devices[..index].iter().any(|it| Arc::ptr_eq(it, device)));
        ensure(distinct, code::INVALID_DEVICE)?;
        let mut loaded = Vec::new();
        let mut result = Ok(());
        for (index, (&length, binary)) in lengths.iter().zip(binaries).enumerate() {
            let bytes = if length == 0 { None } else { binary.block(length) };
            let read = bytes.ok_or(code::INVALID_VALUE).and_then(|bytes| build::read_binary(&bytes));
            binary_status.set_at(index, read.as_ref().map_or_else(|code| code.0, |_| CL_SUCCESS));
            match read {
                Ok(read) => loaded.push(read),
                Err(code) => result = result.and(Err(code)),
            }
        }
        result?;
        Ok(Handle::publish(Program::from_binaries(context, devices, loaded)))
    }

    /// `clCreateProgramWithBuiltInKernels`: no device has any.
    fn clCreateProgramWithBuiltInKernels(
        context: Handle<Context>,
        num_devices: u32,
        devices: In<Handle<Device>>,
        names: In<c_char>,
    ) -> Handle<Program> {
        let context = context.get()?;
        ensure(num_devices > 0 && !devices.is_null() && !names.is_null(), code::INVALID_VALUE)?;
        named_devices(&context, devices, num_devices)?;
        Err(code::INVALID_VALUE)
    }

    /// `clCreateProgramWithIL`: every device accepts SPIR-V.
    fn clCreateProgramWithIL(context: Handle<Context>, il: In<u8>, length: usize) -> Handle<Program> {
        let context = context.get()?;
        let module = if length == 0 { None } else { il.read(length, Intermediate::new) };
        let module = module.unwrap_or(Err(code::INVALID_VALUE))?;
        Ok(Handle::publish(Program::from_spirv(context, module)))
    }
}

plain! {
    /// `clLinkProgram`. If linking fails, there still is a program, which has the log.
    fn clLinkProgram(
        context: Handle<Context>,
        num_devices: u32,
        devices: In<Handle<Device>>,
        options: In<c_char>,
        num_programs: u32,
        programs: In<Handle<Program>>,
        notify: ObjectNotify,
        user_data: UserData,
        errcode_ret: Out<cl_int>,
    ) -> Handle<Program> {
        errcode_ret.set(code::OUT_OF_HOST_MEMORY.0);
        let notify = notification(notify, user_data.as_input(), user_data);
        let linked = notify.and_then(|notify| {
            let context = context.get()?;
            let devices = named_devices(&context, devices, num_devices)?;
            ensure(num_programs > 0 && !programs.is_null(), code::INVALID_VALUE)?;
            let parts = handle::list(programs, num_programs)?;
            link(context, devices, &options.text().unwrap_or_default(), &parts, notify)
        });
        let (handle, result) = linked.unwrap_or_else(|code| (Handle::NULL, Err(code)));
        errcode_ret.set(result.map_or_else(|code| code.0, |()| CL_SUCCESS));
        Ok(handle)
    }
}

/// Links programs to a new one; returns it with the result.
fn link(
    context: Arc<Context>,
    devices: Vec<Arc<Device>>,
    options: &str,
    parts: &[Arc<Program>],
    notify: Option<OnObject>,
) -> Result<(Handle<Program>, Result<()>)> {
    ensure(parts.iter().all(|part| Arc::ptr_eq(part.context(), &context)), code::INVALID_PROGRAM)?;
    let kind = link_kind(options)?;
    for device in &devices {
        for part in parts {
            let build = part.index_of(device).map(|index| part.build_of(index));
            let is_part = build.is_ok_and(|build| {
                build.output.is_some_and(|output| output.kind() != ObjectKind::Executable)
            });
            ensure(is_part, code::INVALID_OPERATION)?;
        }
    }
    let program = Program::linked(context, devices);
    let indices: Vec<usize> = (0..program.devices().len()).collect();
    let result = program.link(&indices, options, parts, kind);
    let handle = Handle::publish(Arc::clone(&program));
    match notify {
        Some(notify) => {
            notify.call(handle::address(program.as_ref()));
            Ok((handle, Ok(())))
        }
        None => Ok((handle, result)),
    }
}

/// What linker options ask for.
fn link_kind(options: &str) -> Result<ObjectKind> {
    let words: Vec<&str> = options.split_ascii_whitespace().collect();
    let known = [
        "-create-library",
        "-enable-link-options",
        "-cl-denorms-are-zero",
        "-cl-no-signed-zeros",
        "-cl-unsafe-math-optimizations",
        "-cl-finite-math-only",
        "-cl-fast-relaxed-math",
        "-cl-no-subgroup-ifp",
        "-cl-std=CL3.0",
    ];
    ensure(words.iter().all(|word| known.contains(word)), code::INVALID_LINKER_OPTIONS)?;
    let creates = words.contains(&"-create-library");
    ensure(creates || !words.contains(&"-enable-link-options"), code::INVALID_LINKER_OPTIONS)?;
    Ok(if creates { ObjectKind::Library } else { ObjectKind::Executable })
}

status! {
    /// `clRetainProgram`.
    fn clRetainProgram(program: Handle<Program>) {
        program.retain()
    }

    /// `clReleaseProgram`.
    fn clReleaseProgram(program: Handle<Program>) {
        program.release()
    }

    /// `clBuildProgram`.
    fn clBuildProgram(
        program: Handle<Program>,
        num_devices: u32,
        devices: In<Handle<Device>>,
        options: In<c_char>,
        notify: ObjectNotify,
        user_data: UserData,
    ) {
        let program = program.get()?;
        let notify = notification(notify, user_data.as_input(), user_data)?;
        let indices = positions(&program, devices, num_devices)?;
        program.check_no_kernels()?;
        let options = options.text().unwrap_or_default();
        let result = program.build(&indices, &options, &Headers::default(), ObjectKind::Executable);
        finished(&program, notify, result)
    }

    /// `clCompileProgram`.
    fn clCompileProgram(
        program: Handle<Program>,
        num_devices: u32,
        devices: In<Handle<Device>>,
        options: In<c_char>,
        num_headers: u32,
        headers: In<Handle<Program>>,
        names: In<In<c_char>>,
        notify: ObjectNotify,
        user_data: UserData,
    ) {
        let program = program.get()?;
        let notify = notification(notify, user_data.as_input(), user_data)?;
        let indices = positions(&program, devices, num_devices)?;
        let none = num_headers == 0;
        ensure(none == headers.is_null() && none == names.is_null(), code::INVALID_VALUE)?;
        ensure(matches!(program.origin(), Origin::Source(_) | Origin::Spirv(_)), code::INVALID_OPERATION)?;
        program.check_no_kernels()?;
        let headers = if none { Headers::default() } else { read_headers(num_headers, headers, names)? };
        let options = options.text().unwrap_or_default();
        let result = program.build(&indices, &options, &headers, ObjectKind::Compiled);
        finished(&program, notify, result)
    }

    /// `clGetProgramInfo`.
    fn clGetProgramInfo(
        program: Handle<Program>,
        name: cl_program_info,
        size: usize,
        value: Out<c_void>,
        size_ret: Out<usize>,
    ) {
        let program = program.get()?;
        if name == CL_PROGRAM_BINARIES {
            return give_binaries(&program, size, value, size_ret);
        }
        Request { size, value, size_ret }.answer(program.query(name)?)
    }

    /// `clGetProgramBuildInfo`.
    fn clGetProgramBuildInfo(
        program: Handle<Program>,
        device: Handle<Device>,
        name: cl_program_build_info,
        size: usize,
        value: Out<c_void>,
        size_ret: Out<usize>,
    ) {
        Request { size, value, size_ret }.answer(program.get()?.query_build(&device.get()?, name)?)
    }

    /// `clSetProgramReleaseCallback`.
    fn clSetProgramReleaseCallback(program: Handle<Program>, notify: ObjectNotify, user_data: UserData) {
        let program = program.get()?;
        program.on_release(OnObject::new(notify, user_data).ok_or(code::INVALID_VALUE)?);
        Ok(())
    }

    /// `clSetProgramSpecializationConstant`: programs from SPIR-V and in OpenCL C++ have them.
    fn clSetProgramSpecializationConstant(program: Handle<Program>, id: u32, size: usize, value: In<c_void>) {
        program.get()?.specialise(id, size, value)
    }
}

fn read_headers(count: u32, programs: In<Handle<Program>>, names: In<In<c_char>>) -> Result<Headers> {
    let programs = handle::list(programs, count)?;
    let names = names.list(count as usize).ok_or(code::INVALID_VALUE)?;
    let header = |(program, name): (Arc<Program>, In<c_char>)| {
        let name = name.text().ok_or(code::INVALID_VALUE)?;
        match program.origin() {
            Origin::Source(source) => Ok((name, source.text.clone())),
            _ => Err(code::INVALID_PROGRAM),
        }
    };
    let texts = programs.into_iter().zip(names).map(header).collect::<Result<_>>()?;
    Ok(Headers { texts })
}

/// `CL_PROGRAM_BINARIES`: the value is an array of pointers to the places for the binaries.
fn give_binaries(program: &Program, size: usize, value: Out<c_void>, size_ret: Out<usize>) -> Result<()> {
    let binaries = program.binaries();
    let needed = binaries.len() * size_of::<usize>();
    ensure(value.is_null() || size >= needed, code::INVALID_VALUE)?;
    size_ret.set(needed);
    if !value.is_null() {
        for (index, binary) in binaries.iter().enumerate() {
            value.pointer_at(index).set_bytes(binary);
        }
    }
    Ok(())
}
