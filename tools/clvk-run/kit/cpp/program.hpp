// The kernels of `@PROGRAM@`, exported by clvk-run @VERSION@. Buffers and images that a launch uses must live until the
// device has finished it.
#ifndef @GUARD@
#define @GUARD@

#include <array>

#include "@PROGRAM@.h"
#include "clvk_launch.hpp"

namespace @PROGRAM@ {

class Program : public clvk::Program {
public:
  explicit Program(const clvk::Device &on) : clvk::Program(on, @PROGRAM@_program) {}

@FUNCTIONS@
};

} // namespace @PROGRAM@

#endif
