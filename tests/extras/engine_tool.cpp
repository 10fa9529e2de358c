// The native half of explorer_engine_test.py and bench/explorer/engine.py, on the instruction set of the module:
//   logits MODEL ROWS OUT   reads rows of float32 with a new stream and writes their logits
//   wait MODEL ROWS         lets so many questions pass and prints the seconds

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "catalog/model_files.h"

namespace {

using namespace schemamem;

int complain(const std::string& message) {
  std::fprintf(stderr, "engine_tool: %s\n", message.c_str());
  return 1;
}

int logits(const AddressMemory::SharedModel& model, const char* from, const char* to) {
  std::ifstream file(from, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  const ModelConfig& config = model->model().config();
  const std::size_t rows = bytes.size() / sizeof(float) / config.row_width();
  std::vector<float> in(rows * config.row_width()), out(rows * config.outputs);
  std::memcpy(in.data(), bytes.data(), in.size() * sizeof(float));
  Stream<float> stream(model);
  stream.push({in.data(), {rows, config.row_width()}}, {out.data(), {rows, config.outputs}});
  const auto written = std::as_bytes(std::span(out));
  std::ofstream(to, std::ios::binary).write(reinterpret_cast<const char*>(written.data()), written.size());
  return 0;
}

int wait(const AddressMemory::SharedModel& model, std::uint64_t rows) {
  auto memory = AddressMemory::make(model);
  if (!memory) return complain(memory.error().message());
  if (const Status written = memory.value().write(0, 1); !written) return complain(written.error().message());
  const auto begin = std::chrono::steady_clock::now();
  memory.value().wait(rows);
  std::printf("%.6f\n", std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  return 0;
}

}  // namespace

int main(int count, char** words) {
  const std::string verb = count > 1 ? words[1] : "";
  if (count < 4) return complain("expected logits MODEL ROWS OUT, or wait MODEL ROWS");
  const auto model = load_model<float>(words[2], {.isa = available_isas().front()});
  if (!model) return complain(model.error().message());
  if (verb == "logits" && count == 5) return logits(*model, words[3], words[4]);
  if (verb == "wait") return wait(*model, std::strtoull(words[3], nullptr, 10));
  return complain("unknown word " + verb);
}
