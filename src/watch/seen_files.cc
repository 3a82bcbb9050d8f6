#include "watch/seen_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <set>
#include <string_view>

namespace warpmeter {
namespace {

bool is_unchanged(const SeenFile& a, const SeenFile& b) { return a.size == b.size && a.changed_ns == b.changed_ns; }

std::string_view packing_of(std::string_view name) {
  for (const std::string_view end : {".gz", ".zst", ".lz4", ".xz", ".bz2"}) {
    if (name.ends_with(end)) return name.substr(name.size() - end.size());
  }
  return "";
}

std::string_view unpacked_name(std::string_view name) { return name.substr(0, name.size() - packing_of(name).size()); }

// Adds the numbers of all files of the folder, those that links lead to as well. False: it cannot be read.
bool add_numbers(int folder, std::set<std::uint64_t>& numbers) {
  const int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* const entries = fd < 0 ? nullptr : fdopendir(fd);
  if (!entries) return false;
  errno = 0;
  while (const dirent* const entry = readdir(entries)) {
    numbers.insert(entry->d_ino);
    struct stat status {};
    const bool may_lead = entry->d_type == DT_LNK || entry->d_type == DT_UNKNOWN;
    if (may_lead && fstatat(folder, entry->d_name, &status, 0) == 0) numbers.insert(status.st_ino);
    errno = 0;
  }
  const bool all = errno == 0;
  closedir(entries);
  return all;
}

}  // namespace

bool packed_alike(const std::string& a, const std::string& b) { return packing_of(a) == packing_of(b); }

const SeenFile* SeenFiles::find(const SeenFile& file) const {
  if (const auto found = by_number_.find(file.number); found != by_number_.end()) {
    const SeenFile& seen = found->second;
    const bool same_packets = file.first_ns && file.first_ns == seen.first_ns;
    if (same_packets || (!file.first_ns && is_unchanged(seen, file))) return &seen;
  }
  if (!file.first_ns) return nullptr;
  const auto name = by_name_.find(unpacked_name(file.name));
  if (name == by_name_.end()) return nullptr;
  const auto alike = by_number_.find(name->second);
  if (alike == by_number_.end()) return nullptr;
  const SeenFile& seen = alike->second;
  return unpacked_name(seen.name) == name->first && seen.first_ns == file.first_ns ? &seen : nullptr;
}

void SeenFiles::add(const SeenFile& file) {
  by_number_.insert_or_assign(file.number, file);
  by_name_.insert_or_assign(std::string(unpacked_name(file.name)), file.number);
}

void SeenFiles::forget(std::uint64_t number) { by_number_.erase(number); }

void SeenFiles::keep_those_in(int folder) {
  std::set<std::uint64_t> there;
  // Twice: what is renamed meanwhile, a look may miss.
  if (!add_numbers(folder, there) || !add_numbers(folder, there)) return;
  std::erase_if(by_number_, [&](const auto& entry) { return !there.contains(entry.first); });
  std::erase_if(by_name_, [&](const auto& entry) { return !by_number_.contains(entry.second); });
}

std::optional<SeenFile> look_at_entry(int folder, const std::string& name) {
  struct stat status {
  }, link{};
  const bool is_link = fstatat(folder, name.c_str(), &link, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(link.st_mode);
  if (fstatat(folder, name.c_str(), &status, 0) != 0) {
    if (!is_link) return std::nullopt;
    status = link;
  } else if (!S_ISREG(status.st_mode)) {
    return std::nullopt;
  }
  return SeenFile{.name = name,
                  .number = status.st_ino,
                  .size = static_cast<std::uint64_t>(status.st_size),
                  .changed_ns = status.st_mtim.tv_sec * std::int64_t{1'000'000'000} + status.st_mtim.tv_nsec,
                  .is_link = is_link};
}

}  // namespace warpmeter
