// Runs a target without libFuzzer, so that every compiler and every build can: over all files in the folders given, and
// over so many simple mutations of them, always the same ones.
//
//   fuzz_NAME MUTATIONS FOLDER|FILE...
//
// The input that is being tried stands in fuzz_NAME.input; if the program dies, that is the one.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "fuzz/must.h"

namespace warpmeter::fuzz {
namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<std::uint8_t>;

constexpr std::size_t kLongest = 4096;  // of a mutation
constexpr std::size_t kLongestSeen = 1 << 20;

// In memory that is shared with a file, which no way of dying keeps from being written.
class LastInput {
 public:
  explicit LastInput(const std::string& path) {
    const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0666);
    must(fd >= 0 && ftruncate(fd, kLongestSeen) == 0);
    void* shared = mmap(nullptr, kLongestSeen, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    must(shared != MAP_FAILED);
    shared_ = static_cast<std::uint8_t*>(shared);
    fd_ = fd;
  }
  void is(const Bytes& input) {
    const std::size_t size = std::min(input.size(), kLongestSeen);
    if (size != size_) must(ftruncate(fd_, static_cast<off_t>(size_ = size)) == 0);
    if (size > 0) std::memcpy(shared_, input.data(), size);
  }

 private:
  std::uint8_t* shared_;
  std::size_t size_ = kLongestSeen;
  int fd_;
};

Bytes read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<fs::path> files_of(int count, char** names) {
  std::vector<fs::path> files;
  for (int i = 0; i < count; ++i) {
    if (fs::is_regular_file(names[i])) files.emplace_back(names[i]);
    if (!fs::is_directory(names[i])) continue;
    for (const auto& entry : fs::directory_iterator(names[i])) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

class Mutator {
 public:
  explicit Mutator(const std::vector<Bytes>& inputs) : inputs_(inputs) {}

  Bytes next() {
    Bytes input = any_input();
    for (std::size_t changes = 1 + below(4); changes > 0; --changes) change(input);
    if (input.size() > kLongest) input.resize(kLongest);
    return input;
  }

 private:
  std::size_t below(std::size_t limit) { return limit ? random_() % limit : 0; }
  const Bytes& any_input() { return inputs_[below(inputs_.size())]; }
  static auto place(Bytes& bytes, std::size_t at) { return bytes.begin() + static_cast<std::ptrdiff_t>(at); }

  void change(Bytes& input) {
    constexpr std::uint32_t kOdd[] = {0, 1, 3, 4, 0x7f, 0x80, 0xff, 0xffff, 0x7fffffff, 0x7ffffff0, 0x80000000, ~0u};
    const std::size_t at = below(input.size());
    const std::size_t length = below(input.size() - at + 1);
    switch (below(6)) {
      case 0: input.resize(at); return;
      case 1: input.erase(place(input, at), place(input, at + length)); return;
      case 2: {
        const Bytes copied(place(input, at), place(input, at + std::min<std::size_t>(length, 64)));
        input.insert(place(input, below(input.size() + 1)), copied.begin(), copied.end());
        return;
      }
      case 3: {  // the end of another
        const Bytes& other = any_input();
        input.resize(at);
        input.insert(input.end(), other.begin() + static_cast<std::ptrdiff_t>(std::min(at, other.size())), other.end());
        return;
      }
      case 4:
        if (!input.empty()) input[at] = static_cast<std::uint8_t>(random_());
        return;
      default: {
        const std::uint32_t number = kOdd[below(std::size(kOdd))];
        if (input.size() >= at + sizeof number) std::memcpy(input.data() + at, &number, sizeof number);
        return;
      }
    }
  }

  const std::vector<Bytes>& inputs_;
  std::mt19937 random_{20'261'122};
};

// In memory that is exactly as long as the input, so that AddressSanitizer sees what reads beyond it.
void run(const Bytes& input, LastInput& last) {
  last.is(input);
  const std::unique_ptr<std::uint8_t[]> exact(new std::uint8_t[input.size()]);
  std::copy(input.begin(), input.end(), exact.get());
  LLVMFuzzerTestOneInput(exact.get(), input.size());
}

}  // namespace
}  // namespace warpmeter::fuzz

int main(int count, char** arguments) {
  using namespace warpmeter::fuzz;
  const std::size_t mutations = count > 1 ? std::strtoul(arguments[1], nullptr, 10) : 0;
  const std::string last_path = std::string(arguments[0]) + ".input";
  LastInput last(last_path);
  std::vector<Bytes> inputs;
  for (const auto& file : files_of(count - 2, arguments + 2)) {
    inputs.push_back(read_file(file));
    run(inputs.back(), last);
  }
  if (inputs.empty()) {
    std::fprintf(stderr, "no inputs\n");
    return 1;
  }
  Mutator mutator(inputs);
  for (std::size_t i = 0; i < mutations; ++i) run(mutator.next(), last);
  unlink(last_path.c_str());
  std::printf("%zu inputs and %zu mutations\n", inputs.size(), mutations);
  return 0;
}
