// All connections of several spools, one after the other by their numbers.
//
// Threads: one.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "reassemble/stream_spool.h"

namespace warpmeter {

class SpooledOrder {
 public:
  // REQUIRES: these have been finished, and outlive it.
  explicit SpooledOrder(std::span<const std::unique_ptr<StreamSpool>> spools);

  // The fragments of the next connection, in place of those in `fragments`; false if there is none.
  bool next(std::vector<std::string_view>& fragments);

 private:
  struct Cursor {
    const StreamSpool* spool;
    std::span<const SpooledConnection> left;  // not empty
  };
  static bool is_later(const Cursor& a, const Cursor& b) { return a.left.front().number > b.left.front().number; }

  std::vector<Cursor> heap_;
};

}  // namespace warpmeter
