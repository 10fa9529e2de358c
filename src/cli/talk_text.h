#pragma once

#include <string>

#include "cli/console.h"
#include "talk/session.h"

namespace schemamem {

/// An answer as a person reads it, with its end of line; nothing where there is nothing to say.
std::string reply_text(const Reply& reply, const Paint& paint);
/// "32 addresses, 32 values, nothing written yet; `help` lists the words"
std::string greeting(const AddressMemory& memory);
/// What layers hold, a few lines each. Without a last write nothing is said about changes.
std::string layers_text(const std::vector<HeldLayer>& layers, bool after_a_write, const char* changed);

}  // namespace schemamem
