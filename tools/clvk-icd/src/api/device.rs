//! Devices.

use crate::border::{In, Out};
use crate::cl;
use crate::code::{self, ensure};
use crate::entry::status;
use crate::handle::Handle;
use crate::info::{self, Request};
use crate::object::device::Device;
use crate::object::platform::Platform;
use std::ffi::c_void;

/// All bits of `cl_device_type` that mean something.
const KINDS: cl::cl_device_type = cl::CL_DEVICE_TYPE_DEFAULT
    | cl::CL_DEVICE_TYPE_CPU
    | cl::CL_DEVICE_TYPE_GPU
    | cl::CL_DEVICE_TYPE_ACCELERATOR
    | cl::CL_DEVICE_TYPE_CUSTOM;

/// Whether a device type is valid.
pub fn check_kinds(kinds: cl::cl_device_type) -> code::Result<()> {
    let known = kinds == cl::CL_DEVICE_TYPE_ALL || (kinds != 0 && kinds & !KINDS == 0);
    ensure(known, code::INVALID_DEVICE_TYPE)
}

status! {
    /// `clGetDeviceIDs`.
    fn clGetDeviceIDs(
        platform: Handle<Platform>,
        kinds: cl::cl_device_type,
        num_entries: u32,
        devices: Out<Handle<Device>>,
        num_devices: Out<u32>,
    ) {
        let platform = Platform::of(platform)?;
        check_kinds(kinds)?;
        ensure(num_entries > 0 || devices.is_null(), code::INVALID_VALUE)?;
        ensure(!devices.is_null() || !num_devices.is_null(), code::INVALID_VALUE)?;
        let found: Vec<Handle<Device>> =
            platform.devices().iter().filter(|device| device.is_of(kinds)).map(Handle::of).collect();
        num_devices.set(found.len() as u32);
        ensure(!found.is_empty(), code::DEVICE_NOT_FOUND)?;
        info::enumerate(&found, num_entries, devices, num_devices)
    }

    /// `clGetDeviceInfo`.
    fn clGetDeviceInfo(
        device: Handle<Device>,
        name: cl::cl_device_info,
        size: usize,
        value: Out<c_void>,
        size_ret: Out<usize>,
    ) {
        Request { size, value, size_ret }.answer(device.get()?.query(name)?)
    }

    /// `clCreateSubDevices`: no device can be divided.
    fn clCreateSubDevices(
        device: Handle<Device>,
        _properties: In<cl::cl_device_partition_property>,
        _num_devices: u32,
        _devices: Out<Handle<Device>>,
        _num_devices_ret: Out<u32>,
    ) {
        device.get()?;
        Err(code::INVALID_VALUE)
    }

    /// `clCreateSubDevicesEXT`, of an extension that is not offered.
    fn clCreateSubDevicesEXT(
        device: Handle<Device>,
        _properties: In<u64>,
        _num_devices: u32,
        _devices: Out<Handle<Device>>,
        _num_devices_ret: Out<u32>,
    ) {
        device.get()?;
        Err(code::INVALID_VALUE)
    }

    /// `clRetainDevice`: devices live as long as the process.
    fn clRetainDevice(device: Handle<Device>) {
        device.get().map(drop)
    }

    /// `clReleaseDevice`.
    fn clReleaseDevice(device: Handle<Device>) {
        device.get().map(drop)
    }

    /// `clGetDeviceAndHostTimer`.
    fn clGetDeviceAndHostTimer(
        device: Handle<Device>,
        device_timestamp: Out<cl::cl_ulong>,
        host_timestamp: Out<cl::cl_ulong>,
    ) {
        device.get()?;
        ensure(!device_timestamp.is_null() && !host_timestamp.is_null(), code::INVALID_VALUE)?;
        let now = vk_runtime::host_time();
        device_timestamp.set(now);
        host_timestamp.set(now);
        Ok(())
    }

    /// `clGetHostTimer`.
    fn clGetHostTimer(device: Handle<Device>, host_timestamp: Out<cl::cl_ulong>) {
        device.get()?;
        ensure(!host_timestamp.is_null(), code::INVALID_VALUE)?;
        host_timestamp.set(vk_runtime::host_time());
        Ok(())
    }
}
