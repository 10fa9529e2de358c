#include "api/access.h"

#include <schemamem/stream.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

namespace schemamem {
namespace impl {

/// What a public Stream owns.
struct Stream {
  v0::Model model;
  inside::Stream<float> stream;
};

}  // namespace impl

inline namespace v0 {
namespace {

using impl::Access;
using impl::public_error;

/// The number of whole rows.
std::size_t row_count(const Model& model, std::span<const float> rows) {
  const std::size_t width = model.row_width();
  if (rows.size() % width != 0) {
    throw std::invalid_argument("Stream::push: rows of this model have " + std::to_string(width) + " numbers; " +
                                std::to_string(rows.size()) + " numbers are no whole rows");
  }
  if (!std::all_of(rows.begin(), rows.end(), [](float number) { return std::isfinite(number); }))
    throw std::invalid_argument("Stream::push: every number of a row is finite; NaN or infinity would stay for good");
  return rows.size() / width;
}

View<float, 2> output_rows(const Model& model, std::size_t count, std::span<float> outputs) {
  if (outputs.size() != count * model.outputs()) {
    throw std::invalid_argument("Stream::push: expected room for " + std::to_string(count) + " rows of " +
                                std::to_string(model.outputs()) + " outputs; found " + std::to_string(outputs.size()) +
                                " numbers");
  }
  return {outputs.data(), {count, model.outputs()}};
}

}  // namespace

Stream::Stream(const Model& model)
    : content_(std::make_unique<impl::Stream>(impl::Stream{model, inside::Stream<float>(Access::loaded(model))})) {}
Stream::Stream(std::unique_ptr<impl::Stream> content) : content_(std::move(content)) {}
Stream::Stream(Stream&&) noexcept = default;
Stream& Stream::operator=(Stream&&) noexcept = default;
Stream::~Stream() = default;

Result<Stream> Stream::open(const std::string& path, const Model& model) {
  Stream stream(model);
  if (const Status loaded = stream.load(path); !loaded) return loaded.error();
  return stream;
}

std::vector<float> Stream::push(std::span<const float> rows) {
  std::vector<float> outputs(rows.size() / model().row_width() * model().outputs());
  push(rows, outputs);
  return outputs;
}

std::vector<float> Stream::push(std::span<const float> rows, std::span<const Mark> marks) {
  std::vector<float> outputs(rows.size() / model().row_width() * model().outputs());
  push(rows, marks, outputs);
  return outputs;
}

void Stream::push(std::span<const float> rows, std::span<float> outputs) {
  const std::size_t count = row_count(model(), rows);
  content_->stream.push({rows.data(), {count, model().row_width()}}, output_rows(model(), count, outputs));
}

void Stream::push(std::span<const float> rows, std::span<const Mark> marks, std::span<float> outputs) {
  const std::size_t count = row_count(model(), rows);
  if (marks.size() != count) {
    throw std::invalid_argument("Stream::push: expected one mark a row, " + std::to_string(count) + "; found " +
                                std::to_string(marks.size()));
  }
  std::vector<RowMark> own(count);
  std::transform(marks.begin(), marks.end(), own.begin(), [](Mark mark) { return static_cast<RowMark>(mark); });
  const StreamRows<float> read{.x = {rows.data(), {count, model().row_width()}}, .marks = own};
  content_->stream.push(read, output_rows(model(), count, outputs));
}

void Stream::reset() { content_->stream.reset(); }

Stream Stream::fork() const {
  return Stream(std::make_unique<impl::Stream>(impl::Stream{content_->model, content_->stream.fork()}));
}

void Stream::set_floor(double floor) {
  if (!is_floor(floor)) {
    throw std::invalid_argument("Stream::set_floor: expected at least 0 and below 1; found " + std::to_string(floor));
  }
  content_->stream.set_floor(floor);
}
double Stream::floor() const { return content_->stream.state().floor; }

std::int64_t Stream::tokens() const { return content_->stream.tokens(); }

Status Stream::save(const std::string& path) const {
  const auto saved = save_state(path, content_->stream);
  return saved ? Status() : public_error(saved.error());
}

Status Stream::load(const std::string& path) {
  const auto loaded = load_state(path, content_->stream);
  return loaded ? Status() : public_error(loaded.error());
}

std::vector<std::byte> Stream::bytes() const { return impl::bytes_of(content_->stream.encode().span()); }

Status Stream::restore(std::span<const std::byte> bytes) {
  const auto restored = content_->stream.restore(bytes);
  return restored ? Status() : public_error(restored.error());
}

const Model& Stream::model() const { return content_->model; }

}  // namespace v0
}  // namespace schemamem
