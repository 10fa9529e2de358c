#pragma once

namespace schemamem {

/// 128-bit products and states of the random generators. GCC and Clang have the type on every 64-bit machine.
__extension__ typedef unsigned __int128 uint128;  // NOLINT(modernize-use-using): __extension__ needs the typedef

}  // namespace schemamem
