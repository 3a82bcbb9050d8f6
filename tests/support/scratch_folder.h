// A folder for one test, removed with all that is in it; and whole files as strings.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>

#include "support/byte_writer.h"

namespace warpmeter::test {

inline std::string file_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error(path + ": cannot be read");
  std::ostringstream
      text;  // not by iterators: without optimization, and with a sanitizer, a call for each byte is slow
  if (in.peek() != std::ifstream::traits_type::eof()) text << in.rdbuf();
  return std::move(text).str();
}

template <class Content>
void write_file(const std::string& path, const Content& bytes) {
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out) throw std::runtime_error(path + ": cannot be written");
}

// For small files by the thousand: in memory, where there is a folder for that, since a disk may take a millisecond to
// make one.
inline std::string folder_in_memory() {
  const std::string shared = "/dev/shm";
  return access(shared.c_str(), R_OK | W_OK | X_OK) == 0 ? shared : testing::TempDir();
}

class ScratchFolder {
 public:
  explicit ScratchFolder(const std::string& parent = testing::TempDir()) : path_(parent + "/warpmeter-test-XXXXXX") {
    if (!mkdtemp(path_.data())) throw std::runtime_error(path_ + ": cannot be made");
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  std::string write(const std::string& name, const Bytes& bytes) const {
    write_file(file(name), bytes);
    return file(name);
  }
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_), {}));
  }

 private:
  std::string path_;
};

}  // namespace warpmeter::test
