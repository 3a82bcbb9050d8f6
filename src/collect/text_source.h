// The lines of a file or of standard input, read in large pieces, each with its place for messages.
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

namespace warpmeter {

struct TextLine {
  std::string_view text;  // without its end ("\n" or "\r\n"); valid until the next line is asked for
  std::uint64_t offset = 0;
  std::uint64_t number = 0;  // from 1
  bool ended = false;        // false: the file stops in it, or it is longer than kLongest
};

class TextSource {
 public:
  static constexpr std::size_t kLongest = 1 << 20;

  // "-" is standard input. Once `interrupted` turns true, the lines end, be it that a pipe is still being waited for;
  // if that is before there was anything, with an Error of that status.
  explicit TextSource(const std::string& path, const std::atomic<bool>* interrupted = nullptr);
  ~TextSource();
  TextSource(const TextSource&) = delete;
  TextSource& operator=(const TextSource&) = delete;

  const std::string& name() const { return name_; }

  // The next `count` bytes (at most kLongest), fewer at the end; they stay to be read.
  std::string_view peek(std::size_t count);
  void skip(std::size_t count);  // REQUIRES: at most what was peeked at

  bool next(TextLine& line);

 private:
  bool fill();
  bool wait_for_bytes() const;
  std::size_t held() const { return fill_ - at_; }

  const std::string name_;
  const std::atomic<bool>* const interrupted_;
  int fd_ = -1;
  std::unique_ptr<char[]> buffer_;
  std::size_t at_ = 0, fill_ = 0;
  std::uint64_t offset_ = 0;  // of buffer_[at_] in the file
  std::uint64_t lines_ = 0;
  bool at_end_ = false;
  bool stopped_ = false;
};

}  // namespace warpmeter
