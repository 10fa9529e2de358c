#include "bindings.h"
#include "watch.h"

#include <nanobind/stl/string.h>

namespace schemamem::python {
namespace {

/// A stream, and whether somebody is using it.
struct OwnStream {
  v0::Stream stream;
  std::atomic<bool> busy{false};

  explicit OwnStream(v0::Stream from) : stream(std::move(from)) {}
  Busy use() { return {busy, "Stream"}; }
};

/// `marks` is empty if they follow from the rows.
void push(OwnStream& own, std::span<const float> rows, std::span<const v0::Mark> marks, std::span<float> outputs) {
  const Busy mine = own.use();
  const std::size_t width = own.stream.model().row_width(), answer = own.stream.model().outputs();
  const auto piece = [&](std::size_t first, std::size_t count) {
    const auto in = rows.subspan(first * width, count * width);
    const auto out = outputs.subspan(first * answer, count * answer);
    marks.empty() ? own.stream.push(in, out) : own.stream.push(in, marks.subspan(first, count), out);
  };
  const std::size_t count = rows.size() / width;
  if (count == 1) {  // not worth a second thought about signals
    const nb::gil_scoped_release unlocked;
    return piece(0, 1);
  }
  v0::Stream before = own.stream.fork();
  try {
    in_pieces(count, piece);
  } catch (...) {
    own.stream = std::move(before);
    throw;
  }
}

void push_rows(OwnStream& own, const Array<const float, 2>& rows, const Array<float, 2>& outputs) {
  push(own, numbers(rows), {}, numbers(outputs));
}

void push_marked(OwnStream& own, const Array<const float, 2>& rows, const Array<const std::uint8_t, 1>& marks,
                 const Array<float, 2>& outputs) {
  const std::span<const std::uint8_t> given = numbers(marks);
  std::vector<v0::Mark> checked;
  for (const std::uint8_t mark : given) {
    if (mark > 3)
      throw Failure::usage("Stream.push: a mark is 0, 1, 2 or 3 (schemamem.Mark); found " + std::to_string(mark));
    checked.push_back(static_cast<v0::Mark>(mark));
  }
  if (checked.size() != rows.shape(0)) {
    throw Failure::usage("Stream.push: expected one mark a row, " + std::to_string(rows.shape(0)) + "; found " +
                         std::to_string(checked.size()));
  }
  push(own, numbers(rows), checked, numbers(outputs));
}

}  // namespace

void bind_stream(nb::module_& core) {
  nb::class_<OwnStream>(core, "Stream")
      .def("__init__", [](OwnStream* own, const v0::Model& model) { new (own) OwnStream(v0::Stream(model)); })
      .def("push", &push_rows, nb::arg("rows").noconvert(), nb::arg("outputs").noconvert())
      .def("push_marked", &push_marked, nb::arg("rows").noconvert(), nb::arg("marks").noconvert(),
           nb::arg("outputs").noconvert())
      .def("reset",
           [](OwnStream& own) {
             const Busy mine = own.use();
             own.stream.reset();
           })
      .def("fork",
           [](OwnStream& own) {
             const Busy mine = own.use();
             return new OwnStream(own.stream.fork());
           })
      .def_prop_ro("tokens",
                   [](OwnStream& own) {
                     const Busy mine = own.use();
                     return own.stream.tokens();
                   })
      .def_prop_rw(
          "floor",
          [](OwnStream& own) {
            const Busy mine = own.use();
            return own.stream.floor();
          },
          [](OwnStream& own, double floor) {
            const Busy mine = own.use();
            own.stream.set_floor(floor);
          })
      .def("save",
           [](OwnStream& own, const std::string& path) {
             const Busy mine = own.use();
             check(own.stream.save(path));
           })
      .def("load",
           [](OwnStream& own, const std::string& path) {
             const Busy mine = own.use();
             check(own.stream.load(path));
           })
      .def("to_bytes",
           [](OwnStream& own) {
             const Busy mine = own.use();
             return bytes_of(own.stream.bytes());
           })
      .def("restore", [](OwnStream& own, const nb::bytes& bytes) {
        const Busy mine = own.use();
        check(own.stream.restore(span_of(bytes)));
      });
}

}  // namespace schemamem::python
