// A file without a name in the folder for temporary data: gone when closed, whatever ends the program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/files/descriptor.h"

namespace warpmeter::inline base {

class TempFile {
 public:
  // Throws Error, naming the folder.
  explicit TempFile(const std::string& folder);

  // At any offset; all of it, or an Error naming the folder. read() gives less only at the end of the file.
  void write(const void* data, std::size_t bytes, std::uint64_t offset);
  std::size_t read(void* data, std::size_t bytes, std::uint64_t offset) const;
  // Memory that lies in the file, which grows to hold it; for munmap(). Both are whole pages. Throws Error, as write().
  void* map(std::size_t bytes, std::uint64_t offset);

 private:
  [[noreturn]] void fail(const char* doing) const;

  const std::string folder_;
  Descriptor file_;
};

}  // namespace warpmeter::inline base
