#include "packet/file/open_ahead.h"

#include <utility>

#include "warpmeter/status.h"

namespace warpmeter::inline packet {

std::optional<OpenAhead::Opened> OpenAhead::next() {
  if (ready_.empty()) {
    if (next_file_ == files_.size()) return std::nullopt;
    ready_.push_back(open_next());
  }
  Opened opened = std::move(ready_.front());
  ready_.pop_front();
  open_ahead();
  return opened;
}

OpenAhead::Opened OpenAhead::open_next() {
  const std::size_t file = next_file_++;
  try {
    return {open_capture(files_[file].path, stop_, options_), "", file};
  } catch (const Error& error) {
    return {nullptr, error.what(), file};
  }
}

// Not a pipe: opening it waits for its writer, who may wait for us to read another one.
void OpenAhead::open_ahead() {
  while (ready_.size() < kAhead && next_file_ < files_.size() && files_[next_file_].regular) {
    ready_.push_back(open_next());
    if (ready_.back().reader) ready_.back().reader->read_ahead();
  }
}

}  // namespace warpmeter::inline packet
