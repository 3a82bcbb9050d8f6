// A run of `extract` as Python has it: its waits let other threads of Python go on, and end for a signal.
//
// Threads: any that holds the GIL; one at a time takes.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "shared_arrow.h"
#include "warpmeter/extraction.h"

namespace warpmeter::python {

class FlowRun {
 public:
  FlowRun(std::vector<std::string> inputs, const std::vector<std::pair<std::string, std::string>>& options);

  // Null at the end. Throws nb::python_error if a handler of a signal, called meanwhile, raised an exception.
  Shared<ArrowArray> next();
  // Until next() would return. Throws like it.
  void wait() const;
  bool ready() const;
  const Shared<ArrowSchema>& schema() const { return schema_; }

  // REQUIRES: next() has given null.
  std::string summary() const;
  std::vector<std::string> warnings() const;

  // Waits for its threads to end; a next() that waits in another thread meets an end. May be called again.
  void close();

 private:
  std::shared_ptr<Extraction> open() const;

  std::shared_ptr<Extraction> run_;  // null when closed
  Shared<ArrowSchema> schema_;
};

}  // namespace warpmeter::python
