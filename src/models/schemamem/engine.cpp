#include "models/schemamem/engine.h"

#include "kernels/dispatch.h"

namespace schemamem {

template <class T>
SchemaMemEngine<T>::~SchemaMemEngine() = default;

template <class T>
std::unique_ptr<SchemaMemEngine<T>> make_schemamem_engine(const SchemaMemConfig& config, Isa isa, bool general) {
  return dispatch(isa, [&](auto chosen) {
    const bool fixed = config.has_paper_sizes() && !general;
    return std::unique_ptr<SchemaMemEngine<T>>(fixed ? make_paper_engine<chosen.value, T>(config)
                                                     : make_any_engine<chosen.value, T>(config));
  });
}

template class SchemaMemEngine<float>;
template class SchemaMemEngine<double>;
template std::unique_ptr<SchemaMemEngine<float>> make_schemamem_engine<float>(const SchemaMemConfig&, Isa, bool);
template std::unique_ptr<SchemaMemEngine<double>> make_schemamem_engine<double>(const SchemaMemConfig&, Isa, bool);

}  // namespace schemamem
