// Command lines of the programs here: values are read exactly (times without floating point), mistakes end the program.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace reference {

class Arguments {
 public:
  Arguments(int count, char** values) : values_(values + 1, values + count) {}

  bool done() const { return at_ == values_.size(); }
  std::string next();  // exits with status 2 where nothing is left

  uint64_t next_number();
  int64_t next_nanoseconds();  // decimal seconds; an "s" or "ms" may follow; digits below 1 ns are cut

 private:
  std::vector<std::string> values_;
  size_t at_ = 0;
};

[[noreturn]] void usage_error(const std::string& message);

}  // namespace reference
