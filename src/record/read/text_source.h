// The lines of a file, of standard input or of whatever else gives bytes, read in large pieces, each with its place for
// messages.
//
// One thread. Memory: a buffer, which also limits how long a line may be. Errors of reading are Errors that name the
// file.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/files/descriptor.h"

namespace warpmeter::inline record {

inline constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";  // of UTF-8; it may stand before text

struct TextLine {
  std::string_view text;  // without its end ("\n" or "\r\n"); valid until the next line is asked for
  std::uint64_t offset = 0;
  std::uint64_t number = 0;  // from 1
  bool ended = false;        // false: the file stops in it, or it is longer than kLongest
};

// Text that lies in no file as it is: it is unpacked, say.
class TextBytes {
 public:
  virtual ~TextBytes() = default;
  virtual std::size_t read(char* to, std::size_t most) = 0;  // 0 at the end; throws Error
  virtual std::string broken() const = 0;  // why the bytes ended before their time; empty if they did not
};

class TextSource {
 public:
  static constexpr std::size_t kLongest = 1 << 20;

  // "-" is standard input. Once `interrupted` turns true, the lines end, be it that a pipe is still being waited for;
  // if that is before there was anything, with an Error of that status.
  explicit TextSource(const std::string& path, const std::atomic<bool>* interrupted = nullptr);
  TextSource(std::string name, std::unique_ptr<TextBytes> bytes, const std::atomic<bool>* interrupted);
  TextSource(const TextSource&) = delete;
  TextSource& operator=(const TextSource&) = delete;

  const std::string& name() const { return name_; }
  std::uint64_t offset() const { return offset_; }  // of what comes next

  // At least the next `least` bytes, at most `most` of those that are there (kLongest is the most); fewer at the end.
  // They stay to be read.
  std::string_view peek(std::size_t least, std::size_t most);
  void skip(std::size_t count);  // REQUIRES: at most what was peeked at

  bool next(TextLine& line);

  // Why the lines ended before their time; empty if they did not.
  std::string broken() const;

  // Nobody wants the rest: who waits for it in another thread stops soon, at an end.
  void abandon() { abandoned_ = true; }

 private:
  bool fill();
  bool wait_for_bytes() const;
  bool stop_asked() const { return abandoned_ || (interrupted_ && *interrupted_); }
  std::size_t read_some(char* to, std::size_t most);
  std::size_t held() const { return fill_ - at_; }

  const std::string name_;
  const std::atomic<bool>* const interrupted_;
  const std::unique_ptr<TextBytes> bytes_;  // null: from file_
  std::atomic<bool> abandoned_ = false;
  Descriptor file_;
  std::unique_ptr<char[]> buffer_;
  std::size_t at_ = 0, fill_ = 0;
  std::uint64_t offset_ = 0;  // of buffer_[at_] in the file
  std::uint64_t lines_ = 0;
  bool at_end_ = false;
  bool stopped_ = false;
};

// Compressed text (gzip, zstd, lz4), unpacked by what unpacks captures (packet/file): what `text` unpacks to, on a
// thread of its own, and in `packing` the name of the compression; `text` itself and an empty name if it is not
// compressed. Throws Error where this build cannot unpack it.
std::unique_ptr<TextSource> unpacked_text(std::unique_ptr<TextSource> text, const std::atomic<bool>* interrupted,
                                          std::string& packing);

}  // namespace warpmeter::inline record
