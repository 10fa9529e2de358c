// The C++ side of bench/python/push.py: `push_time MODEL ROWS OUTPUTS` reads float rows from a file, writes the outputs
// of one stream, and then, for every line "PUSHES ROWS" of its input, prints the processor seconds that so many pushes
// of so many rows take.
#include <schemamem/schemamem.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iostream>
#include <iterator>
#include <span>
#include <vector>

namespace {

std::vector<float> read_floats(const char* path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  std::vector<float> numbers(bytes.size() / sizeof(float));
  std::copy(bytes.begin(), bytes.end(), reinterpret_cast<char*>(numbers.data()));
  return numbers;
}

double processor_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) return std::puts("push_time MODEL ROWS OUTPUTS"), 64;
  const auto model = schemamem::Model::load(arguments[1]);
  if (!model) return std::puts(model.error().message().c_str()), 1;
  const std::vector<float> rows = read_floats(arguments[2]);
  std::vector<float> outputs(rows.size() / model->row_width() * model->outputs());
  schemamem::Stream first(*model);
  first.push(rows, outputs);
  std::ofstream(arguments[3], std::ios::binary)
      .write(reinterpret_cast<const char*>(outputs.data()),
             static_cast<std::streamsize>(outputs.size() * sizeof(float)));
  std::puts("ready");
  std::fflush(stdout);

  std::size_t pushes = 0, together = 0;
  while (std::cin >> pushes >> together) {
    schemamem::Stream stream(*model);
    const auto in = std::span(rows).first(together * model->row_width());
    const auto out = std::span(outputs).first(together * model->outputs());
    const double start = processor_seconds();
    for (std::size_t i = 0; i < pushes; ++i) stream.push(in, out);
    std::printf("%.9f\n", processor_seconds() - start);
    std::fflush(stdout);
  }
  return 0;
}
