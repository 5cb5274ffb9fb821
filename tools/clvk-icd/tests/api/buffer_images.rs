//! Images whose pixels lie in buffers, with pitches (cl_khr_image2d_from_buffer, cl_ext_image_from_buffer):
//! what kernels and transfers see and leave on either side.

use crate::c::*;
use crate::image_requirements::requirement;
use opencl_sys::*;
use std::ffi::c_void;
use std::ptr::{null, null_mut};

/// An image of 32-bit numbers in a buffer. Sizes and pitches are counted in numbers. For one-dimensional
/// arrays, the second size counts layers.
#[derive(Clone, Copy)]
pub struct Shape {
    pub kind: u32,
    pub size: [usize; 3],
    pub row: usize,
    pub slice: usize,
}

const fn shape(kind: u32, size: [usize; 3], row: usize, slice: usize) -> Shape {
    Shape { kind, size, row, slice }
}

pub const PLANE: Shape = shape(CL_MEM_OBJECT_IMAGE2D, [5, 4, 1], 8, 0);

/// Shapes, each with other pitches for the same sizes.
const SHAPES: &[(&str, [Shape; 2])] = &[
    ("image2d_t", [PLANE, shape(CL_MEM_OBJECT_IMAGE2D, [5, 4, 1], 5, 0)]),
    (
        "image2d_t",
        [shape(CL_MEM_OBJECT_IMAGE2D, [5, 1, 1], 9, 0), shape(CL_MEM_OBJECT_IMAGE2D, [5, 1, 1], 5, 0)],
    ),
    (
        "image1d_t",
        [shape(CL_MEM_OBJECT_IMAGE1D, [9, 1, 1], 9, 0), shape(CL_MEM_OBJECT_IMAGE1D, [9, 1, 1], 11, 0)],
    ),
    (
        "image1d_array_t",
        [
            shape(CL_MEM_OBJECT_IMAGE1D_ARRAY, [5, 3, 1], 6, 12),
            shape(CL_MEM_OBJECT_IMAGE1D_ARRAY, [5, 3, 1], 7, 7),
        ],
    ),
    (
        "image2d_array_t",
        [
            shape(CL_MEM_OBJECT_IMAGE2D_ARRAY, [5, 3, 2], 6, 24),
            shape(CL_MEM_OBJECT_IMAGE2D_ARRAY, [5, 3, 2], 5, 15),
        ],
    ),
    (
        "image2d_array_t",
        [
            shape(CL_MEM_OBJECT_IMAGE2D_ARRAY, [5, 1, 2], 6, 24),
            shape(CL_MEM_OBJECT_IMAGE2D_ARRAY, [5, 1, 2], 5, 5),
        ],
    ),
    (
        "image3d_t",
        [shape(CL_MEM_OBJECT_IMAGE3D, [5, 3, 2], 7, 28), shape(CL_MEM_OBJECT_IMAGE3D, [5, 3, 2], 6, 18)],
    ),
];

/// Where the sub-buffers of the tests begin, in numbers.
const START: usize = 32;

impl Shape {
    pub fn description(&self, buffer: cl_mem) -> cl_image_desc {
        let [image_width, image_height, image_depth] = self.size;
        let of_rows = self.kind == CL_MEM_OBJECT_IMAGE1D_ARRAY;
        cl_image_desc {
            image_type: self.kind,
            image_width,
            image_height,
            image_depth,
            image_array_size: if of_rows { image_height } else { image_depth },
            image_row_pitch: 4 * self.row,
            image_slice_pitch: 4 * self.slice,
            num_mip_levels: 0,
            num_samples: 0,
            buffer,
        }
    }

    /// Where a pixel lies in the buffer.
    fn place(&self, [x, y, z]: [usize; 3]) -> usize {
        let rows = if self.kind == CL_MEM_OBJECT_IMAGE1D_ARRAY { self.slice } else { self.row };
        x + y * rows + z * self.slice
    }

    fn pixels(&self) -> impl Iterator<Item = [usize; 3]> + use<> {
        let [width, height, depth] = self.size;
        (0..depth).flat_map(move |z| (0..height).flat_map(move |y| (0..width).map(move |x| [x, y, z])))
    }

    /// Numbers that a buffer needs for it.
    fn length(&self) -> usize {
        let [width, height, depth] = self.size;
        match self.kind {
            CL_MEM_OBJECT_IMAGE1D => width,
            CL_MEM_OBJECT_IMAGE1D_ARRAY => self.slice * height,
            CL_MEM_OBJECT_IMAGE2D => self.row * height,
            _ => self.slice * depth,
        }
    }

    /// The image, in numbers of one channel.
    fn image(&self, session: &Session, flags: u64, buffer: cl_mem) -> Result<cl_mem, Status> {
        create(session, flags, CL_SIGNED_INT32, &self.description(buffer), null_mut())
    }
}

fn create(
    session: &Session,
    flags: u64,
    channel: u32,
    shape: &cl_image_desc,
    host: *mut c_void,
) -> Result<cl_mem, Status> {
    let format = cl_image_format { image_channel_order: CL_R, image_channel_data_type: channel };
    let mut status = 1;
    // SAFETY: the descriptions are whole.
    let image =
        unsafe { clCreateImage(session.context, flags, &raw const format, shape, host, &raw mut status) };
    assert_eq!(image.is_null(), status != CL_SUCCESS);
    if image.is_null() { Err(status) } else { Ok(image) }
}

/// A part of a buffer from a number on.
fn part(buffer: cl_mem, start: usize, length: usize) -> cl_mem {
    let region = cl_buffer_region { origin: 4 * start, size: 4 * length };
    let kind = CL_BUFFER_CREATE_TYPE_REGION;
    // SAFETY: one region.
    created(|e| unsafe { clCreateSubBuffer(buffer, 0, kind, (&raw const region).cast(), e) })
}

fn launch(session: &Session, kernel: cl_kernel, size: [usize; 3]) {
    let (queue, none) = (session.queue, null_mut());
    // SAFETY: three sizes.
    ok(unsafe { clEnqueueNDRangeKernel(queue, kernel, 3, null(), size.as_ptr(), null(), 0, null(), none) });
}

fn release(objects: &[cl_mem]) {
    for &object in objects {
        // SAFETY: the handles are the test's.
        ok(unsafe { clReleaseMemObject(object) });
    }
}

fn numbers(count: usize) -> Vec<i32> {
    (0..count as i32).map(|index| 3 * index + 7).collect()
}

/// A kernel that writes what it reads from the first image to the second, plus 1000.
fn adding(session: &Session, type_name: &str) -> (cl_program, cl_kernel) {
    let place = match type_name {
        "image1d_t" => "(int)get_global_id(0)",
        "image2d_t" | "image1d_array_t" => "(int2)(get_global_id(0), get_global_id(1))",
        _ => "(int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0)",
    };
    let source = format!(
        "#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable
         kernel void add(read_only {type_name} from, write_only {type_name} to) {{
             write_imagei(to, {place}, read_imagei(from, {place}) + 1000);
         }}"
    );
    let program = session.built(&source);
    (program, session.kernel(program, c"add"))
}

#[test]
fn kernels_read_and_write_the_pixels_of_buffers() {
    let session = Session::new();
    for &(type_name, [from, to]) in SHAPES {
        let (program, add) = adding(&session, type_name);
        let data = numbers(START + from.length() + 3);
        let source = session.buffer_of(&data);
        let before = vec![-1; to.length() + 3];
        let destination = session.buffer_of(&before);
        let there = part(source, START, from.length());
        let first = from.image(&session, CL_MEM_READ_ONLY, there).unwrap();
        let second = to.image(&session, CL_MEM_WRITE_ONLY, destination).unwrap();
        set(add, 0, &first);
        set(add, 1, &second);
        launch(&session, add, from.size);
        let mut expected = before;
        for pixel in from.pixels() {
            expected[to.place(pixel)] = data[START + from.place(pixel)] + 1000;
        }
        assert_eq!(session.contents(destination, expected.len()), expected, "{type_name}");
        assert_eq!(session.contents(source, data.len()), data, "{type_name}");

        // Rows of less than all pixels: what the kernel does not write stays.
        let mut changed = data.clone();
        changed[START] = -77;
        changed[START + from.length()..].fill(-5);
        let bytes = size_of_val(&changed[..]);
        let (queue, none) = (session.queue, null_mut());
        // SAFETY: as many bytes as the size says; the write blocks.
        ok(unsafe {
            let place = changed.as_ptr().cast();
            clEnqueueWriteBuffer(queue, source, CL_TRUE, 0, bytes, place, 0, null(), none)
        });
        launch(&session, add, [1, 1, 1]);
        expected[0] = -77 + 1000;
        assert_eq!(session.contents(destination, expected.len()), expected, "{type_name}");
        release(&[first, second, there, source, destination]);
        // SAFETY: the handles are this test's.
        unsafe {
            ok(clReleaseKernel(add));
            ok(clReleaseProgram(program));
        }
    }
}

/// Launches after an event, which becomes the launch's own.
fn launch_after(session: &Session, kernel: cl_kernel, size: [usize; 3], event: &mut cl_event) {
    let before = *event;
    let waits = if before.is_null() { null() } else { &raw const before };
    let (queue, count) = (session.queue, u32::from(!before.is_null()));
    // SAFETY: three sizes, and one event if there is one.
    unsafe {
        ok(clEnqueueNDRangeKernel(queue, kernel, 3, null(), size.as_ptr(), null(), count, waits, event));
        if !before.is_null() {
            ok(clReleaseEvent(before));
        }
    }
}

/// Each command sees what the ones before it left, on the other side too, without waits of the host.
#[test]
fn both_sides_see_each_other_in_order() {
    for properties in [0, CL_QUEUE_PROFILING_ENABLE, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE] {
        let session = Session::with(properties);
        let program = session.built(
            "kernel void move(read_only image2d_t from, write_only image2d_t to) {
                 int2 at = (int2)(get_global_id(0), get_global_id(1));
                 write_imagei(to, at, read_imagei(from, at) * 2);
             }
             kernel void bump(global int* data) { data[get_global_id(0)] += 1; }",
        );
        let (moving, bump) = (session.kernel(program, c"move"), session.kernel(program, c"bump"));
        // Two images in one buffer.
        let mut data = numbers(2 * START);
        assert_eq!(PLANE.length(), START);
        let buffer = session.buffer_of(&data);
        let parts = [0, START].map(|start| part(buffer, start, START));
        let images = parts.map(|part| PLANE.image(&session, CL_MEM_READ_WRITE, part).unwrap());
        set(bump, 0, &buffer);
        let mut event: cl_event = null_mut();
        for round in 0..20 {
            let (from, to) = (round % 2, 1 - round % 2);
            set(moving, 0, &images[from]);
            set(moving, 1, &images[to]);
            launch_after(&session, moving, PLANE.size, &mut event);
            launch_after(&session, bump, [data.len(), 1, 1], &mut event);
            for pixel in PLANE.pixels() {
                let place = PLANE.place(pixel);
                data[to * START + place] = data[from * START + place].wrapping_mul(2);
            }
            data.iter_mut().for_each(|number| *number = number.wrapping_add(1));
        }
        // SAFETY: the event is one.
        ok(unsafe { clWaitForEvents(1, &raw const event) });
        assert_eq!(session.contents(buffer, data.len()), data);
        release(&[images[0], images[1], parts[0], parts[1], buffer]);
        // SAFETY: the handles are this test's.
        unsafe {
            ok(clReleaseEvent(event));
            ok(clReleaseKernel(moving));
            ok(clReleaseKernel(bump));
            ok(clReleaseProgram(program));
        }
    }
}

/// A kernel that reads and writes one image, on devices with such images.
#[test]
fn kernels_change_pixels_in_place() {
    let session = Session::new();
    if of_device(&session, CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS) == 0 {
        return;
    }
    let program = session.built_for_version_three(
        "kernel void twice(read_write image2d_t image) {
             int2 at = (int2)(get_global_id(0), get_global_id(1));
             write_imagei(image, at, read_imagei(image, at) * 2);
         }",
    );
    let twice = session.kernel(program, c"twice");
    let mut data = numbers(PLANE.length());
    let buffer = session.buffer_of(&data);
    let image = PLANE.image(&session, CL_MEM_KERNEL_READ_AND_WRITE, buffer).unwrap();
    set(twice, 0, &image);
    launch(&session, twice, PLANE.size);
    launch(&session, twice, PLANE.size);
    PLANE.pixels().for_each(|pixel| data[PLANE.place(pixel)] *= 4);
    assert_eq!(session.contents(buffer, data.len()), data);
    release(&[image, buffer]);
    // SAFETY: the handles are this test's.
    unsafe {
        ok(clReleaseKernel(twice));
        ok(clReleaseProgram(program));
    }
}

#[test]
fn transfers_use_the_pitches_of_the_buffer() {
    let session = Session::new();
    for &(type_name, [here, there]) in SHAPES {
        let mut data = numbers(here.length());
        let mut other = vec![-1; there.length()];
        let (buffer, second) = (session.buffer_of(&data), session.buffer_of(&other));
        let image = here.image(&session, 0, buffer).unwrap();
        let copy = there.image(&session, 0, second).unwrap();
        let plain = {
            let none = Shape { row: 0, slice: 0, ..here };
            create(&session, 0, CL_SIGNED_INT32, &none.description(null_mut()), null_mut()).unwrap()
        };
        let (queue, none) = (session.queue, null_mut());
        let (zero, whole) = ([0usize; 3], here.size);
        let corner = whole.map(|size| size - 1);
        let (origin, one) = (corner.as_ptr(), [1usize; 3]);
        let (color, number) = ([99i32, 0, 0, 0], [4321i32]);
        // The last pixel is filled, the first one written; then all of them go through an image of its own to
        // the other image. Nothing else is written.
        // SAFETY: colour, origins and regions are as long as they must be, and the number is one pixel.
        unsafe {
            let (color, number) = (color.as_ptr().cast(), number.as_ptr().cast());
            let (start, size, one) = (zero.as_ptr(), whole.as_ptr(), one.as_ptr());
            ok(clEnqueueFillImage(queue, image, color, origin, one, 0, null(), none));
            ok(clEnqueueWriteImage(queue, image, CL_TRUE, start, one, 0, 0, number, 0, null(), none));
            ok(clEnqueueCopyImage(queue, image, plain, start, start, size, 0, null(), none));
            ok(clEnqueueCopyImage(queue, plain, copy, start, start, size, 0, null(), none));
        }
        data[0] = 4321;
        data[here.place(corner)] = 99;
        for pixel in here.pixels() {
            other[there.place(pixel)] = data[here.place(pixel)];
        }
        assert_eq!(session.contents(buffer, data.len()), data, "{type_name}");
        assert_eq!(session.contents(second, other.len()), other, "{type_name}");

        // A copy within the same queue from one pitch to the other, and reads without padding.
        let packed: Vec<i32> = here.pixels().map(|pixel| data[here.place(pixel)]).collect();
        let (mut read, linear) = (vec![0i32; packed.len()], session.buffer(0, 4 * packed.len()));
        // SAFETY: as above, and there is room for all pixels.
        unsafe {
            let (start, size, into) = (zero.as_ptr(), whole.as_ptr(), read.as_mut_ptr().cast());
            let color = color.as_ptr().cast();
            ok(clEnqueueFillImage(queue, copy, color, start, size, 0, null(), none));
            ok(clEnqueueCopyImage(queue, image, copy, start, start, size, 0, null(), none));
            ok(clEnqueueReadImage(queue, copy, CL_TRUE, start, size, 0, 0, into, 0, null(), none));
            ok(clEnqueueCopyImageToBuffer(queue, image, linear, start, size, 0, 0, null(), none));
        }
        assert_eq!(read, packed, "{type_name}");
        assert_eq!(session.contents(linear, packed.len()), packed, "{type_name}");
        assert_eq!(session.contents(second, other.len()), other, "{type_name}");

        // From packed pixels back, and through a map.
        // SAFETY: as above; the mapped pixels are those of the region.
        unsafe {
            let (start, size, pattern) = (zero.as_ptr(), whole.as_ptr(), [0i32]);
            let (pattern, bytes) = (pattern.as_ptr().cast(), 4 * data.len());
            ok(clEnqueueFillBuffer(queue, buffer, pattern, 4, 0, bytes, 0, null(), none));
            ok(clEnqueueCopyBufferToImage(queue, linear, image, 0, start, size, 0, null(), none));
            let (mut row, mut slice, flags) = (0, 0, CL_MAP_READ | CL_MAP_WRITE);
            let mapped: *mut i32 = created(|e| {
                let (row, slice) = (&raw mut row, &raw mut slice);
                clEnqueueMapImage(queue, image, CL_TRUE, flags, start, size, row, slice, 0, null(), none, e)
            })
            .cast();
            let shape = Shape { row: row / 4, slice: slice / 4, ..here };
            for (pixel, number) in here.pixels().zip(&packed) {
                let place = mapped.add(shape.place(pixel));
                assert_eq!(place.read(), *number, "{type_name}");
                place.write(-number);
            }
            ok(clEnqueueUnmapMemObject(queue, image, mapped.cast(), 0, null(), none));
        }
        let mut expected = vec![0; data.len()];
        here.pixels().zip(&packed).for_each(|(pixel, number)| expected[here.place(pixel)] = -number);
        assert_eq!(session.contents(buffer, data.len()), expected, "{type_name}");
        release(&[image, copy, plain, buffer, second, linear]);
    }
}

#[test]
fn queries_name_the_buffer_and_its_pitches() {
    let session = Session::new();
    for &(type_name, shapes) in SHAPES {
        for shape in shapes {
            let whole =
                session.buffer(CL_MEM_READ_ONLY | CL_MEM_HOST_READ_ONLY, 4 * (START + shape.length()));
            let buffer = part(whole, START, shape.length());
            let image = shape.image(&session, 0, buffer).unwrap();
            let of_image = |name| {
                // SAFETY: as much room as the size says.
                let bytes =
                    answer(|size, value, ret| unsafe { clGetImageInfo(image, name, size, value, ret) });
                usize::from_ne_bytes(bytes.try_into().unwrap())
            };
            let of_memory = |name| {
                // SAFETY: as above.
                let query = |size, value, ret| unsafe { clGetMemObjectInfo(image, name, size, value, ret) };
                u64::from_ne_bytes(answer(query).try_into().unwrap())
            };
            assert_eq!(of_image(CL_IMAGE_ROW_PITCH), 4 * shape.row, "{type_name}");
            assert_eq!(of_image(CL_IMAGE_SLICE_PITCH), 4 * shape.slice, "{type_name}");
            assert_eq!(of_image(CL_IMAGE_BUFFER), buffer as usize);
            assert_eq!(of_memory(CL_MEM_ASSOCIATED_MEMOBJECT), buffer as u64);
            assert_eq!(of_memory(CL_MEM_SIZE), 4 * shape.length() as u64, "{type_name}");
            // What the flags do not say comes from the buffer.
            assert_eq!(of_memory(CL_MEM_FLAGS), CL_MEM_READ_ONLY | CL_MEM_HOST_READ_ONLY);
            release(&[image, buffer, whole]);
        }
    }
    let of_device = |name| {
        // SAFETY: as above.
        number(|size, value, ret| unsafe { clGetDeviceInfo(session.device, name, size, value, ret) })
    };
    for name in [CL_DEVICE_IMAGE_PITCH_ALIGNMENT, CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT] {
        assert!(of_device(name).is_power_of_two());
    }
}

/// Images in the application's memory: maps of them are that memory.
#[test]
fn host_memory_of_the_buffer_is_that_of_the_image() {
    let session = Session::new();
    let mut data = numbers(PLANE.length());
    let (bytes, host) = (size_of_val(&data[..]), data.as_mut_ptr());
    let flags = CL_MEM_USE_HOST_PTR;
    // SAFETY: the numbers outlive the buffer.
    let buffer = created(|e| unsafe { clCreateBuffer(session.context, flags, bytes, host.cast(), e) });
    let image = PLANE.image(&session, 0, buffer).unwrap();
    let (queue, none, color) = (session.queue, null_mut(), [5i32, 0, 0, 0]);
    let (origin, region) = ([1usize, 1, 0], [3usize, 2, 1]);
    // SAFETY: colour, origin and region are as long as they must be; the map is read before it ends.
    unsafe {
        let (origin, region) = (origin.as_ptr(), region.as_ptr());
        ok(clEnqueueFillImage(queue, image, color.as_ptr().cast(), origin, region, 0, null(), none));
        let (mut row, mut slice) = (0, 0);
        let mapped: *mut i32 = created(|e| {
            let (row, slice) = (&raw mut row, &raw mut slice);
            clEnqueueMapImage(
                queue,
                image,
                CL_TRUE,
                CL_MAP_READ,
                origin,
                region,
                row,
                slice,
                0,
                null(),
                none,
                e,
            )
        })
        .cast();
        assert_eq!((row, mapped), (4 * PLANE.row, host.add(1 + PLANE.row)));
        assert_eq!([0, 2, 8, 10].map(|at| mapped.add(at).read()), [5; 4]);
        ok(clEnqueueUnmapMemObject(queue, image, mapped.cast(), 0, null(), none));
        ok(clFinish(queue));
    }
    // The buffer's memory may end with it.
    release(&[buffer, image]);
}

#[test]
fn images_of_each_shape_need_their_buffer() {
    let session = Session::new();
    for &(type_name, [shape, _]) in SHAPES {
        let buffer = session.buffer(0, 4 * shape.length() - 4);
        assert_eq!(shape.image(&session, 0, buffer).unwrap_err(), CL_INVALID_IMAGE_SIZE, "{type_name}");
        release(&[buffer]);
        let buffer = session.buffer(0, 4 * shape.length());
        let mut description = shape.description(buffer);
        if shape.slice > 0 {
            let pitch = |pitch| {
                let wrong = cl_image_desc { image_slice_pitch: pitch, ..description };
                create(&session, 0, CL_SIGNED_INT32, &wrong, null_mut()).unwrap_err()
            };
            let row = description.image_row_pitch;
            assert_eq!(pitch(4 * shape.slice + 1), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, "{type_name}");
            assert_eq!(pitch(4 * shape.slice + 4), CL_INVALID_IMAGE_DESCRIPTOR, "{type_name}");
            assert_eq!(pitch(usize::MAX / row * row), CL_INVALID_IMAGE_SIZE, "{type_name}");
        }
        // The size that the query tells is the one that suffices.
        description.buffer = null_mut();
        let (channel, size) = (Some(CL_SIGNED_INT32), CL_IMAGE_REQUIREMENTS_SIZE_EXT);
        let size = requirement(&session, 0, channel, Some(&description), size);
        assert_eq!(size, Ok(4 * shape.length()), "{type_name}");
        let image = shape.image(&session, 0, buffer).unwrap();
        release(&[image, buffer]);
    }
}

pub fn of_device(session: &Session, name: u32) -> usize {
    // SAFETY: as much room as the size says.
    let bytes = answer(|size, value, ret| unsafe { clGetDeviceInfo(session.device, name, size, value, ret) });
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | usize::from(byte))
}

#[test]
fn images_that_do_not_suit_the_buffer_are_refused() {
    let session = Session::new();
    let buffer = session.buffer(CL_MEM_READ_ONLY, 4 * PLANE.length());
    let with = |change: fn(&mut cl_image_desc)| {
        let mut shape = PLANE.description(buffer);
        change(&mut shape);
        create(&session, 0, CL_SIGNED_INT32, &shape, null_mut()).unwrap_err()
    };
    assert_eq!(with(|it| it.image_height += 1), CL_INVALID_IMAGE_SIZE);
    assert_eq!(with(|it| it.image_row_pitch = usize::MAX - 3), CL_INVALID_IMAGE_SIZE);
    assert_eq!(with(|it| it.image_row_pitch += 1), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    assert_eq!(with(|it| it.image_row_pitch = 16), CL_INVALID_IMAGE_DESCRIPTOR);
    assert_eq!(with(|it| it.num_mip_levels = 2), CL_INVALID_IMAGE_DESCRIPTOR);
    assert_eq!(with(|it| it.image_width = 0), CL_INVALID_IMAGE_SIZE);
    let flags = |flags| PLANE.image(&session, flags, buffer).unwrap_err();
    assert_eq!(flags(CL_MEM_READ_WRITE), CL_INVALID_VALUE);
    assert_eq!(flags(CL_MEM_WRITE_ONLY), CL_INVALID_VALUE);
    assert_eq!(flags(CL_MEM_ALLOC_HOST_PTR), CL_INVALID_VALUE);
    let mut pixels = numbers(PLANE.length());
    let host = pixels.as_mut_ptr().cast();
    let shape = PLANE.description(buffer);
    assert_eq!(create(&session, 0, CL_SIGNED_INT32, &shape, host).unwrap_err(), CL_INVALID_HOST_PTR);
    // Pixels of four bytes that begin at an odd one.
    // SAFETY: the numbers outlive the buffer, which is smaller by one.
    let odd = created(|e| unsafe {
        let (host, size) = (pixels.as_mut_ptr().cast::<u8>().add(1), 4 * PLANE.length() - 4);
        clCreateBuffer(session.context, CL_MEM_USE_HOST_PTR, size, host.cast(), e)
    });
    let smaller = Shape { size: [5, 3, 1], ..PLANE };
    assert_eq!(smaller.image(&session, 0, odd).unwrap_err(), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    let row = Shape { kind: CL_MEM_OBJECT_IMAGE1D_BUFFER, size: [5, 1, 1], row: 0, slice: 0 };
    assert_eq!(row.image(&session, 0, odd).unwrap_err(), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    // Pixels of one byte: an odd pitch, and none.
    let bytes = |pitch| {
        let shape = cl_image_desc { image_row_pitch: pitch, ..PLANE.description(buffer) };
        create(&session, 0, CL_UNSIGNED_INT8, &shape, null_mut())
    };
    assert_eq!(bytes(7).unwrap_err(), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    release(&[bytes(0).unwrap(), bytes(6).unwrap()]);
    // An image of another context, and an image as the memory of an image.
    let stranger = Session::new();
    assert_eq!(PLANE.image(&stranger, 0, buffer).unwrap_err(), CL_INVALID_CONTEXT);
    let image = PLANE.image(&session, 0, buffer).unwrap();
    assert_eq!(PLANE.image(&session, 0, image).unwrap_err(), CL_INVALID_OPERATION);
    release(&[image, odd, buffer]);
}
