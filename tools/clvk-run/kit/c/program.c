/* The program `@PROGRAM@`, exported by clvk-run @VERSION@: its tables and its functions. */
#include "@PROGRAM@.h"

#include "@PROGRAM@_spirv.h"

#include "@PROGRAM@_interface.h"

const clvk_program_data @PROGRAM@_program = {
    .name = "@PROGRAM@", .variants = variants, .variant_count = @VARIANTS@, .kernel_count = @KERNELS@};

@FUNCTIONS@
