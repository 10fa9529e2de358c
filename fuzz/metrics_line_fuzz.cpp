// Any text as a line of the metrics, and any bytes as the TensorBoard file that is made of them.
#include "support.h"
#include "support/temporary_folder.h"
#include "train/event_log.h"

namespace {

using namespace schemamem;

const std::vector<std::string> kStages{"history-full", "transactions-full"};

/// How many whole records a file has; every byte of it belongs to one.
std::size_t records_in(std::string_view bytes) {
  std::size_t count = 0;
  for (; !bytes.empty(); ++count) {
    const std::size_t record = event_record_size(bytes);
    fuzz::must(record > 0);
    bytes.remove_prefix(record);
  }
  return count;
}

/// Whatever was in the file, it is what the metrics say when it has been opened.
void read_back(std::string_view bytes) {
  static const TemporaryFolder run(memory_folder());
  const std::filesystem::path file = EventLog::path_in(run.path());
  std::filesystem::create_directories(file.parent_path());
  fuzz::write(run / "metrics.jsonl", "{\"step\":25,\"loss\":0.5}\n{\"step\":50,\"loss\":0.25}\n");
  fuzz::write(file, bytes);
  fuzz::must(static_cast<bool>(EventLog::open(run.path(), kStages)));
  fuzz::must(records_in(read_text_file(file, 1 << 20).value()) == 3);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  const auto event = event_of(text, kStages);
  if (fuzz::accepted(event, {ErrorKind::kBadData})) {
    const std::string record = encode_event(*event);
    fuzz::must(event_record_size(record) == record.size() && same_but_for_time(record, record));
  }
  if (const std::size_t record = event_record_size(text); record > 0)
    same_but_for_time(text.substr(0, record), text.substr(0, record));
  read_back(text);
  return 0;
}
