#include "cli/talk_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/text.h"

namespace schemamem {
namespace {

constexpr std::size_t kListed = 10;  // slots of a layer that are named

std::string state_of(const Told& told) {
  return told.written ? fmt::format("{} was written", told.truth)
                      : fmt::format("never written, so it holds {}", told.truth);
}

std::string text_of(const Told& told, const Paint& paint) {
  const std::string answer =
      fmt::format("{} -> {}   (sure: {:.3f})", told.address, told.answer.value, told.answer.confidence);
  return told.right() ? answer + "\n" : fmt::format("{}   {}: {}\n", answer, paint.red("wrong"), state_of(told));
}

std::string text_of(const AllReply& reply, const Paint& paint) {
  std::string text = fmt::format("{:>8}  {:>8}  {:>8}  {:>6}\n", "address", "believed", "true", "sure");
  std::size_t right = 0;
  for (const Told& told : reply.answers) {
    right += told.right() ? 1 : 0;
    text += fmt::format("{:>8}  {:>8}  {:>8}  {:>6.3f}{}{}\n", told.address, told.answer.value, told.truth,
                        told.answer.confidence, told.written ? "  written" : "",
                        told.right() ? "" : "  " + paint.red("wrong"));
  }
  return text + fmt::format("{} of {} right\n", right, reply.answers.size());
}

std::string text_of(const WaitReply& reply) {
  return reply.rows == reply.asked ? "" : fmt::format("stopped after {} of {} rows\n", reply.rows, reply.asked);
}

std::string text_of(const FileReply& reply) {
  return fmt::format("{} {}: {} rows read, {} addresses written\n", reply.verb == Verb::kSave ? "saved" : "loaded",
                     printable(reply.file), reply.tokens, reply.written);
}

std::string text_of(const MemoriesReply& reply) {
  if (reply.verb == Verb::kFork)
    return fmt::format("{} is a fork of {}; `switch {}` goes on with it\n", reply.subject, reply.current,
                       reply.subject);
  if (reply.verb == Verb::kDrop || !reply.subject.empty()) return "";
  std::string text;
  for (const std::string& name : reply.names) text += fmt::format("{} {}\n", name == reply.current ? "*" : " ", name);
  return text;
}

std::string help_text() {
  std::string text;
  for (const VerbInfo& verb : verbs())
    text += fmt::format("  {:<20}  {}\n", fmt::format("{} {}", verb.name, verb.takes), verb.meaning);
  return text;
}

/// Places by what `measure` says of them, the largest first, down to `least`.
template <class Measure>
std::vector<std::size_t> ranked(const HeldLayer& layer, double least, const Measure& measure) {
  std::vector<std::size_t> order(layer.places.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::erase_if(order, [&](std::size_t i) { return measure(layer.places[i]) < least; });
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return measure(layer.places[a]) > measure(layer.places[b]); });
  return order;
}

std::string named(std::vector<std::size_t> slots) {
  const std::size_t count = slots.size();
  slots.resize(std::min(count, kListed));
  const char* const word = count == 1 ? "slot" : "slots";
  const std::string more = count > kListed ? fmt::format(" and {} more", count - kListed) : "";
  return fmt::format("{} {}{}", word, fmt::join(slots, ", "), more);
}

std::string slots_text(const HeldLayer& layer, bool after_a_write, const char* changed) {
  const auto depth = [](const HeldPlace& place) { return place.depth; };
  const auto change = [](const HeldPlace& place) { return place.change; };
  const auto deep = ranked(layer, kHeldTurn, depth), deepest = ranked(layer, 0, depth);
  std::string text = deep.empty() ? fmt::format("none of {} slots holds something", layer.places.size())
                                  : fmt::format("{} of {} {} something", named(deep), layer.places.size(),
                                                deep.size() == 1 ? "holds" : "hold");
  text += fmt::format("; deepest {:.3f} rad\n", depth(layer.places[deepest.front()]));
  if (!after_a_write) return text;
  const auto turned = ranked(layer, kHeldTurn, change), most = ranked(layer, 0, change);
  text += fmt::format("         {} {}; most {:.3f} rad\n", changed, turned.empty() ? "no slot" : named(turned),
                      change(layer.places[most.front()]));
  return text;
}

std::string heads_text(const HeldLayer& layer, bool after_a_write, const char* changed) {
  std::string text;
  for (std::size_t head = 0; head < layer.places.size(); ++head) {
    const HeldPlace& place = layer.places[head];
    text += fmt::format("{}head {}: norm {:.3g} in {:.1f} directions", head == 0 ? "" : "         ", head, place.depth,
                        place.directions);
    if (after_a_write) text += fmt::format("; {} {:.3g}", changed, place.change);
    text += '\n';
  }
  return text;
}

}  // namespace

std::string layers_text(const std::vector<HeldLayer>& layers, bool after_a_write, const char* changed) {
  std::string text;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    text += fmt::format("layer {}: {}", i + 1,
                        layers[i].phases ? slots_text(layers[i], after_a_write, changed)
                                         : heads_text(layers[i], after_a_write, changed));
  }
  return text;
}

std::string greeting(const AddressMemory& memory) {
  const std::size_t written = memory.book().count();
  return fmt::format("{} addresses, {} values, {}; `help` lists the words\n", memory.addresses(), memory.values(),
                     written == 0 ? "nothing written yet" : fmt::format("{} written", written));
}

std::string reply_text(const Reply& reply, const Paint& paint) {
  struct Text {
    const Paint& paint;
    std::string operator()(const DoneReply&) const { return ""; }
    std::string operator()(const WaitReply& one) const { return text_of(one); }
    std::string operator()(const Told& one) const { return text_of(one, paint); }
    std::string operator()(const AllReply& one) const { return text_of(one, paint); }
    std::string operator()(const FileReply& one) const { return text_of(one); }
    std::string operator()(const MemoriesReply& one) const { return text_of(one); }
    std::string operator()(const InsideReply& one) const {
      return layers_text(one.layers, one.last_write.has_value(), "the last write changed");
    }
    std::string operator()(const HelpReply&) const { return help_text(); }
    std::string operator()(const QuitReply&) const { return ""; }
  };
  return std::visit(Text{paint}, reply);
}

}  // namespace schemamem
