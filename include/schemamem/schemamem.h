/// \file
/// All of the interface.
///
/// \code{.cpp}
/// #include <schemamem/schemamem.h>
///
/// #include <cstdio>
///
/// int main() {
///   auto model = schemamem::Model::load("a5v5-schemamem-steady-s42");  // a published name, or a path
///   if (!model) return std::puts(model.error().message().c_str()), 1;
///   schemamem::Memory memory(*model);
///   memory.write(5, 3);
///   memory.wait(1000);
///   const schemamem::Answer answer = memory.ask(5);  // .value, .confidence
///   if (!memory.save("today.state")) return 1;       // bytes(): the same without a file
///   return answer.value == 3 ? 0 : 1;
/// }
/// \endcode
#pragma once

#include <schemamem/error.h>
#include <schemamem/evaluation.h>
#include <schemamem/memory.h>
#include <schemamem/model.h>
#include <schemamem/option.h>
#include <schemamem/stream.h>
#include <schemamem/task.h>
#include <schemamem/trainer.h>
#include <schemamem/version.h>

/// What programs use of SchemaMem.
namespace schemamem {
/// The interface of version 0: `schemamem::Model` and `schemamem::v0::Model` are the same.
inline namespace v0 {}
}  // namespace schemamem
