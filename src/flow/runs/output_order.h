// From the order in which the parts of flows came, (Flow Key, arrival), to that of the output, (Flow Key, start, end,
// arrival). Where time does not run back they are the same, but for a key at a time this has to be seen first. For
// biflows the same with the undirected key.
//
// Memory: the flows of one key, up to the limit of the options; beyond it they go to run files.
#pragma once

#include <memory>
#include <vector>

#include "flow/runs/cursors.h"
#include "flow/runs/run_store.h"

namespace warpmeter::inline flow {

class OutputOrder : public RecordCursor {
 public:
  // `flows`: whole Flow Records, those of a key together, each with its annotations behind it, where these stay.
  // `options`: the order, output_order or biflow_output_order, and what keys with very many flows need.
  OutputOrder(std::unique_ptr<RecordCursor> flows, RunStoreOptions options);
  void advance() override;

 private:
  void next_key();
  void sort_few();

  const std::unique_ptr<RecordCursor> flows_;
  RunStoreOptions options_;
  PartialChunk few_;  // the flows of the current key
  std::size_t at_ = 0;
  std::unique_ptr<PartialCursor> many_;  // the same, where they are many
};

}  // namespace warpmeter::inline flow
