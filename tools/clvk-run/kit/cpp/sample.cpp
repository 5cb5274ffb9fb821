// Runs each kernel of `@PROGRAM@` once with made-up arguments, and prints the first values of what it may have written.
// It is here to show how to call them; change it as you like. An argument is a part of the device's name.
#include <cstdint>
#include <cstring>
#include <iostream>
#include <string>
#include <vector>

#include "@PROGRAM@.hpp"

namespace trial {

// The bits of a half.
struct Half {
  std::uint16_t bits;
};

// A part of a structure whose members are not known.
struct Opaque {
  std::uint8_t bytes[16];
};

// Element N is N % 16, halved in floating-point numbers. Halves are 1, and structures are zeros.
template <class T> T element(std::size_t number) { return static_cast<T>(number % 16); }
template <> float element(std::size_t number) { return static_cast<float>(number % 16) / 2; }
template <> double element(std::size_t number) { return static_cast<double>(number % 16) / 2; }
template <> Half element(std::size_t) { return {0x3c00}; }
template <> Opaque element(std::size_t) { return {}; }

template <class T> std::vector<T> made_up(std::uint64_t bytes) {
  std::vector<T> contents(static_cast<std::size_t>(bytes) / sizeof(T));
  for (std::size_t i = 0; i < contents.size(); ++i) contents[i] = element<T>(i);
  return contents;
}

template <class T> void print_value(T value) { std::cout << ' ' << +value; }
void print_value(Half value) { std::cout << ' ' << value.bits; }
void print_value(Opaque value) { std::cout << ' ' << +value.bytes[0]; }

template <class T> void print(const char *name, const std::vector<T> &contents) {
  std::cout << name << ':';
  for (std::size_t i = 0; i < 8 && i < contents.size(); ++i) print_value(contents[i]);
  std::cout << '\n';
}

template <class T> clvk::Image new_image(const clvk::Device &device, const clvk_image_description &description) {
  clvk::Image image(device, description);
  image.write(made_up<T>(image.size()).data());
  return image;
}

template <class T> void print_image(const char *name, const clvk::Image &image) {
  std::vector<T> pixels(static_cast<std::size_t>(image.size()) / sizeof(T));
  image.read(pixels.data());
  print(name, pixels);
}

@KERNELS@
} // namespace trial

using namespace trial;

int main(int count, char **arguments) {
  try {
    clvk::Device device(count > 1 ? arguments[1] : nullptr);
    @PROGRAM@::Program program(device);
    std::cout << device.name() << ", variant " << program.variant() << '\n';
@CALLS@
  } catch (const std::exception &error) {
    std::cerr << "error: " << error.what() << '\n';
    return 1;
  }
  return 0;
}
