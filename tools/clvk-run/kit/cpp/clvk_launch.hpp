// libclvk_launch for C++14: objects that release themselves, and failures as exceptions. `clvk_launch.h` explains what
// they do.
//
// A device must outlive what was made from it. Objects are moved, not copied.
#ifndef CLVK_LAUNCH_HPP
#define CLVK_LAUNCH_HPP

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "clvk_program_data.h"

namespace clvk {

// A function failed.
class Error : public std::runtime_error {
public:
  Error(clvk_status status, const std::string &message) : std::runtime_error(message), status_(status) {}
  clvk_status status() const { return status_; }

private:
  clvk_status status_;
};

inline void check(clvk_status status) {
  if (status != CLVK_OK) throw Error(status, clvk_message());
}

namespace detail {
struct Release {
  void operator()(clvk_device *it) const { clvk_device_close(it); }
  void operator()(clvk_buffer *it) const { clvk_buffer_destroy(it); }
  void operator()(clvk_image *it) const { clvk_image_destroy(it); }
  void operator()(clvk_sampler *it) const { clvk_sampler_destroy(it); }
  void operator()(clvk_program *it) const { clvk_program_destroy(it); }
};
template <class T> using Owned = std::unique_ptr<T, Release>;
} // namespace detail

// An opened device.
class Device {
public:
  // The best device, or the best one with this part in its name.
  explicit Device(const char *name = nullptr) {
    clvk_device *device = nullptr;
    check(clvk_device_open(name, &device));
    device_.reset(device);
  }
  const char *name() const { return clvk_device_name(get()); }
  // Waits for everything that was launched.
  void finish() { check(clvk_finish(get())); }
  // Compiled pipelines, for the next process.
  std::vector<std::uint8_t> cache() {
    std::size_t size = 0;
    check(clvk_cache_get(get(), nullptr, &size));
    std::vector<std::uint8_t> data(size);
    check(clvk_cache_get(get(), data.data(), &size));
    data.resize(size);
    return data;
  }
  void add_cache(const std::vector<std::uint8_t> &data) { check(clvk_cache_put(get(), data.data(), data.size())); }
  clvk_device *get() const { return device_.get(); }

private:
  detail::Owned<clvk_device> device_;
};

// Memory of a device, in bytes.
class Buffer {
public:
  Buffer(const Device &device, std::uint64_t size) {
    clvk_buffer *buffer = nullptr;
    check(clvk_buffer_create(device.get(), size, &buffer));
    buffer_.reset(buffer);
  }
  // With these contents, which are not empty.
  template <class T> Buffer(const Device &device, const std::vector<T> &contents) : Buffer(device, contents.size() * sizeof(T)) {
    write(contents);
  }
  std::uint64_t size() const { return clvk_buffer_size(get()); }
  template <class T> void write(const std::vector<T> &contents, std::uint64_t offset = 0) {
    check(clvk_buffer_write(get(), offset, contents.data(), contents.size() * sizeof(T)));
  }
  // `count` elements from an offset in bytes; waits for the launches before it.
  template <class T> std::vector<T> read(std::size_t count, std::uint64_t offset = 0) const {
    std::vector<T> contents(count);
    check(clvk_buffer_read(get(), offset, contents.data(), count * sizeof(T)));
    return contents;
  }
  clvk_buffer *get() const { return buffer_.get(); }

private:
  detail::Owned<clvk_buffer> buffer_;
};

class Image {
public:
  Image(const Device &device, const clvk_image_description &description) {
    clvk_image *image = nullptr;
    check(clvk_image_create(device.get(), &description, &image));
    image_.reset(image);
  }
  std::uint64_t size() const { return clvk_image_size(get()); }
  // All pixels, as `size` bytes.
  void write(const void *pixels) { check(clvk_image_write(get(), pixels)); }
  void read(void *pixels) const { check(clvk_image_read(get(), pixels)); }
  clvk_image *get() const { return image_.get(); }

private:
  detail::Owned<clvk_image> image_;
};

class Sampler {
public:
  Sampler(const Device &device, clvk_addressing addressing, bool linear, bool normalized) {
    clvk_sampler *sampler = nullptr;
    check(clvk_sampler_create(device.get(), addressing, linear, normalized, &sampler));
    sampler_.reset(sampler);
  }
  clvk_sampler *get() const { return sampler_.get(); }

private:
  detail::Owned<clvk_sampler> sampler_;
};

// A program on a device. Exported programs derive from it, with a function for each kernel.
class Program {
public:
  Program(const Device &device, const clvk_program_data &data) {
    clvk_program *program = nullptr;
    check(clvk_program_create(device.get(), &data, &program));
    program_.reset(program);
  }
  const char *variant() const { return clvk_program_variant(get()); }
  clvk_program *get() const { return program_.get(); }

private:
  detail::Owned<clvk_program> program_;
};

} // namespace clvk

#endif
