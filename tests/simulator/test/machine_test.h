// Settings as they were, and no reports, when a test is over.
#pragma once

#include <gtest/gtest.h>

#include "simulator/finding.h"
#include "simulator/settings.h"

namespace cuda_machine::test {

class MachineTest : public testing::Test {
 protected:
  MachineTest() : before_(settings()) {
    settings() = Settings{};
    forget_reports();
  }
  ~MachineTest() override {
    settings() = before_;
    forget_reports();
  }

 private:
  const Settings before_;
};

}  // namespace cuda_machine::test
