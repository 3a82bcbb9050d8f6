// A ByteSink as Arrow writes to it. What the sink throws is kept and comes out of rethrow(), since Arrow knows no more
// than that writing failed. After that, and after abandon(), nothing reaches the sink any more: Arrow's destructors
// would write the end of a file that nobody wants.
#pragma once

#include <arrow/io/interfaces.h>
#include <arrow/result.h>
#include <arrow/status.h>

#include <exception>

#include "core/byte_sink.h"

namespace warpmeter::inline record {

class SinkStream : public arrow::io::OutputStream {
 public:
  explicit SinkStream(ByteSink& sink) : sink_(sink) {}

  using arrow::io::OutputStream::Write;
  arrow::Status Write(const void* bytes, std::int64_t count) override {
    if (abandoned_) return arrow::Status::IOError("given up");
    try {
      sink_.write(bytes, static_cast<std::size_t>(count));
    } catch (...) {
      error_ = std::current_exception();
      abandon();
      return arrow::Status::IOError("the output cannot be written");
    }
    written_ += count;
    return arrow::Status::OK();
  }
  arrow::Result<std::int64_t> Tell() const override { return written_; }
  arrow::Status Close() override {
    closed_ = true;
    return arrow::Status::OK();
  }
  bool closed() const override { return closed_; }

  void abandon() { abandoned_ = true; }
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  ByteSink& sink_;
  std::int64_t written_ = 0;
  std::exception_ptr error_;
  bool abandoned_ = false;
  bool closed_ = false;
};

}  // namespace warpmeter::inline record
