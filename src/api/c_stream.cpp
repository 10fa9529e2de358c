#include "api/c_call.h"

#include <algorithm>
#include <cmath>

using schemamem::impl::bytes_at;
using schemamem::impl::c_call;
using schemamem::impl::copy_out;
using schemamem::impl::needed;
using schemamem::impl::with_stream;

namespace {

using namespace schemamem;

/// Rows and outputs of one push, once they were looked at.
struct Piece {
  View<const float, 2> rows;
  View<float, 2> outputs;
};

Result<Piece> checked(const Stream<float>& stream, const float* rows, std::size_t count, float* outputs) {
  if (const Status there = needed(rows, "rows"); !there) return there.error();
  if (const Status there = needed(outputs, "outputs"); !there) return there.error();
  const ModelConfig& config = stream.model()->model().config();
  const std::size_t width = config.row_width();
  if (count > SIZE_MAX / sizeof(float) / std::max(width, config.outputs))
    return Error(ErrorKind::kUsage, "there is no memory that has room for " + std::to_string(count) + " rows");
  if (!std::all_of(rows, rows + count * width, [](float one) { return std::isfinite(one); }))
    return Error(ErrorKind::kUsage, "every number of a row is finite; NaN or infinity would stay for good");
  return Piece{.rows = {rows, {count, width}}, .outputs = {outputs, {count, config.outputs}}};
}

}  // namespace

int sm_stream_new(const sm_model* model, sm_stream** stream) {
  return c_call([&]() -> Status {
    if (const Status there = needed(stream, "stream"); !there) return there;
    *stream = nullptr;
    if (const Status there = needed(model, "model"); !there) return there;
    *stream = new sm_stream{Stream<float>(model->loaded)};
    return Done{};
  });
}

void sm_stream_free(sm_stream* stream) { delete stream; }

int sm_stream_push(sm_stream* stream, const float* rows, size_t count, float* outputs) {
  if (count == 0) return SM_OK;
  return with_stream(stream, [&](Stream<float>& one) -> Status {
    const auto piece = checked(one, rows, count, outputs);
    if (!piece) return piece.error();
    one.push(piece->rows, piece->outputs);
    return Done{};
  });
}

int sm_stream_push_marked(sm_stream* stream, const float* rows, const uint8_t* marks, size_t count, float* outputs) {
  if (count == 0) return SM_OK;
  return with_stream(stream, [&](Stream<float>& one) -> Status {
    if (const Status there = needed(marks, "marks"); !there) return there;
    const auto piece = checked(one, rows, count, outputs);
    if (!piece) return piece.error();
    constexpr unsigned kEvery = SM_MARK_ENDS_CHUNK | SM_MARK_READS;
    if (std::any_of(marks, marks + count, [](std::uint8_t mark) { return mark > kEvery; }))
      return Error(ErrorKind::kUsage, "a mark is a sum of SM_MARK_ENDS_CHUNK and SM_MARK_READS, from 0 to 3");
    std::vector<RowMark> own(count);
    std::transform(marks, marks + count, own.begin(), [](std::uint8_t mark) { return static_cast<RowMark>(mark); });
    one.push(StreamRows<float>{.x = piece->rows, .marks = own}, piece->outputs);
    return Done{};
  });
}

int sm_stream_reset(sm_stream* stream) {
  return with_stream(stream, [](Stream<float>& one) -> Status {
    one.reset();
    return Done{};
  });
}

int sm_stream_fork(const sm_stream* stream, sm_stream** other) {
  return c_call([&]() -> Status {
    if (const Status there = needed(other, "other"); !there) return there;
    *other = nullptr;
    if (const Status there = needed(stream, "stream"); !there) return there;
    *other = new sm_stream{stream->stream.fork()};
    return Done{};
  });
}

int64_t sm_stream_tokens(const sm_stream* stream) { return stream == nullptr ? 0 : stream->stream.tokens(); }

int sm_stream_set_floor(sm_stream* stream, double floor) {
  return with_stream(stream, [&](Stream<float>& one) -> Status {
    one.set_floor(floor);
    return Done{};
  });
}
double sm_stream_floor(const sm_stream* stream) { return stream == nullptr ? 0 : stream->stream.state().floor; }

size_t sm_stream_state_size(const sm_stream* stream) {
  size_t size = 0;
  with_stream(stream, [&](const Stream<float>& one) -> Status {
    size = one.encode().size();
    return Done{};
  });
  return size;
}

int sm_stream_state_get(const sm_stream* stream, void* buffer, size_t size) {
  return with_stream(stream, [&](const Stream<float>& one) -> Status {
    if (const Status there = needed(buffer, "buffer"); !there) return there;
    return copy_out(one.encode().span(), buffer, size);
  });
}

int sm_stream_state_set(sm_stream* stream, const void* bytes, size_t size) {
  return with_stream(stream, [&](Stream<float>& one) -> Status {
    if (const Status there = needed(bytes, "bytes"); !there) return there;
    return one.restore(bytes_at(bytes, size), "the state");
  });
}
