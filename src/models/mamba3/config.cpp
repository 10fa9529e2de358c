#include "models/mamba3/config.h"

#include <string>

namespace schemamem {

void Mamba3Config::check() const {
  check_fields(*this);
  require(heads % groups == 0,
          "groups is " + std::to_string(groups) + ", which does not divide heads, " + std::to_string(heads));
}

}  // namespace schemamem
