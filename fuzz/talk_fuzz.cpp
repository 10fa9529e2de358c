// Arbitrary bytes as a conversation: lines of JSON if the first one is a j, else lines of words. Whatever is said, an
// answer is one line of valid JSON, a refusal says why, and the memory stays one that a stream can have.
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "small_model.h"
#include "support.h"
#include "talk/session.h"

namespace schemamem {
namespace {

using fuzz::must;

void hear(Session& session, const Result<std::vector<Request>>& requests) {
  if (!requests) {
    must(requests.error().kind() == ErrorKind::kUsage && !requests.error().message().empty());
    return;
  }
  for (Request request : *requests) {
    request.rows %= 300;
    const Result<Reply> reply = session.answer(request);
    const std::string line = reply ? json_line(*reply) : json_line(reply.error());
    must(line.find('\n') == std::string::npos && nlohmann::json::accept(line));
  }
}

}  // namespace
}  // namespace schemamem

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace schemamem;
  if (size == 0) return 0;
  const bool is_json = data[0] == 'j';
  static const auto model = fuzz::small_model();
  static AddressMemory start = AddressMemory::make(model).value();
  std::vector<std::byte> file;
  Session session(start.fork(), {.save = [&](const std::string&, const AddressMemory& memory) -> Status {
                                   const auto bytes = memory.encode();
                                   file.assign(bytes.begin(), bytes.end());
                                   return Done{};
                                 },
                                 .load = [&](const std::string& name, AddressMemory& memory) -> Status {
                                   return memory.restore(file, name);
                                 }});
  std::string_view text = fuzz::text_of(data + 1, size - 1);
  for (int lines = 0; !text.empty() && lines < 100; ++lines) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    hear(session, is_json ? parse_json_line(line) : parse_words(line));
    if (!is_json) must(completions(line, session.names()).size() <= 100);
  }
  must(session.names().size() <= Session::kMostMemories);
  must(!model->model().fault(session.memory().state()));
  return 0;
}
