#include "packet/folder/seen_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <set>
#include <string_view>

#include "base/files/descriptor.h"

namespace warpmeter::inline packet {
namespace {

bool is_unchanged(const SeenFile& a, const SeenFile& b) { return a.size == b.size && a.changed_ns == b.changed_ns; }

std::int64_t nanoseconds(std::int64_t seconds, std::int64_t rest) { return seconds * 1'000'000'000 + rest; }

constexpr std::string_view kPackedEnds[] = {".gz", ".zst", ".lz4", ".xz", ".bz2"};

std::string_view packing_of(std::string_view name) {
  for (const std::string_view end : kPackedEnds) {
    if (name.ends_with(end)) return name.substr(name.size() - end.size());
  }
  return "";
}

std::string_view unpacked_name(std::string_view name) { return name.substr(0, name.size() - packing_of(name).size()); }

// Adds the numbers of all files of the folder, those that links lead to as well. False: it cannot be read.
bool add_numbers(int folder, std::set<std::uint64_t>& numbers) {
  Descriptor opened(openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  DIR* const entries = opened ? fdopendir(opened.get()) : nullptr;
  if (!entries) return false;
  opened.release();  // closedir() closes it
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

bool is_one_file(const SeenFile& a, const SeenFile& b) {
  if (a.number != b.number) return false;
  if (a.made_ns != 0 && b.made_ns != 0) return a.made_ns == b.made_ns;
  return a.size == b.size || unpacked_name(a.name) == unpacked_name(b.name);
}

bool packed_alike(const std::string& a, const std::string& b) { return packing_of(a) == packing_of(b); }

bool is_packed_by_now(int folder, const std::string& name) {
  const auto is_there = [folder](const std::string& entry) {
    return faccessat(folder, entry.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0;
  };
  return !is_there(name) &&
         std::ranges::any_of(kPackedEnds, [&](std::string_view end) { return is_there(name + std::string(end)); });
}

const SeenFile* SeenFiles::find(const SeenFile& file) const {
  if (const auto found = by_number_.find(file.number); found != by_number_.end() && is_one_file(found->second, file)) {
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

void SeenFiles::forget(const SeenFile& file) {
  const auto found = by_number_.find(file.number);
  if (found != by_number_.end() && is_one_file(found->second, file)) by_number_.erase(found);
}

void SeenFiles::keep_those_in(int folder) {
  std::set<std::uint64_t> there;
  // Twice: what is renamed meanwhile, a look may miss.
  if (!add_numbers(folder, there) || !add_numbers(folder, there)) return;
  std::erase_if(by_number_, [&](const auto& entry) { return !there.contains(entry.first); });
  std::erase_if(by_name_, [&](const auto& entry) { return !by_number_.contains(entry.second); });
}

std::optional<SeenFile> look_at_entry(int folder, const std::string& name, bool follows) {
  struct stat status {
  }, link{};
  const bool is_link = fstatat(folder, name.c_str(), &link, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(link.st_mode);
  if ((is_link && !follows) || fstatat(folder, name.c_str(), &status, 0) != 0) {
    if (!is_link) return std::nullopt;
    status = link;
  } else if (!S_ISREG(status.st_mode)) {
    return std::nullopt;
  }
  struct statx more {};
  const bool is_said = statx(folder, name.c_str(), AT_STATX_DONT_SYNC, STATX_BTIME | STATX_INO, &more) == 0 &&
                       (more.stx_mask & STATX_BTIME) != 0 && more.stx_ino == status.st_ino;
  return SeenFile{.name = name,
                  .number = status.st_ino,
                  .size = static_cast<std::uint64_t>(status.st_size),
                  .changed_ns = nanoseconds(status.st_mtim.tv_sec, status.st_mtim.tv_nsec),
                  .made_ns = is_said ? nanoseconds(more.stx_btime.tv_sec, more.stx_btime.tv_nsec) : 0,
                  .is_link = is_link};
}

}  // namespace warpmeter::inline packet
