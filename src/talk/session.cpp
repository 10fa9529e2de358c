#include "talk/session.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/suggest.h"
#include "base/text.h"

namespace schemamem {
namespace {

Error usage(std::string message) { return {ErrorKind::kUsage, std::move(message)}; }

}  // namespace

Session::Session(AddressMemory first, TalkFiles files) : files_(std::move(files)) {
  places_.emplace(kFirst, Place{std::move(first), {}});
}

std::vector<std::string> Session::names() const {
  std::vector<std::string> names;
  for (const auto& [name, place] : places_) names.push_back(name);
  return names;
}

Error Session::unknown(const std::string& name) const {
  return usage(fmt::format("There is no memory {}; there are: {}.{}", quote(name), fmt::join(names(), ", "),
                           did_you_mean(name, names())));
}

Result<Reply> Session::write(const Request& request) {
  Place& here = place();
  const StreamState<float>& state = here.memory.state();
  if (request.address < here.memory.addresses() && request.value < here.memory.values()) {
    if (!here.last) here.last = LastWrite{.before = here.memory.model()->model().empty_state()};
    LastWrite& last = *here.last;
    last.address = request.address;
    last.value = request.value;
    last.before.mode = state.mode;
    last.before.floor = state.floor;
    last.before.counters = state.counters;
    std::copy(state.values.begin(), state.values.end(), last.before.values.begin());
  }
  if (const Status written = here.memory.write(request.address, request.value); !written) return written.error();
  return Reply(DoneReply{});
}

Result<Told> Session::ask(std::size_t address) {
  AddressMemory& memory = place().memory;
  const auto answer = memory.ask(address);
  if (!answer) return answer.error();
  return Told{.address = address,
              .answer = *answer,
              .truth = memory.truth(address),
              .written = memory.book().written(address).has_value()};
}

Result<Reply> Session::ask_all() {
  AllReply all;
  for (std::size_t address = 0; address < memory().addresses(); ++address) all.answers.push_back(*ask(address));
  return Reply(std::move(all));
}

Result<Reply> Session::fork(const Request& request) {
  std::string name = request.name;
  for (int i = 1; name.empty() || (request.name.empty() && places_.contains(name)); ++i)
    name = fmt::format("fork-{}", i);
  if (places_.contains(name))
    return usage(fmt::format("There is a memory {} already. Give another name.", quote(name)));
  if (places_.size() >= kMostMemories)
    return usage(fmt::format("There are {} memories, and no more are kept. `drop NAME` forgets one.", kMostMemories));
  places_.emplace(name, Place{memory().fork(), place().last});
  return memories(Verb::kFork, name);
}

Result<Reply> Session::switch_to(const Request& request) {
  if (request.name.empty()) return memories(Verb::kSwitch, {});
  if (!places_.contains(request.name)) return unknown(request.name);
  current_ = request.name;
  return memories(Verb::kSwitch, current_);
}

Result<Reply> Session::drop(const Request& request) {
  if (!places_.contains(request.name)) return unknown(request.name);
  if (request.name == current_)
    return usage(fmt::format("{} is the memory of this conversation. `switch` to another one first.", quote(current_)));
  places_.erase(request.name);
  return memories(Verb::kDrop, request.name);
}

Result<Reply> Session::inside() const {
  const Place& here = place();
  const SequenceModel<float>& model = here.memory.model()->model();
  InsideReply reply{.layers = look_inside(model, here.memory.state()), .last_write = {}, .tokens = memory().tokens()};
  if (!here.last) return Reply(std::move(reply));
  reply.last_write = {here.last->address, here.last->value};
  AddressMemory again = here.memory.fork_at(here.last->before);
  if (const Status written = again.write(here.last->address, here.last->value); !written) return written.error();
  const std::vector<HeldLayer> changed = look_inside(model, again.state(), &here.last->before);
  for (std::size_t layer = 0; layer < changed.size(); ++layer) {
    for (std::size_t i = 0; i < changed[layer].places.size(); ++i)
      reply.layers[layer].places[i].change = changed[layer].places[i].change;
  }
  return Reply(std::move(reply));
}

Result<Reply> Session::answer(const Request& request, const std::function<bool(std::uint64_t)>& go_on) {
  AddressMemory& memory = place().memory;
  switch (request.verb) {
    case Verb::kWrite:
      return write(request);
    case Verb::kAsk: {
      const auto told = ask(request.address);
      return told ? Result<Reply>(*told) : told.error();
    }
    case Verb::kAskAll:
      return ask_all();
    case Verb::kWait: {
      const std::int64_t before = memory.tokens();
      memory.wait(request.rows, go_on);
      return Reply(WaitReply{.rows = static_cast<std::uint64_t>(memory.tokens() - before), .asked = request.rows});
    }
    case Verb::kSave:
    case Verb::kLoad: {
      const bool saves = request.verb == Verb::kSave;
      const Status done = saves ? files_.save(request.name, memory) : files_.load(request.name, memory);
      if (!done) return done.error();
      if (!saves) place().last.reset();
      return Reply(FileReply{request.verb, request.name, memory.tokens(), memory.book().count()});
    }
    case Verb::kFork:
      return fork(request);
    case Verb::kSwitch:
      return switch_to(request);
    case Verb::kDrop:
      return drop(request);
    case Verb::kReset:
      memory.reset();
      place().last.reset();
      return Reply(DoneReply{});
    case Verb::kInside:
      return inside();
    case Verb::kHelp:
      return Reply(HelpReply{});
    case Verb::kQuit:
      return Reply(QuitReply{});
  }
  return usage("There is no such word; `help` lists them.");
}

}  // namespace schemamem
