#include "capture/open_ahead.h"

#include <filesystem>
#include <utility>

#include "warpmeter/status.h"

namespace warpmeter {

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
  const std::string& file = files_[next_file_++];
  try {
    return {open_capture(file, stop_, options_), ""};
  } catch (const Error& error) {
    return {nullptr, error.what()};
  }
}

// Not a pipe: opening it waits for its writer, who may wait for us to read another one.
void OpenAhead::open_ahead() {
  std::error_code error;
  while (ready_.size() < kAhead && next_file_ < files_.size() && files_[next_file_] != "-" &&
         std::filesystem::is_regular_file(files_[next_file_], error)) {
    ready_.push_back(open_next());
    if (ready_.back().reader) ready_.back().reader->read_ahead();
  }
}

}  // namespace warpmeter
