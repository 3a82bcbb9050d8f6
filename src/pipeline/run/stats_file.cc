#include "pipeline/run/stats_file.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/program/messages.h"
#include "pipeline/run/stats_json.h"
#include "warpmeter/status.h"

namespace warpmeter::inline pipeline {
namespace fs = std::filesystem;

void StatsFile::open() {
  may_open_ = false;
  if (!name_.empty()) file_ = std::make_unique<OutputFile>(name_, &interrupted_, gives_up_);
}

void StatsFile::write(const std::string& text) {
  const std::unique_ptr<OutputFile> file = std::move(file_);
  if (!file) return;  // none was asked for, or writing it has failed before
  file->write(text);
  file->commit();
}

// One of the inputs that were named, or in a folder of them, however deep.
bool StatsFile::may_be_input() const {
  std::error_code error;
  const fs::path place = fs::canonical(name_, error);
  if (error) return false;  // what is not there is no input
  return std::any_of(inputs_.begin(), inputs_.end(), [&](const std::string& input) {
    std::error_code ignored;
    const fs::path other = fs::canonical(input, ignored);
    if (fs::equivalent(place, input, ignored)) return true;
    const auto [end, unused] = std::mismatch(other.begin(), other.end(), place.begin(), place.end());
    return !other.empty() && end == other.end();
  });
}

void StatsFile::write_failure(const std::exception& error) {
  const auto* const known = dynamic_cast<const Error*>(&error);
  if (known && known->status() != ExitStatus::failed) return;
  write_failure(failure_words(error), failure_json(error));
}

void StatsFile::write_failure(const std::string& message, const std::string& text) {
  if (name_.empty() || may_be_input()) return;
  try {
    if (may_open_) open();
    write(text);
  } catch (const std::exception& error) {
    const std::string why = failure_words(error);
    if (why != message) warn(why);  // else it is what is told anyway
  }
}

}  // namespace warpmeter::inline pipeline
