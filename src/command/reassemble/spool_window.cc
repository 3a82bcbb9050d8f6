#include "command/reassemble/spool_window.h"

#include <algorithm>
#include <cstring>

#include "warpmeter/status.h"

namespace warpmeter::inline command {

SpoolWindow::SpoolWindow(const TempFile& file, std::uint64_t bytes)
    : file_(file), bytes_(bytes), pages_(new char[kPages * kPage]), direct_(new char[kDirect]) {
  numbers_.fill(kNone);
}

void SpoolWindow::fetch(char* to, std::size_t bytes, std::uint64_t place) const {
  if (file_.read(to, bytes, place) < bytes) throw Error("a run file has become shorter");
}

// Each page of the file has one place, so that it is found without a search.
const char* SpoolWindow::page(std::uint64_t number) {
  const std::size_t slot = number % kPages;
  char* const bytes = pages_.get() + slot * kPage;
  if (numbers_[slot] == number) return bytes;
  numbers_[slot] = kNone;
  const std::uint64_t place = number * kPage;
  fetch(bytes, std::min<std::uint64_t>(kPage, bytes_ - place), place);
  numbers_[slot] = number;
  return bytes;
}

void SpoolWindow::read(void* to, std::size_t bytes, std::uint64_t place) {
  char* at = static_cast<char*>(to);
  while (bytes > 0) {
    const std::size_t from = place % kPage, some = std::min(bytes, kPage - from);
    std::memcpy(at, page(place / kPage) + from, some);
    at += some;
    place += some;
    bytes -= some;
  }
}

void SpoolWindow::copy(std::uint64_t place, std::uint64_t bytes, ByteSink& to) {
  while (bytes >= kLarge) {
    const std::size_t some = std::min<std::uint64_t>(bytes, kDirect);
    fetch(direct_.get(), some, place);
    to.write(direct_.get(), some);
    place += some;
    bytes -= some;
  }
  while (bytes > 0) {
    const std::size_t from = place % kPage, some = std::min<std::uint64_t>(bytes, kPage - from);
    to.write(page(place / kPage) + from, some);
    place += some;
    bytes -= some;
  }
}

}  // namespace warpmeter::inline command
