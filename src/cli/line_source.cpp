#include "cli/line_source.h"

#include <utility>

namespace schemamem {
namespace {

class StreamLines final : public LineSource {
 public:
  StreamLines(std::istream& in, std::size_t longest) : in_(in), longest_(longest) {}

  SaidLine next(const std::string& /*prompt*/) override {
    using Traits = std::istream::traits_type;
    SaidLine line{.kind = SaidLine::Kind::kLine};
    bool any = false;
    for (;;) {
      const auto letter = in_.rdbuf()->sbumpc();
      if (Traits::eq_int_type(letter, Traits::eof())) return any ? std::move(line) : SaidLine{};
      any = true;
      if (Traits::to_char_type(letter) == '\n') return line;
      if (line.text.size() < longest_) {
        line.text.push_back(Traits::to_char_type(letter));
      } else {
        line.kind = SaidLine::Kind::kTooLong;
      }
    }
  }

  bool more_waits() const override { return in_.rdbuf()->in_avail() > 0; }

 private:
  std::istream& in_;
  std::size_t longest_;
};

}  // namespace

std::unique_ptr<LineSource> lines_of(std::istream& in, std::size_t longest) {
  return std::make_unique<StreamLines>(in, longest);
}

}  // namespace schemamem
