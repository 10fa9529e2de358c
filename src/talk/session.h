#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "memory/address_memory.h"
#include "stream/state_view.h"
#include "talk/request.h"

namespace schemamem {

/// What a memory says of one address, beside the account of what was written.
struct Told {
  std::size_t address = 0;
  Recalled answer;
  std::size_t truth = 0;
  bool written = false;  // else the truth is the default

  bool right() const { return answer.value == truth; }
};

/// What a request brought about. Empty ones say that it was done.
struct DoneReply {};
struct WaitReply {
  std::uint64_t rows = 0, asked = 0;  // fewer than asked for if it was stopped
};
struct AllReply {
  std::vector<Told> answers;
};
struct FileReply {
  Verb verb;  // save or load
  std::string file;
  std::int64_t tokens = 0;
  std::size_t written = 0;  // addresses
};
struct MemoriesReply {
  Verb verb;            // fork, switch or drop
  std::string subject;  // the memory that it is about; empty: the list was asked for
  std::string current;
  std::vector<std::string> names;
};
struct InsideReply {
  std::vector<HeldLayer> layers;                                  // `change` is that of the last write
  std::optional<std::pair<std::size_t, std::size_t>> last_write;  // address and value
  std::int64_t tokens = 0;
};
struct HelpReply {};
struct QuitReply {};
using Reply =
    std::variant<DoneReply, WaitReply, Told, AllReply, FileReply, MemoriesReply, InsideReply, HelpReply, QuitReply>;

/// How a conversation reaches files: this room knows none.
struct TalkFiles {
  std::function<Status(const std::string& file, const AddressMemory&)> save;
  std::function<Status(const std::string& file, AddressMemory&)> load;
};

/// A conversation with the memories of one model. What it keeps is bounded, however long it lasts: kMostMemories
/// memories, each with the state before its last write. A request that fails changes nothing.
class Session {
 public:
  static constexpr std::size_t kMostMemories = 64;
  static constexpr const char* kFirst = "main";

  Session(AddressMemory first, TalkFiles files);

  /// `go_on` is told now and then how many rows of a wait have passed; false ends it.
  Result<Reply> answer(const Request& request, const std::function<bool(std::uint64_t)>& go_on = {});

  const AddressMemory& memory() const { return place().memory; }
  const std::string& current() const { return current_; }
  std::vector<std::string> names() const;

 private:
  struct LastWrite {
    std::size_t address = 0, value = 0;
    StreamState<float> before;
  };
  struct Place {
    AddressMemory memory;
    std::optional<LastWrite> last;
  };

  Place& place() { return places_.at(current_); }
  const Place& place() const { return places_.at(current_); }
  Result<Reply> write(const Request& request);
  Result<Told> ask(std::size_t address);
  Result<Reply> ask_all();
  Result<Reply> fork(const Request& request);
  Result<Reply> switch_to(const Request& request);
  Result<Reply> drop(const Request& request);
  Result<Reply> inside() const;
  Reply memories(Verb verb, std::string subject) const {
    return MemoriesReply{verb, std::move(subject), current_, names()};
  }
  Error unknown(const std::string& name) const;

  std::map<std::string, Place> places_;
  std::string current_ = kFirst;
  TalkFiles files_;
};

/// "usage", "bad-data", "missing-input", ...
std::string_view kind_name(ErrorKind kind);

/// The answer line of the JSON protocol (docs/formats.md, "A conversation"), without its end.
std::string json_line(const Reply& reply);
std::string json_line(const Error& error);

}  // namespace schemamem
