#include <fmt/format.h>

#include <chrono>
#include <memory>

#include "base/text.h"
#include "catalog/find_model.h"
#include "catalog/model_files.h"
#include "cli/line_source.h"
#include "cli/memory_commands.h"
#include "cli/progress_view.h"
#include "cli/signals.h"
#include "cli/talk_text.h"
#include "cli/task_options.h"
#include "record/tensor_files.h"
#include "stream/state_file.h"
#include "system/files.h"

namespace schemamem {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

struct TalkOptions {
  Text checkpoint, state, floor;
};

/// A state may take the place of an earlier state, but of nothing else.
Status save_over_states_only(const std::string& file, const AddressMemory& memory) {
  std::error_code absent;
  if (fs::exists(file, absent)) {
    const auto bytes = read_file(file, largest_state(*memory.model()));
    const auto tensors = bytes ? TensorFile::parse(bytes->span(), file) : Result<TensorFile>(bytes.error());
    if (!tensors || !check_kind(*tensors, kStateFile)) {
      return Error(ErrorKind::kCannotCreate,
                   fmt::format("{} exists and is no state of this model's size; it stays as it is. Give another name.",
                               printable(file)));
    }
  }
  return save_memory(file, memory);
}

/// Files that may follow `save` and `load`, beside what the language knows.
std::vector<std::string> complete(std::string_view line, const Session& session) {
  std::vector<std::string> words = completions(line, session.names());
  const std::size_t blank = line.find(' ');
  const std::string_view verb = line.substr(0, blank);
  if (blank == std::string_view::npos || (verb != "save" && verb != "load")) return words;
  const std::string begin(line.substr(line.find_last_of(" \t") + 1));
  const std::string folder = begin.substr(0, begin.rfind('/') + 1);
  const auto names = list_directory(folder.empty() ? "." : folder);
  if (!names) return words;
  for (const std::string& name : *names) {
    std::error_code ignored;
    const std::string path = folder + name;
    if (path.starts_with(begin) && printable(name) == name)
      words.push_back(fs::is_directory(path, ignored) ? path + "/" : path);
  }
  return words;
}

/// A bar for waits that take long, and Ctrl-C, which ends them and not the conversation.
class WaitView {
 public:
  WaitView(Console& console, std::uint64_t rows) : console_(console), rows_(rows) {}
  WaitView(const WaitView&) = delete;
  WaitView& operator=(const WaitView&) = delete;
  ~WaitView() {
    if (drawn_) console_.err << "\r\x1b[K" << std::flush;
  }

  bool go_on(std::uint64_t done) {
    constexpr std::chrono::milliseconds kFirst{300}, kEvery{100};
    const auto now = Clock::now();
    if (console_.live && now - begun_ > kFirst && now - shown_ > kEvery) {
      shown_ = now;
      drawn_ = true;
      const double share = static_cast<double>(done) / static_cast<double>(rows_);
      const double seconds = std::chrono::duration<double>(now - begun_).count();
      console_.err << fmt::format("\r\x1b[K{} {:5.1f} %  {} left", bar(100 * share, 24), 100 * share,
                                  clock_text(seconds / share - seconds))
                   << std::flush;
    }
    return !key_.pressed();
  }

 private:
  Console& console_;
  std::uint64_t rows_;
  StopOnKey key_;
  Clock::time_point begun_ = Clock::now(), shown_ = begun_;
  bool drawn_ = false;
};

class Conversation {
 public:
  Conversation(Console& console, AddressMemory memory)
      : console_(console), session_(std::move(memory), {save_over_states_only, load_memory}) {
    lines_ =
        console.converses && !console.json
            ? typed_lines(*console.in, kLongestLine, [this](std::string_view line) { return complete(line, session_); })
            : lines_of(*console.in, kLongestLine);
  }

  Status run() {
    if (typed()) {
      if (const Status said = say(greeting(session_.memory())); !said) return said;
    }
    for (bool quit = false; !quit;) {
      const SaidLine line = lines_->next(session_.current() == Session::kFirst ? "> " : session_.current() + "> ");
      if (line.kind == SaidLine::Kind::kEnd) break;
      if (line.kind == SaidLine::Kind::kStopped) continue;
      if (const Status said = hear(line, quit); !said) return said;
    }
    if (failed_ == 0 || typed() || console_.json) return Done{};
    return Error(ErrorKind::kFailed, fmt::format("{} of {} lines failed.", failed_, heard_));
  }

 private:
  bool typed() const { return console_.converses && !console_.json; }

  Status hear(const SaidLine& line, bool& quit) {
    ++heard_;
    const auto requests = line.kind == SaidLine::Kind::kTooLong
                              ? Error(ErrorKind::kUsage, fmt::format("A line has at most {} bytes; this one is longer "
                                                                     "and was passed over.",
                                                                     kLongestLine))
                          : console_.json ? parse_json_line(line.text)
                                          : parse_words(line.text);
    if (!requests) return complain(requests.error());
    for (const Request& request : *requests) {
      const Result<Reply> reply = answer(request);
      if (!reply) return complain(reply.error());
      quit = request.verb == Verb::kQuit;
      const Status said = say(console_.json ? json_line(*reply) + "\n" : reply_text(*reply, console_.paint));
      if (!said) return said;
    }
    return Done{};
  }

  Result<Reply> answer(const Request& request) {
    if (request.verb != Verb::kWait || !typed()) return session_.answer(request);
    WaitView view(console_, request.rows);
    return session_.answer(request, [&](std::uint64_t done) { return view.go_on(done); });
  }

  Status say(const std::string& text) {
    if (const Status printed = console_.print(text); !printed) return printed;
    if (lines_->more_waits()) return Done{};
    console_.out.flush();
    return console_.print("");  // what flushing met
  }

  Status complain(const Error& error) {
    ++failed_;
    if (console_.json) return say(json_line(error) + "\n");
    console_.out.flush();
    console_.err << Paint(console_.paint_err).red("error:") << ' ' << error.message() << '\n' << std::flush;
    return Done{};
  }

  Console& console_;
  Session session_;
  std::unique_ptr<LineSource> lines_;
  std::uint64_t heard_ = 0, failed_ = 0;
};

Status talk(const TalkOptions& options, Console& console) {
  if (!options.checkpoint)
    return Error(ErrorKind::kUsage,
                 "`schemamem talk` needs a checkpoint: a name, such as a5v5-schemamem-steady-s42, "
                 "or a path. `schemamem models` lists the names.");
  require(console.in != nullptr, "talk: the surroundings have an input");
  const auto model = load_model<float>(*options.checkpoint, {.isa = console.isa});
  if (!model) return model.error();
  auto memory = AddressMemory::make(*model);
  if (!memory) {
    return Error(memory.error().kind(), fmt::format("{}: {}. `schemamem models` lists models that can be talked to; "
                                                    "`schemamem eval` scores any.",
                                                    printable(*options.checkpoint), memory.error().message()));
  }
  if (options.state) {
    if (const Status loaded = load_memory(*options.state, memory.value()); !loaded) return loaded;
  }
  if (options.floor) {  // instead of the one that the state file may have
    const auto floor = read_floor(options.floor);
    if (!floor) return floor.error();
    memory.value().set_floor(*floor);
  }
  return Conversation(console, std::move(memory).value()).run();
}

}  // namespace

void register_talk(CLI::App& program, Commands& commands) {
  const auto options = std::make_shared<TalkOptions>();
  CLI::App& command =
      commands.add(program, "talk", "Talk to a memory: write, ask, wait, save, fork; `help` lists words.",
                   "schemamem talk a5v5-schemamem-steady-s42\n"
                   "echo '{\"ask\":5}' | schemamem talk a5v5-schemamem-steady-s42 --json\n"
                   "schemamem talk runs/mine --state today.state");
  command.add_option("CHECKPOINT", options->checkpoint, "A model's name or path");
  command.add_option("--state", options->state, "Go on from a state file")->type_name("FILE");
  add_floor_option(command, options->floor);
  commands.on(command, [options](Console& console) { return talk(*options, console); });
}

}  // namespace schemamem
