#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "talk/session.h"

namespace schemamem {
namespace {

using Json = nlohmann::ordered_json;

/// A confidence with the digits that a float has.
double digits(float confidence) { return std::stod(fmt::format("{:.7g}", confidence)); }

Json told_json(const Told& told) {
  return {{"address", told.address},
          {"value", told.answer.value},
          {"confidence", digits(told.answer.confidence)},
          {"true", told.truth},
          {"written", told.written}};
}

Json layer_json(const HeldLayer& layer, bool after_a_write) {
  Json places = Json::array();
  for (std::size_t i = 0; i < layer.places.size(); ++i) {
    const HeldPlace& place = layer.places[i];
    if (layer.phases && place.depth < kHeldTurn && place.change < kHeldTurn) continue;
    Json one{{layer.phases ? "slot" : "head", i}, {layer.phases ? "radians" : "norm", place.depth}};
    if (!layer.phases) one["directions"] = place.directions;
    if (after_a_write) one["changed"] = place.change;
    places.push_back(std::move(one));
  }
  return {{"tensor", layer.name}, {layer.phases ? "slots" : "heads", layer.places.size()}, {"holding", places}};
}

Json json_of(const DoneReply&) { return {{"ok", true}}; }
Json json_of(const WaitReply& reply) { return {{"wait", reply.rows}}; }
Json json_of(const Told& told) {
  return {{"ask", told.address}, {"value", told.answer.value}, {"confidence", digits(told.answer.confidence)}};
}
Json json_of(const AllReply& reply) {
  Json answers = Json::array();
  std::size_t right = 0;
  for (const Told& told : reply.answers) {
    answers.push_back(told_json(told));
    right += told.right() ? 1 : 0;
  }
  return {{"ask", "all"}, {"right", right}, {"answers", answers}};
}
Json json_of(const FileReply& reply) {
  return {
      {reply.verb == Verb::kSave ? "save" : "load", reply.file}, {"tokens", reply.tokens}, {"written", reply.written}};
}
Json json_of(const MemoriesReply& reply) {
  const char* const verb = reply.verb == Verb::kFork ? "fork" : reply.verb == Verb::kDrop ? "drop" : "switch";
  return {{verb, reply.subject.empty() ? Json() : Json(reply.subject)},
          {"current", reply.current},
          {"memories", reply.names}};
}
Json json_of(const InsideReply& reply) {
  Json layers = Json::array();
  for (const HeldLayer& layer : reply.layers) layers.push_back(layer_json(layer, reply.last_write.has_value()));
  const Json last = reply.last_write ? Json{reply.last_write->first, reply.last_write->second} : Json();
  return {{"inside", layers}, {"tokens", reply.tokens}, {"last_write", last}};
}
Json json_of(const HelpReply&) {
  Json words = Json::array();
  for (const VerbInfo& verb : verbs())
    words.push_back({{"word", verb.name}, {"takes", verb.takes}, {"meaning", verb.meaning}});
  return {{"help", words}};
}
Json json_of(const QuitReply&) { return {{"quit", true}}; }

/// Whatever a name holds, a line of JSON is valid UTF-8.
std::string line_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace

std::string_view kind_name(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kFailed:
      return "failed";
    case ErrorKind::kStepLimit:
      return "step-limit";
    case ErrorKind::kUsage:
      return "usage";
    case ErrorKind::kBadData:
      return "bad-data";
    case ErrorKind::kMissingInput:
      return "missing-input";
    case ErrorKind::kCannotCreate:
      return "cannot-create";
    case ErrorKind::kInputOutput:
      return "input-output";
    case ErrorKind::kInterrupted:
      return "interrupted";
    case ErrorKind::kNonFinite:
      return "non-finite";
  }
  return "failed";
}

std::string json_line(const Reply& reply) {
  return std::visit([](const auto& one) { return line_of(json_of(one)); }, reply);
}

std::string json_line(const Error& error) {
  return line_of({{"error", error.message()}, {"kind", kind_name(error.kind())}});
}

}  // namespace schemamem
