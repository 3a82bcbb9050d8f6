// Flow Records as the program that takes them gets them.
#pragma once

#include <memory>
#include <vector>

#include "warpmeter/arrow_c_data.h"
#include "warpmeter/biflow.h"

namespace warpmeter {

struct ReleaseArray {
  void operator()(ArrowArray* array) const {
    if (array->release) array->release(array);
    delete array;
  }
};

// One of both.
struct TakenRecords {
  std::vector<Biflow> flows;
  std::unique_ptr<ArrowArray, ReleaseArray> array;
};

}  // namespace warpmeter
