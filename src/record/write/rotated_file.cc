#include "record/write/rotated_file.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <ctime>
#include <filesystem>
#include <system_error>

#include "base/files/output_file.h"
#include "warpmeter/status.h"

namespace warpmeter::inline record {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

std::string rotated_name(const OutputOptions& options, const std::string& middle) {
  const RotatedName name = rotated_in_two(middle, options);
  return name.before + name.behind;
}

// "date=2026-01-31/hour=12/" of 20260131T120000Z; "" of what is no interval.
std::string date_folders(const std::string& middle, const OutputOptions& options) {
  constexpr std::size_t kDate = 8, kHour = kDate + 1;
  if (!options.date_folders || middle.size() < kHour + 2 || middle[kDate] != 'T') return {};
  return fmt::format("date={}-{}-{}/hour={}/", middle.substr(0, 4), middle.substr(4, 2), middle.substr(6, 2),
                     middle.substr(kHour, 2));
}

}  // namespace

std::int64_t beginning_of_interval(std::int64_t ns, std::int64_t length) {
  const std::int64_t behind = ((ns % length) + length) % length;
  return ns - behind;
}

std::string interval_name(std::int64_t ns) {
  const std::int64_t fraction = ((ns % kSecond) + kSecond) % kSecond;
  const auto seconds = static_cast<std::time_t>((ns - fraction) / kSecond);
  const std::string text = fmt::format("{:%Y%m%dT%H%M%S}", fmt::gmtime(seconds));
  return fraction ? fmt::format("{}.{:09}Z", text, fraction) : text + "Z";
}

RotatedName rotated_in_two(const std::string& middle, const OutputOptions& options) {
  const std::string& name = options.file;
  const std::size_t folder = name.rfind('/') + 1;                // 0 if there is none
  const std::size_t packed = suffix_of(options.packing).size();  // NAME.csv.gz: before ".csv"
  const std::size_t dot = name.size() > packed ? name.rfind('.', name.size() - packed - 1) : std::string::npos;
  const std::size_t at = dot == std::string::npos || dot <= folder ? name.size() : dot;
  const std::string base = name.substr(folder, at - folder) + '.' + middle;
  return {name.substr(0, folder) + date_folders(middle, options) + base, name.substr(at)};
}

void make_date_folders(const std::string& middle, const OutputOptions& options) {
  const std::string folders = date_folders(middle, options);
  if (folders.empty()) return;
  const std::string whole = options.file.substr(0, options.file.rfind('/') + 1) + folders;
  std::error_code error;
  std::filesystem::create_directories(whole, error);
  if (error) throw Error(whole + ": cannot be made: " + error.message());
}

std::unique_ptr<FileWriter> open_rotated_file(const std::string& middle, const OutputOptions& options,
                                              const std::shared_ptr<const FileFormat>& format) {
  make_date_folders(middle, options);
  auto file = std::make_unique<FileWriter>(rotated_name(options, middle), options, format);
  file->begin();
  return file;
}

std::string free_middle(const std::string& middle, const OutputOptions& options) {
  struct stat status;
  std::string free = middle;
  for (int number = 2; lstat(rotated_name(options, free).c_str(), &status) == 0; ++number) {
    free = middle + '-' + std::to_string(number);
  }
  return free;
}

void try_rotated_file(const OutputOptions& options) { OutputFile never_there(rotated_name(options, "*")); }

}  // namespace warpmeter::inline record
