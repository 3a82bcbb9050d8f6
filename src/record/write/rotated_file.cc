#include "record/write/rotated_file.h"

#include <sys/stat.h>

#include "base/files/output_file.h"

namespace warpmeter::inline record {
namespace {

std::string rotated_name(const OutputOptions& options, const std::string& middle) {
  const RotatedName name = rotated_in_two(middle, options);
  return name.before + name.behind;
}

}  // namespace

RotatedName rotated_in_two(const std::string& middle, const OutputOptions& options) {
  const std::string& name = options.file;
  const std::size_t folder = name.rfind('/') + 1;                // 0 if there is none
  const std::size_t packed = suffix_of(options.packing).size();  // NAME.csv.gz: before ".csv"
  const std::size_t dot = name.size() > packed ? name.rfind('.', name.size() - packed - 1) : std::string::npos;
  const std::size_t at = dot == std::string::npos || dot <= folder ? name.size() : dot;
  return {name.substr(0, at) + '.' + middle, name.substr(at)};
}

std::unique_ptr<FileWriter> open_rotated_file(const std::string& middle, const OutputOptions& options,
                                              const std::shared_ptr<const FileFormat>& format) {
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
