// An Arrow stream that a program gives in place of files, on its way to the thread that reads it.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "record/arrow/arrow_reader.h"

namespace warpmeter {

// To be copied, as functions are that threads run; it can be opened once.
class ArrowInput {
 public:
  // Takes it over.
  ArrowInput(ArrowArrayStream& flows, std::string name)
      : given_(std::make_shared<Given>(std::exchange(flows, {}))), name_(std::move(name)) {}

  const std::string& name() const { return name_; }
  // Throws Error: see ArrowReader.
  std::unique_ptr<RecordReader> open() const { return std::make_unique<ArrowReader>(given_->stream, name_); }

 private:
  struct Given {
    explicit Given(ArrowArrayStream taken) : stream(taken) {}
    ~Given() {
      if (stream.release) stream.release(&stream);
    }
    Given(const Given&) = delete;
    Given& operator=(const Given&) = delete;
    ArrowArrayStream stream;
  };

  std::shared_ptr<Given> given_;
  std::string name_;
};

}  // namespace warpmeter
