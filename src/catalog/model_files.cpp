#include "catalog/model_files.h"

#include "catalog/find_model.h"
#include "catalog/places.h"
#include "record/tensor_files.h"
#include "stream/state_file.h"
#include "system/files.h"

namespace schemamem {

template <class T>
Result<std::shared_ptr<const LoadedModel<T>>> load_model(const std::string& path_or_name, EngineChoice choice) {
  const Result<std::filesystem::path> file = find_model(path_or_name, model_places());
  if (!file) return file.error();
  return load_model_file<T>(*file, choice);
}

template <class T>
Result<std::shared_ptr<const LoadedModel<T>>> load_model_file(const std::filesystem::path& file, EngineChoice choice) {
  const Result<TensorFile> tensors = load_tensors(file);
  if (!tensors) return tensors.error();
  return LoadedModel<T>::parse(*tensors, choice);
}

template <class T>
Status save_model(const std::filesystem::path& file, const LoadedModel<T>& model) {
  return write_file_atomically(file, model.encode().span());
}

template <class T>
Status save_state(const std::filesystem::path& file, const Stream<T>& stream) {
  return write_file_atomically(file, stream.encode().span());
}

template <class T>
Status load_state(const std::filesystem::path& file, Stream<T>& stream) {
  const Result<Buffer<std::byte>> bytes = read_file(file, largest_state(*stream.model()));
  if (!bytes) return bytes.error();
  return stream.restore(bytes->span(), file.string());
}

Status save_memory(const std::filesystem::path& file, const AddressMemory& memory) {
  return write_file_atomically(file, memory.encode().span());
}

Status load_memory(const std::filesystem::path& file, AddressMemory& memory) {
  const Result<Buffer<std::byte>> bytes = read_file(file, largest_state(*memory.model()));
  if (!bytes) return bytes.error();
  return memory.restore(bytes->span(), file.string());
}

template Result<std::shared_ptr<const LoadedModel<float>>> load_model(const std::string&, EngineChoice);
template Result<std::shared_ptr<const LoadedModel<double>>> load_model(const std::string&, EngineChoice);
template Result<std::shared_ptr<const LoadedModel<float>>> load_model_file(const std::filesystem::path&, EngineChoice);
template Result<std::shared_ptr<const LoadedModel<double>>> load_model_file(const std::filesystem::path&, EngineChoice);
template Status save_model(const std::filesystem::path&, const LoadedModel<float>&);
template Status save_model(const std::filesystem::path&, const LoadedModel<double>&);
template Status save_state(const std::filesystem::path&, const Stream<float>&);
template Status save_state(const std::filesystem::path&, const Stream<double>&);
template Status load_state(const std::filesystem::path&, Stream<float>&);
template Status load_state(const std::filesystem::path&, Stream<double>&);

}  // namespace schemamem
