// Where the capture goes: a file or standard output, through one large buffer. A failed write is remembered, later
// writes do nothing; the caller asks state() now and then and at the end. A pipe whose reader left is not a failure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace traffic_gen {

class Output {
 public:
  enum class State { kGood, kReaderGone, kFailed };

  explicit Output(const std::string& path);  // "-": standard output
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  // Room for kLargestFrame bytes; valid until the next call. commit() says how many of them were used.
  uint8_t* room() {
    if (used_ > buffer_.size() - kLargestFrame) flush();
    return buffer_.data() + used_;
  }
  void commit(size_t bytes) { used_ += bytes; }

  void flush();
  void close();
  State state() const { return state_; }
  const std::string& error() const { return error_; }  // why kFailed

  static constexpr size_t kLargestFrame = 16 << 10;

 private:
  void fail();

  std::vector<uint8_t> buffer_;
  size_t used_ = 0;
  std::string path_;
  int file_;
  State state_ = State::kGood;
  std::string error_;
};

}  // namespace traffic_gen
