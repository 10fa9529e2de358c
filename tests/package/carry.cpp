// The words of carry.c, in C++.
#include <schemamem/schemamem.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

bool put(const std::vector<std::byte>& bytes, const std::string& path) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  return static_cast<bool>(file.flush());
}

bool restore(schemamem::Memory& memory, const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  return static_cast<bool>(memory.restore(std::as_bytes(std::span(bytes))));
}

bool ask(schemamem::Memory& memory, std::size_t address) {
  const schemamem::Answer answer = memory.ask(address);
  std::printf("%zu %zu %a\n", address, answer.value, static_cast<double>(answer.confidence));
  return true;
}

}  // namespace

int main(int count, char** arguments) {
  const std::vector<std::string> words(arguments + 1, arguments + count);
  if (words.empty()) return 64;
  const auto model = schemamem::Model::load(words[0]);
  if (!model) return std::fprintf(stderr, "carry.cpp: %s\n", model.error().message().c_str()), 1;
  schemamem::Memory memory(*model);
  for (std::size_t i = 1; i < words.size(); i += 2) {
    const std::string& word = words[i];
    const std::string& what = words.at(i + 1);
    bool done = false;
    if (word == "write") {
      done = static_cast<bool>(memory.write(std::stoul(what), std::stoul(words.at(++i + 1))));
    } else if (word == "wait") {
      memory.wait(std::stoul(what));
      done = true;
    } else if (word == "ask") {
      done = ask(memory, std::stoul(what));
    } else if (word == "floor") {
      memory.set_floor(std::stod(what));
      done = true;
    } else if (word == "save") {
      done = static_cast<bool>(memory.save(what));
    } else if (word == "load") {
      done = static_cast<bool>(memory.load(what));
    } else if (word == "get") {
      done = put(memory.bytes(), what);
    } else if (word == "set") {
      done = restore(memory, what);
    } else if (word == "model") {
      done = static_cast<bool>(model->save(what));
    }
    if (!done) return std::fprintf(stderr, "carry.cpp: %s %s: failed\n", word.c_str(), what.c_str()), 1;
  }
}
