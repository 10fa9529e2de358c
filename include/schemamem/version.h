/// \file
/// Which SchemaMem a program was compiled with, and which one it runs with.
///
/// \code{.cpp}
/// #include <schemamem/version.h>
///
/// int main() { return schemamem::version() == schemamem::kVersion ? 0 : 1; }
/// \endcode
#pragma once

#include <string>
#include <string_view>

namespace schemamem {
inline namespace v0 {

/// The version of these headers.
inline constexpr std::string_view kVersion = "0.1.0";

/// The version of the library that runs. Before 1.0 a minor version may change interfaces.
std::string version();
/// The commit it was built from; "unknown" outside a repository.
std::string commit();

}  // namespace v0
}  // namespace schemamem
