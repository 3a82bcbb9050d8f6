// Rows of `show` that are no whole Flow Records, as Arrow arrays for the program that takes them.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "app/library/record_queue.h"
#include "command/show/row_output.h"
#include "record/arrow/arrow_rows.h"

namespace warpmeter {

class RowTaker : public RowOutput {
 public:
  // `know` gets the columns once they are known. `queue` must outlive it.
  RowTaker(RecordQueue& queue, std::function<void(std::vector<ArrowField>)> know)
      : queue_(queue), know_(std::move(know)) {}

  void begin(const std::vector<RowColumn>& columns) override;
  void write(const std::vector<RowValue>& row) override;
  void end() override;

 private:
  static constexpr std::size_t kEnough = 1 << 20;  // whoever takes many small ones is slow
  void push();

  RecordQueue& queue_;
  const std::function<void(std::vector<ArrowField>)> know_;
  std::optional<ArrowRows> rows_;
};

}  // namespace warpmeter
