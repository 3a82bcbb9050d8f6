#include "command/reassemble/growing_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "warpmeter/status.h"

namespace warpmeter::inline command {
namespace {

constexpr mode_t kMode = 0600;  // what somebody has sent is for nobody else

}  // namespace

GrowingFiles::GrowingFiles(std::string folder, int descriptor, std::size_t most_open)
    : folder_(std::move(folder)), descriptor_(descriptor), most_open_(most_open), slots_(1) {}

void GrowingFiles::fail(const StreamName& name, int error) const {
  const bool too_many = error == EMFILE || error == ENFILE;
  throw Error(folder_ + "/" + std::string(name.view()) + ": cannot be written: " + std::strerror(error) +
              (too_many ? " (ulimit -n allows more)" : ""));
}

void GrowingFiles::take_out(std::uint32_t slot) {
  slots_[slots_[slot].newer].older = slots_[slot].older;
  slots_[slots_[slot].older].newer = slots_[slot].newer;
}

// The latest is slot 0's older one, the oldest its newer one.
void GrowingFiles::put_first(std::uint32_t slot) {
  const std::uint32_t latest = slots_[0].older;
  slots_[slot].newer = 0;
  slots_[slot].older = latest;
  slots_[latest].newer = slot;
  slots_[0].older = slot;
}

// Some file systems tell of a full disk only now.
void GrowingFiles::close_slot(Slot& slot) {
  slot.turn = 0;
  if (slot.file && ::close(slot.file.release()) != 0) fail(slot.name, errno);
}

// A closed one, a new one, or that of the file that was written longest ago.
std::uint32_t GrowingFiles::slot_to_open() {
  const std::uint32_t oldest = slots_[0].newer;
  if (oldest != 0 && !slots_[oldest].file) return oldest;
  if (slots_.size() <= most_open_) {
    const auto added = static_cast<std::uint32_t>(slots_.size());
    slots_.emplace_back();
    put_first(added);
    return added;
  }
  close_slot(slots_[oldest]);
  return oldest;
}

void GrowingFiles::open(GrowingFile& file, const StreamName& name) {
  const std::uint32_t number = slot_to_open();
  Slot& slot = slots_[number];
  const int how = file.is_made ? O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC
                               : O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW | O_CLOEXEC;
  slot.file.reset(openat(descriptor_, name.c_str(), how, kMode));
  if (!slot.file) fail(name, errno);
  slot.name = name;
  slot.turn = ++turns_;
  file = {number, true, slot.turn};
  take_out(number);
  put_first(number);
}

void GrowingFiles::write(const GrowingFile& file, std::span<const std::uint8_t> bytes) {
  const Slot& slot = slots_[file.slot];
  if (slots_[0].older != file.slot) {
    take_out(file.slot);
    put_first(file.slot);
  }
  while (!bytes.empty()) {
    const ssize_t done = ::write(slot.file.get(), bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) fail(slot.name, errno);
    bytes = bytes.subspan(static_cast<std::size_t>(done));
  }
}

void GrowingFiles::close(GrowingFile& file) {
  if (!is_open(file)) return;
  Slot& slot = slots_[file.slot];
  close_slot(slot);
  // To be the next that is opened.
  take_out(file.slot);
  const std::uint32_t oldest = slots_[0].newer;
  slots_[file.slot].older = 0;
  slots_[file.slot].newer = oldest;
  slots_[oldest].older = file.slot;
  slots_[0].newer = file.slot;
}

void GrowingFiles::close_all() {
  for (Slot& slot : slots_) close_slot(slot);
}

}  // namespace warpmeter::inline command
