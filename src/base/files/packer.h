// Compresses an output on its way to the file: gzip, zstd and lz4, each where its library was there.
//
// The bytes that come out depend on those that go in alone, not on the number of threads nor on the pieces in which
// they came: they are cut into blocks of one size. Each output is one gzip member, one zstd or one lz4 frame, since
// some readers stop at the end of the first.
//
// write() and end() by one thread at a time; gzip and zstd compress on others, and hand on what is ready in order.
// Memory: a few blocks a thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace warpmeter::inline base {

enum class Packing : std::uint8_t { none, gzip, zstd, lz4 };

// Of names of files: ".gz", ".zst", ".lz4"; "" for none.
std::string_view suffix_of(Packing packing);

// By the end of a file's name, whatever its case.
Packing packing_of(std::string_view name);

// Empty if this build can; else one line that says why not.
std::string why_not_packed(Packing packing);

class Packer {
 public:
  // What is compressed goes there, in order, from the threads that call write() and end().
  using Output = std::function<void(const char* bytes, std::size_t count)>;

  explicit Packer(Output output);
  virtual ~Packer() = default;
  Packer(const Packer&) = delete;
  Packer& operator=(const Packer&) = delete;

  // Throw what the output throws, and Error where the library fails.
  void write(const char* bytes, std::size_t count);
  void end();  // once, last: also of nothing at all becomes a valid file

  // At most so many bytes that were written have not come out yet, packed or not.
  std::uint64_t most_held() const { return kBlock + most_in_work(); }

 protected:
  static constexpr std::size_t kBlock = 256 << 10;

  // The next bytes, kBlock of them unless they are the last.
  virtual void pack(std::string_view block, bool last) = 0;
  // Of what pack() was given.
  virtual std::uint64_t most_in_work() const = 0;
  void put(const void* bytes, std::size_t count) { output_(static_cast<const char*>(bytes), count); }

 private:
  const Output output_;
  const std::unique_ptr<char[]> block_;
  std::size_t fill_ = 0;
};

// REQUIRES: why_not_packed() is empty, and not none. At most `threads` compress.
std::unique_ptr<Packer> make_packer(Packing packing, unsigned threads, Packer::Output output);

// Those that are built in.
std::unique_ptr<Packer> make_gzip_packer(unsigned threads, Packer::Output output);
std::unique_ptr<Packer> make_zstd_packer(unsigned threads, Packer::Output output);
std::unique_ptr<Packer> make_lz4_packer(Packer::Output output);

}  // namespace warpmeter::inline base
