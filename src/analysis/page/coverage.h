// Which columns the meters that wrote the files knew: what nobody measured is not reported as zero.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "warpmeter/columns.h"

namespace warpmeter::inline analysis {

class Coverage {
 public:
  void add(const FlowRecord& record) {
    const bool tcp = record.key.protocol == kProtocolTcp;
    ++flows_;
    tcp_flows_ += tcp;
    for (std::uint32_t absent = record.absent; absent; absent &= absent - 1) {
      const auto column = static_cast<std::size_t>(std::countr_zero(absent));
      if (column < kColumns.size() && (tcp || !kColumns[column].tcp_only)) ++unknown_[column];
    }
  }

  // Flows that could have a value in the column, and those of them that do.
  std::uint64_t asked(std::string_view column) const {
    return kColumns[column_number(column)].tcp_only ? tcp_flows_ : flows_;
  }
  std::uint64_t known(std::string_view column) const { return asked(column) - unknown_[column_number(column)]; }

  bool measured(std::string_view column) const { return asked(column) == 0 || known(column) > 0; }

 private:
  std::uint64_t flows_ = 0;
  std::uint64_t tcp_flows_ = 0;
  std::array<std::uint64_t, kColumns.size()> unknown_{};
};

}  // namespace warpmeter::inline analysis
