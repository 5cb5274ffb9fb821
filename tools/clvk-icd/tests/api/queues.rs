//! Properties of queues.

use crate::c::*;
use opencl_sys::*;

/// The code of a queue with these properties, and if it is made, the properties that it answers.
fn queue_with(session: &Session, list: &[u64]) -> Result<Vec<u64>, Status> {
    let mut status = 1;
    // SAFETY: a zero ends the list, and there is as much room as the sizes say.
    unsafe {
        let queue = clCreateCommandQueueWithProperties(
            session.context,
            session.device,
            list.as_ptr(),
            &raw mut status,
        );
        if queue.is_null() {
            return Err(status);
        }
        let bytes = answer(|size, value, ret| {
            clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES_ARRAY, size, value, ret)
        });
        ok(clReleaseCommandQueue(queue));
        Ok(bytes.chunks(8).map(|word| u64::from_ne_bytes(word.try_into().unwrap())).collect())
    }
}

#[test]
fn queues_take_hints_of_priority_and_throttle() {
    let session = Session::new();
    let hints = [CL_QUEUE_PRIORITY_KHR, CL_QUEUE_THROTTLE_KHR];
    for name in hints {
        for value in [1, 2, 4] {
            let list = [name, value, 0];
            assert_eq!(queue_with(&session, &list).as_deref(), Ok(&list[..]));
        }
        for value in [0, 3, 8, 1 << 32 | 1] {
            assert_eq!(queue_with(&session, &[name, value, 0]), Err(CL_INVALID_VALUE), "{value}");
        }
        let properties = CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
        let on_device = [u64::from(CL_QUEUE_PROPERTIES), properties, name, 2, 0];
        assert_eq!(queue_with(&session, &on_device), Err(CL_INVALID_QUEUE_PROPERTIES));
    }
    let both = [hints[1], 4, u64::from(CL_QUEUE_PROPERTIES), CL_QUEUE_PROFILING_ENABLE, hints[0], 1, 0];
    assert_eq!(queue_with(&session, &both).as_deref(), Ok(&both[..]));
    assert_eq!(queue_with(&session, &[0x1098, 1, 0]), Err(CL_INVALID_VALUE));
}
