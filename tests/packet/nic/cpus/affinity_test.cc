// Lists of CPUs, what --affinity may say, and threads that have a CPU.
#include "packet/nic/cpus/affinity.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "support/scratch_folder.h"
#include "support/thrown_text.h"
#include "warpmeter/status.h"

namespace warpmeter::test {
namespace {

TEST(Affinity, Lists) {
  EXPECT_EQ(parse_cpu_list("0"), CpuList({0}));
  EXPECT_EQ(parse_cpu_list("4,0,2-5"), CpuList({4, 0, 2, 3, 5}));
  for (const char* text : {"", ",", "1,", "a", "1-", "-1", "3-2", "1 2", "99999", "0x1", "1--2"}) {
    EXPECT_FALSE(parse_cpu_list(text)) << text;
  }
  EXPECT_EQ(cpu_list_text({4, 0, 1, 2, 6, 7}), "4,0-2,6,7");
  EXPECT_EQ(cpu_list_text({}), "");
}

TEST(Affinity, WhatUsersMaySay) {
  const CpuList allowed = allowed_cpus();
  ASSERT_FALSE(allowed.empty());
  EXPECT_EQ(parse_affinity("off").of, Affinity::Of::off);
  EXPECT_EQ(parse_affinity("auto").of, Affinity::Of::automatic);
  EXPECT_EQ(parse_affinity(cpu_list_text(allowed)).list, allowed);
  EXPECT_EQ(thrown_text([] { parse_affinity("on"); }), "--affinity 'on': auto, off, or CPUs like 0,2-5");
  EXPECT_EQ(thrown_text([] { parse_affinity("1023"); }),
            "--affinity: CPU 1023 is not for this process; these are: " + cpu_list_text(allowed));
}

TEST(Affinity, ThreadsHaveTheirCpu) {
  const CpuList before = allowed_cpus();
  for (const unsigned cpu : before) {
    std::jthread([&] {
      ASSERT_TRUE(pin_this_thread(cpu));
      EXPECT_EQ(allowed_cpus(), CpuList({cpu}));
    });
    const PinnedForNow pinned(cpu);
    EXPECT_EQ(allowed_cpus(), CpuList({cpu}));
  }
  EXPECT_EQ(allowed_cpus(), before);
  { const PinnedForNow pinned(std::nullopt); }
  EXPECT_EQ(allowed_cpus(), before);
  EXPECT_FALSE(pin_this_thread(1023));
}

TEST(Affinity, CpusOfTheNodeOfTheCard) {
  const ScratchFolder scratch;
  const std::string sys = scratch.path();
  const CpuList allowed = allowed_cpus();
  const auto write = [&sys](const std::string& file, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(sys + file).parent_path());
    std::ofstream(sys + file) << text << '\n';
  };
  EXPECT_EQ(cpus_near("eth0", sys), allowed);
  write("/class/net/eth0/device/numa_node", "-1");
  EXPECT_FALSE(numa_node_of("eth0", sys));
  write("/class/net/eth0/device/numa_node", "3");
  EXPECT_EQ(numa_node_of("eth0", sys), 3u);
  EXPECT_EQ(cpus_near("eth0", sys), allowed);
  write("/devices/system/node/node3/cpulist", std::to_string(allowed.back()) + ",900-1000");
  EXPECT_EQ(cpus_near("eth0", sys), CpuList({allowed.back()}));
  write("/devices/system/node/node3/cpulist", "900-1000");  // none that this process may use
  EXPECT_EQ(cpus_near("eth0", sys), allowed);
  write("/class/net/virtual/numa_node", "3");
  std::filesystem::create_directories(sys + "/class/net/virtual/device");
  EXPECT_EQ(numa_node_of("virtual", sys), 3u);
}

TEST(CpuPlan, RingAndThreadAreOnOneCpu) {
  CpuPlan plan({Affinity::Of::list, {5, 7, 9}}, 4);  // threads 0 to 3: 5, 7, 9, 5
  EXPECT_EQ(plan.of_next("no such interface"), CpuList({5, 7, 9, 5}));
  plan.add("no such interface", 2);
  EXPECT_EQ(plan.of_next("another"), CpuList({9, 5, 5, 7}));
  plan.add("another", 3);
  EXPECT_EQ(cpu_of_ring(plan.of_next("another"), 0), 7u);  // ring 5 is thread 1's
  EXPECT_EQ(plan.of_thread(2), 9u);
  EXPECT_EQ(plan.of_thread(3), 5u);
}

TEST(CpuPlan, AutoSharesTheCpusOut) {
  const CpuList allowed = allowed_cpus();
  CpuPlan plan({Affinity::Of::automatic}, static_cast<unsigned>(allowed.size()));
  EXPECT_EQ(plan.of_next("no such interface"), allowed);
  plan.add("no such interface", 1);
  for (unsigned thread = 0; thread < allowed.size(); ++thread) EXPECT_EQ(plan.of_thread(thread), allowed[thread]);
  const CpuPlan off({}, 3);
  EXPECT_TRUE(off.of_next("no such interface").empty());
  EXPECT_FALSE(off.of_thread(0));
}

}  // namespace
}  // namespace warpmeter::test
