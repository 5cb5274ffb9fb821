/* The kernels of `@PROGRAM@`, exported by clvk-run @VERSION@. Load the program with
 * `clvk_program_create(device, &@PROGRAM@_program, &program)`; each function below launches a kernel. Buffers and
 * images that a launch uses must live until the next `clvk_finish`, or until one of them is read. NULL for a buffer is
 * a null pointer. */
#ifndef @GUARD@
#define @GUARD@

#include "clvk_program_data.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const clvk_program_data @PROGRAM@_program;

/* The kernels by number, for `clvk_launch`. */
enum {
@NUMBERS@
};

@FUNCTIONS@
#ifdef __cplusplus
}
#endif

#endif
