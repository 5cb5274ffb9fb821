//# all_headers
#include <opencl_array>
#include <opencl_atomic>
#include <opencl_common>
#include <opencl_convert>
#include <opencl_def>
#include <opencl_device_queue>
#include <opencl_functional>
#include <opencl_geometric>
#include <opencl_half>
#include <opencl_image>
#include <opencl_integer>
#include <opencl_iterator>
#include <opencl_limits>
#include <opencl_marker>
#include <opencl_math>
#include <opencl_math_constants>
#include <opencl_memory>
#include <opencl_pipe>
#include <opencl_printf>
#include <opencl_range>
#include <opencl_reinterpret>
#include <opencl_relational>
#include <opencl_spec_constant>
#include <opencl_synchronization>
#include <opencl_tuple>
#include <opencl_type_traits>
#include <opencl_utility>
#include <opencl_vec>
#include <opencl_vector_load_store>
#include <opencl_vector_utility>
#include <opencl_work_group>
#include <opencl_work_item>
kernel void run(cl::global_ptr<unsigned> out) { *out = cl::get_global_id(0); }
//# names_of_spaces
int global = 1;
int local(int constant) { return constant + global; }
kernel void run() { int generic = local(2), pipe = generic; }
