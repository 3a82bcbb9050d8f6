// Flow Records, or rows made of them, that Python keeps, and what is asked of them where no package for Arrow is
// installed: names and types of columns, some of the rows or columns, values. Nothing is copied but values.
//
// Threads: any that holds the GIL.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "shared_arrow.h"

namespace warpmeter::python {

// Some Flow Records.
struct Batch {
  Shared<ArrowSchema> schema;
  Shared<ArrowArray> array;
};

class KeptRows {
 public:
  KeptRows(Shared<ArrowSchema> schema, std::vector<Shared<ArrowArray>> arrays)
      : schema_(std::move(schema)), arrays_(std::move(arrays)) {}

  std::int64_t rows() const;
  // Their names, and their types as pyarrow spells them.
  std::vector<std::pair<std::string, std::string>> columns() const;
  std::vector<Batch> batches() const;

  // Of those from `first` on, so many, or as many as there are. REQUIRES: neither is below 0.
  KeptRows slice(std::int64_t first, std::int64_t count) const;
  // REQUIRES: each of `columns` is there once, and is the place of one.
  KeptRows select(const std::vector<std::size_t>& columns) const;
  // None where there is none; times as whole numbers. REQUIRES: there is such a column.
  nanobind::list values(std::size_t column) const;

  // The column alone, without the struct around it. REQUIRES: as values().
  KeptRows column(std::size_t column) const;

  const Shared<ArrowSchema>& schema() const { return schema_; }
  const std::vector<Shared<ArrowArray>>& arrays() const { return arrays_; }

 private:
  Shared<ArrowSchema> schema_;
  std::vector<Shared<ArrowArray>> arrays_;
};

}  // namespace warpmeter::python
