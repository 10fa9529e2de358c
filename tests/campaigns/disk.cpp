#include "campaigns/disk.h"

#include <algorithm>
#include <fstream>

#include "base/sha256.h"

namespace schemamem::campaign {

namespace fs = std::filesystem;
using Kind = DiskCall::Kind;

template <class Deed>
FileSystem::Outcome RecordingFiles::recorded(Deed deed, DiskCall call) {
  const std::lock_guard lock(mutex_);
  const Outcome outcome = deed();
  if (outcome >= 0) calls_.push_back(std::move(call));
  return outcome;
}

FileSystem::Outcome RecordingFiles::open(const fs::path& path, Open how) {
  const std::lock_guard lock(mutex_);
  const Outcome handle = posix_files().open(path, how);
  if (handle < 0) return handle;
  const int key = static_cast<int>(handle);
  files_.erase(key);
  folders_.erase(key);
  if (how == Open::kDirectory) folders_[key] = inside(path);
  if (how != Open::kCreate && how != Open::kAppend) return handle;
  const auto [found, is_made] = names_.try_emplace(inside(path), made_);
  if (is_made) {
    ++made_;
    calls_.push_back({.kind = Kind::kCreate, .file = found->second, .path = inside(path)});
  }
  files_[key] = found->second;
  return handle;
}

FileSystem::Outcome RecordingFiles::write(int handle, std::span<const std::byte> bytes) {
  std::string text(bytes.size(), '\0');
  std::transform(bytes.begin(), bytes.end(), text.begin(), [](std::byte byte) { return static_cast<char>(byte); });
  const std::lock_guard lock(mutex_);
  const Outcome count = posix_files().write(handle, bytes);
  if (count <= 0) return count;
  text.resize(static_cast<std::size_t>(count));
  calls_.push_back({.kind = Kind::kWrite, .file = files_.at(handle), .bytes = std::move(text)});
  return count;
}

FileSystem::Outcome RecordingFiles::sync(int handle) {
  const std::lock_guard lock(mutex_);
  const Outcome synced = posix_files().sync(handle);
  if (synced < 0) return synced;
  if (const auto folder = folders_.find(handle); folder != folders_.end()) {
    calls_.push_back({.kind = Kind::kSyncFolder, .path = folder->second});
  } else {
    calls_.push_back({.kind = Kind::kSync, .file = files_.at(handle)});
  }
  return synced;
}

FileSystem::Outcome RecordingFiles::truncate(int handle, std::uint64_t size) {
  const std::lock_guard lock(mutex_);
  const Outcome cut = posix_files().truncate(handle, size);
  if (cut >= 0) calls_.push_back({.kind = Kind::kTruncate, .file = files_.at(handle), .size = size});
  return cut;
}

FileSystem::Outcome RecordingFiles::link(const fs::path& file, const fs::path& name) {
  return recorded(
      [&] {
        const Outcome linked = posix_files().link(file, name);
        if (linked >= 0) names_[inside(name)] = names_.at(inside(file));
        return linked;
      },
      {.kind = Kind::kLink, .path = inside(file), .to = inside(name)});
}

FileSystem::Outcome RecordingFiles::rename(const fs::path& from, const fs::path& to) {
  return recorded(
      [&] {
        const Outcome renamed = posix_files().rename(from, to);
        if (renamed >= 0) names_[inside(to)] = names_.extract(inside(from)).mapped();
        return renamed;
      },
      {.kind = Kind::kRename, .path = inside(from), .to = inside(to)});
}

FileSystem::Outcome RecordingFiles::remove(const fs::path& path) {
  return recorded(
      [&] {
        const Outcome removed = posix_files().remove(path);
        if (removed >= 0) names_.erase(inside(path));
        return removed;
      },
      {.kind = Kind::kRemove, .path = inside(path)});
}

FileSystem::Outcome RecordingFiles::make_directory(const fs::path& path) {
  return recorded([&] { return posix_files().make_directory(path); },
                  {.kind = Kind::kMakeFolder, .path = inside(path)});
}

void DiskImage::write_to(const fs::path& folder) const {
  fs::create_directories(folder);
  for (const fs::path& inner : folders) fs::create_directories(folder / inner);
  for (const auto& [path, bytes] : files) std::ofstream(folder / path, std::ios::binary) << bytes;
}

std::string DiskImage::fingerprint() const {
  std::string text;
  for (const fs::path& folder : folders) text += folder.string() + "\n";
  for (const auto& [path, bytes] : files)
    text += path.string() + " " + sha256_hex(std::as_bytes(std::span(bytes))) + "\n";
  return sha256_hex(std::as_bytes(std::span(text)));
}

void Disk::change(Names& names, const DiskCall& call) {
  switch (call.kind) {
    case Kind::kCreate:
      names[call.path] = call.file;
      break;
    case Kind::kMakeFolder:
      names[call.path] = kFolder;
      break;
    case Kind::kRemove:
      names.erase(call.path);
      break;
    case Kind::kLink:
      names[call.to] = names.at(call.path);
      break;
    case Kind::kRename:
      names[call.to] = names.at(call.path);
      names.erase(call.path);
      break;
    default:
      break;
  }
}

bool Disk::depends(const DiskCall& later, const DiskCall& earlier) {
  const auto touches = [&](const fs::path& name) {
    return !name.empty() && (name == earlier.path || name == earlier.to);
  };
  if (touches(later.path) || touches(later.to)) return true;
  // What is in a folder needs the folder; a folder goes after what was in it.
  const auto is_in = [](const fs::path& name, const fs::path& folder) {
    return !name.empty() && name.parent_path() == folder;
  };
  if (earlier.kind == Kind::kMakeFolder) return is_in(later.path, earlier.path) || is_in(later.to, earlier.path);
  if (later.kind == Kind::kRemove) return is_in(earlier.path, later.path) || is_in(earlier.to, later.path);
  return false;
}

void Disk::apply(const DiskCall& call) {
  switch (call.kind) {
    case Kind::kWrite:
    case Kind::kTruncate:
      files_[call.file].pending.push_back(call);
      return;
    case Kind::kSync: {
      File& file = files_[call.file];
      file.durable = content(file, fates(file) - 1);
      file.pending.clear();
      return;
    }
    case Kind::kSyncFolder: {
      // The changes of names in this folder are kept, and with them what they depend on.
      std::vector<bool> kept(pending_.size(), false);
      for (std::size_t i = pending_.size(); i-- > 0;) {
        kept[i] = kept[i] || pending_[i].path.parent_path() == call.path || pending_[i].to.parent_path() == call.path;
        for (std::size_t j = 0; kept[i] && j < i; ++j) kept[j] = kept[j] || depends(pending_[i], pending_[j]);
      }
      std::vector<DiskCall> rest;
      for (std::size_t i = 0; i < pending_.size(); ++i) {
        if (kept[i]) change(names_, pending_[i]);
        if (!kept[i]) rest.push_back(std::move(pending_[i]));
      }
      pending_ = std::move(rest);
      return;
    }
    case Kind::kCreate:
      files_.try_emplace(call.file);
      pending_.push_back(call);
      return;
    default:
      pending_.push_back(call);
  }
}

/// Of n pending changes: the first 0 to n of them (n + 1 fates), each torn in the middle behind those before it (n),
/// and the whole length with zeros instead of what was not synced.
std::size_t Disk::fates(const File& file) { return file.pending.empty() ? 1 : 2 * file.pending.size() + 2; }

/// Fate 0 is all zeros (if anything is pending), fate 2k + 1 the first k changes, fate 2k + 2 those and half of the
/// next; the last fate is everything.
std::string Disk::content(const File& file, std::size_t fate) {
  if (file.pending.empty()) return file.durable;
  std::string text = file.durable;
  std::size_t same = text.size();
  const std::size_t whole = fate == 0 ? file.pending.size() : (fate - 1) / 2;
  for (std::size_t i = 0; i < file.pending.size() && i < whole + (fate % 2 == 0 ? 1 : 0); ++i) {
    const DiskCall& call = file.pending[i];
    const bool torn = fate != 0 && i == whole;
    if (call.kind == Kind::kTruncate) {
      if (torn) continue;
      text.resize(call.size);
      same = std::min<std::size_t>(same, call.size);
    } else {
      text += torn ? call.bytes.substr(0, call.bytes.size() / 2) : call.bytes;
    }
  }
  if (fate == 0) std::fill(text.begin() + static_cast<std::ptrdiff_t>(same), text.end(), '\0');
  return text;
}

std::vector<Disk::Names> Disk::possible_names(std::size_t most, Rng& rng) const {
  const std::size_t count = pending_.size();
  std::set<std::vector<bool>> subsets;
  const auto add = [&](auto wanted) {
    std::vector<bool> chosen(count);
    for (std::size_t i = 0; i < count; ++i) {
      chosen[i] = wanted(i);
      for (std::size_t j = 0; j < i; ++j) chosen[i] = chosen[i] && (chosen[j] || !depends(pending_[i], pending_[j]));
    }
    subsets.insert(std::move(chosen));
  };
  constexpr std::size_t kEnumerable = 12;
  if (count <= kEnumerable && (std::size_t{1} << count) <= most) {
    for (std::size_t bits = 0; bits < std::size_t{1} << count; ++bits)
      add([&](std::size_t i) { return ((bits >> i) & 1U) != 0; });
  } else {
    add([](std::size_t) { return false; });
    add([](std::size_t) { return true; });
    for (std::size_t n = 0; n < most; ++n) add([&](std::size_t) { return rng.below(2) == 1; });
  }
  std::vector<Names> all;
  for (const std::vector<bool>& chosen : subsets) {
    Names names = names_;
    for (std::size_t i = 0; i < count; ++i) {
      if (chosen[i]) change(names, pending_[i]);
    }
    all.push_back(std::move(names));
  }
  return all;
}

std::vector<DiskImage> Disk::images(std::size_t most, Rng& rng) const {
  std::vector<DiskImage> all;
  const std::vector<Names> trees = possible_names(most, rng);
  for (const Names& names : trees) {
    std::size_t combinations = 1;
    for (const auto& [path, file] : names)
      if (file != kFolder) combinations = std::min<std::size_t>(combinations * fates(files_.at(file)), most + 1);
    const bool every = combinations <= most;
    const std::size_t wanted = every ? combinations : std::max<std::size_t>(1, most / trees.size());
    for (std::size_t n = 0; n < wanted; ++n) {
      DiskImage image;
      std::size_t digits = n;
      for (const auto& [path, number] : names) {
        if (number == kFolder) {
          image.folders.insert(path);
          continue;
        }
        const File& file = files_.at(number);
        const std::size_t kinds = fates(file);
        image.files[path] = content(file, every ? digits % kinds : rng.below(kinds));
        digits /= kinds;
      }
      all.push_back(std::move(image));
    }
  }
  return all;
}

}  // namespace schemamem::campaign
