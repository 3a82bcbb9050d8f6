#include "base/program/files_in_use.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "base/files/output_place.h"
#include "warpmeter/status.h"

namespace warpmeter::inline base {
namespace {

using FileIdentity = FilesInUse::FileIdentity;

std::string named(const std::string& name, const char* dash) { return name == "-" ? dash : name; }

// Of what holds data: a terminal or /dev/null may well be read and written at once.
std::optional<FileIdentity> identity_of(const struct stat& status) {
  if (S_ISREG(status.st_mode)) return FileIdentity{status.st_dev, status.st_ino, ""};
  if (S_ISBLK(status.st_mode)) return FileIdentity{status.st_rdev, 0, "block device"};
  return std::nullopt;
}

std::optional<FileIdentity> identity_of(const OutputPlace& place) {
  if (place.there) {
    if (S_ISFIFO(place.there->st_mode)) return FileIdentity{place.there->st_dev, place.there->st_ino, ""};
    return identity_of(*place.there);
  }
  struct stat folder {};
  if (stat(place.folder.c_str(), &folder) != 0) return std::nullopt;  // who opens the output will say so
  return FileIdentity{folder.st_dev, folder.st_ino, place.base};
}

}  // namespace

void FilesInUse::look_at_inputs() {
  looked_at_ = true;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    struct stat status {};
    if (inputs_[i] == "-" ? fstat(STDIN_FILENO, &status) != 0 : stat(inputs_[i].c_str(), &status) != 0) continue;
    if (auto identity = identity_of(status)) known_.emplace_back(std::move(*identity), i);
  }
  std::sort(known_.begin(), known_.end());
}

std::optional<FileIdentity> FilesInUse::checked(const std::string& output, Replaces replaces) {
  const OutputPlace place = place_of(output);
  std::optional<FileIdentity> identity = identity_of(place);
  if (!identity) return identity;
  if (place.there) {
    if (!looked_at_) look_at_inputs();
    const auto found = std::lower_bound(known_.begin(), known_.end(), std::pair(*identity, std::size_t{0}));
    if (found != known_.end() && found->first == *identity) {
      throw Error(named(output, "standard output") + ": is an input too (" +
                  named(inputs_[found->second], "standard input") + "), and no input is overwritten");
    }
  }
  if (const auto found = outputs_.find(*identity); found != outputs_.end()) {
    throw Error(
        named(output, "standard output") + ": is another output too (" + named(found->second, "standard output") + ")",
        ExitStatus::usage);
  }
  if (kept_ && replaces != Replaces::anything && place.there && !place.descriptor && S_ISREG(place.there->st_mode)) {
    const std::string what = kept_(output);
    if (!what.empty()) {
      throw Error(output + ": is " + what + ", and is not overwritten; remove it first, if it may go",
                  ExitStatus::usage);
    }
  }
  return identity;
}

void FilesInUse::claim(const std::string& output, Replaces replaces) {
  if (auto identity = checked(output, replaces)) outputs_.emplace(std::move(*identity), output);
}

void FilesInUse::check(const std::string& output) { checked(output, Replaces::what_is_not_kept); }

}  // namespace warpmeter::inline base
