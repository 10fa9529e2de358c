#pragma once

#include "models/schemamem/config.h"

namespace schemamem {

/// SchemaMem with one option more: how the slots that a row reads are weighed.
struct VariantConfig : SchemaMemConfig {
  bool mean = false;  // every slot alike, instead of by its score

  template <class Self, class Field>
  static void fields(Self& self, Field&& field) {
    SchemaMemConfig::fields(self, field);
    field("reader", self.mean, OptionWords{"scores", "mean"}, "how the slots that a row reads are weighed");
  }
};

}  // namespace schemamem
