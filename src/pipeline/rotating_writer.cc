#include "pipeline/rotating_writer.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <utility>

#include "warpmeter/status.h"

namespace warpmeter {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

std::int64_t beginning_of_interval(std::int64_t ns, std::int64_t length) {
  const std::int64_t behind = ((ns % length) + length) % length;
  return ns - behind;
}

// 20260131T120000Z; with a fraction where intervals are shorter than a second or lie between seconds.
std::string time_name(std::int64_t ns) {
  const std::int64_t fraction = ((ns % kSecond) + kSecond) % kSecond;
  const auto seconds = static_cast<std::time_t>((ns - fraction) / kSecond);
  const std::string text = fmt::format("{:%Y%m%dT%H%M%S}", fmt::gmtime(seconds));
  return fraction ? fmt::format("{}.{:09}Z", text, fraction) : text + "Z";
}

}  // namespace

std::unique_ptr<FileWriter> RotatingWriter::open(const std::string& middle) const {
  std::string name = options_.file;
  const std::size_t folder = name.rfind('/') + 1;                 // 0 if there is none
  const std::size_t packed = suffix_of(options_.packing).size();  // NAME.csv.gz: before ".csv"
  const std::size_t dot = name.size() > packed ? name.rfind('.', name.size() - packed - 1) : std::string::npos;
  name.insert(dot == std::string::npos || dot <= folder ? name.size() : dot, '.' + middle);
  auto file = std::make_unique<FileWriter>(name, options_, layout_);
  file->begin();
  return file;
}

void RotatingWriter::begin() {
  if (!options_.rotate_ns) current_ = open(fmt::format("{:06}", ++number_));
}

FileWriter& RotatingWriter::file_for(const FlowRecord& record, const FlowRecord* reverse) {
  if (!options_.rotate_ns) {
    if (current_->bytes() >= options_.rotate_bytes) {
      current_->end();
      current_ = open(fmt::format("{:06}", ++number_));
    }
    return *current_;
  }
  const std::int64_t end_ns = reverse ? std::max(record.end_ns, reverse->end_ns) : record.end_ns;
  const std::int64_t beginning = beginning_of_interval(end_ns, options_.rotate_ns);
  auto& file = by_time_[beginning];
  if (!file) {
    if (by_time_.size() > kMostFiles) {
      throw Error(fmt::format("--rotate: more than {} intervals; choose a longer time", kMostFiles));
    }
    file = open(time_name(beginning));
  }
  return *file;
}

void RotatingWriter::write(const FlowRecord& record, const FlowRecord* reverse) {
  file_for(record, reverse).write(record, reverse);
}

void RotatingWriter::end() {
  if (options_.rotate_ns && by_time_.empty()) current_ = open("empty");
  if (current_) current_->end();
  for (auto& [beginning, file] : by_time_) file->end();
}

}  // namespace warpmeter
