#include "pipeline/rotated_file.h"

#include "export/output_file.h"

namespace warpmeter {
namespace {

std::string rotated_name(std::string name, const std::string& middle) {
  const std::size_t folder = name.rfind('/') + 1;  // 0 if there is none
  const std::size_t dot = name.rfind('.');
  return name.insert(dot == std::string::npos || dot <= folder ? name.size() : dot, '.' + middle);
}

}  // namespace

std::unique_ptr<FileWriter> open_rotated_file(const std::string& middle, const OutputOptions& options,
                                              const RecordLayout& layout) {
  auto file = std::make_unique<FileWriter>(rotated_name(options.file, middle), options, layout);
  file->begin();
  return file;
}

void try_rotated_file(const OutputOptions& options) { OutputFile never_there(rotated_name(options.file, "*")); }

}  // namespace warpmeter
