#include "bindings.h"
#include "watch.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

namespace schemamem::python {
namespace {

/// A memory, and whether somebody is using it.
struct OwnMemory {
  v0::Memory memory;
  std::atomic<bool> busy{false};

  explicit OwnMemory(v0::Memory from) : memory(std::move(from)) {}
  Busy use() { return {busy, "Memory"}; }
};

/// Numbers of Python's may be negative; ours count from zero.
std::size_t number(std::int64_t given, const char* what) {
  if (given < 0)
    throw Failure::usage(std::string("Memory: ") + what + " is counted from 0; found " + std::to_string(given));
  return static_cast<std::size_t>(given);
}

void write(OwnMemory& own, std::int64_t address, std::int64_t value) {
  const Busy mine = own.use();
  check(own.memory.write(number(address, "an address"), number(value, "a value")));
}

std::pair<std::size_t, float> ask(OwnMemory& own, std::int64_t address) {
  const Busy mine = own.use();
  const v0::Answer answer = own.memory.ask(number(address, "an address"));
  return {answer.value, answer.confidence};
}

void wait(OwnMemory& own, std::int64_t rows) {
  const Busy mine = own.use();
  const std::size_t total = number(rows, "waiting");
  v0::Memory before = own.memory.fork();
  try {
    in_pieces(total, [&](std::size_t, std::size_t count) { own.memory.wait(count); });
  } catch (...) {
    own.memory = std::move(before);
    throw;
  }
}

}  // namespace

void bind_memory(nb::module_& core) {
  nb::class_<OwnMemory>(core, "Memory")
      .def("__init__", [](OwnMemory* own, const v0::Model& model) { new (own) OwnMemory(v0::Memory(model)); })
      .def("write", &write)
      .def("ask", &ask)
      .def("wait", &wait)
      .def("reset",
           [](OwnMemory& own) {
             const Busy mine = own.use();
             own.memory.reset();
           })
      .def("fork",
           [](OwnMemory& own) {
             const Busy mine = own.use();
             return new OwnMemory(own.memory.fork());
           })
      .def("written",
           [](OwnMemory& own, std::int64_t address) {
             const Busy mine = own.use();
             return own.memory.written(number(address, "an address"));
           })
      .def_prop_ro("addresses", [](const OwnMemory& own) { return own.memory.addresses(); })
      .def_prop_ro("values", [](const OwnMemory& own) { return own.memory.values(); })
      .def_prop_ro("tokens",
                   [](OwnMemory& own) {
                     const Busy mine = own.use();
                     return own.memory.tokens();
                   })
      .def_prop_rw(
          "floor",
          [](OwnMemory& own) {
            const Busy mine = own.use();
            return own.memory.floor();
          },
          [](OwnMemory& own, double floor) {
            const Busy mine = own.use();
            own.memory.set_floor(floor);
          })
      .def("save",
           [](OwnMemory& own, const std::string& path) {
             const Busy mine = own.use();
             check(own.memory.save(path));
           })
      .def("load",
           [](OwnMemory& own, const std::string& path) {
             const Busy mine = own.use();
             check(own.memory.load(path));
           })
      .def("to_bytes",
           [](OwnMemory& own) {
             const Busy mine = own.use();
             return bytes_of(own.memory.bytes());
           })
      .def("restore", [](OwnMemory& own, const nb::bytes& bytes) {
        const Busy mine = own.use();
        check(own.memory.restore(span_of(bytes)));
      });
}

}  // namespace schemamem::python
