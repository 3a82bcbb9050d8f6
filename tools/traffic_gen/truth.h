// The answer sheet. Adds up what frames were planned to count as when they are written, and tells it: totals as JSON,
// one row per connection and direction as CSV (columns named and ordered like the meter's, as far as planted; rows in
// the order in which the connections ended).
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

#include "connection.h"
#include "generator_options.h"

namespace traffic_gen {

// A frame was written: adds it to its direction.
void account(Direction& direction, const Tuple& tuple, const Planned& planned, uint32_t ip_length, uint64_t time);
void account_copy(Direction& direction, uint32_t ip_length, uint64_t time);

class Truth {
 public:
  explicit Truth(const Options& options);  // opens its files; failed() tells

  void count(Kind kind) { kinds_[static_cast<size_t>(kind)]++; }
  void count(Trait trait, uint64_t times = 1) { traits_[static_cast<size_t>(trait)] += times; }

  // The connection ended, or the capture did.
  void add(const Connection& connection);

  // Last call. complete: all frames counted surely reached the output.
  void finish(uint64_t frames, bool complete);

  bool failed() const { return !error_.empty(); }
  const std::string& error() const { return error_; }

 private:
  using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

  File open(const std::string& path);
  void close(File& file, const std::string& path);
  void row(const Connection& connection, Side side, const Counters& counts);
  std::string json(uint64_t frames, bool complete) const;

  const Options& options_;
  std::string error_;
  File totals_file_, flows_file_;
  Counters totals_{};
  uint64_t flows_ = 0;
  uint64_t kinds_[static_cast<size_t>(Kind::kCount)] = {};
  uint64_t traits_[static_cast<size_t>(Trait::kCount)] = {};
};

}  // namespace traffic_gen
