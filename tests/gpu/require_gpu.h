// Tests that need a GPU are skipped without one, unless WARPMETER_REQUIRE_GPU=1 says that there must be one.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

#include "core/device_meter.h"

namespace warpmeter::test {

class NeedsGpu : public testing::Test {
 protected:
  void SetUp() override {
    const GpuList list = list_gpus();
    if (!list.gpus.empty()) return;
    const char* required = std::getenv("WARPMETER_REQUIRE_GPU");
    if (required && std::strcmp(required, "1") == 0) {
      FAIL() << "WARPMETER_REQUIRE_GPU=1, but there is no GPU: " << list.error;
    }
    GTEST_SKIP() << "ctest -L gpu on a machine with a GPU runs this";
  }
};

}  // namespace warpmeter::test
