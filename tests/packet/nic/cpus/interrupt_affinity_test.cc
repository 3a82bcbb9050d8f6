// Interrupts of queues, in folders that look like sysfs and procfs: which are moved, and that they are put back.
#include "packet/nic/cpus/interrupt_affinity.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <optional>

#include "support/scratch_folder.h"
#include "support/thrown_text.h"
#include "warpmeter/status.h"

namespace warpmeter::test {
namespace {

TEST(QueueOfInterrupt, AsDriversCallThem) {
  const std::pair<const char*, std::optional<unsigned>> names[] = {{"eth0-TxRx-3", 3},
                                                                   {"i40e-eth0-TxRx-12", 12},
                                                                   {"eth0-rx-1", 1},
                                                                   {"eth0-Tx-Rx-7", 7},
                                                                   {"virtio2-input.0", 0},
                                                                   {"mlx5_comp5@pci:0000:01:00.0", 5},
                                                                   {"eth0-2", 2},
                                                                   {"eth0-tx-1", std::nullopt},
                                                                   {"virtio2-output.0", std::nullopt},
                                                                   {"virtio2-config", std::nullopt},
                                                                   {"mlx5_async0@pci:0000:01:00.0", std::nullopt},
                                                                   {"ena-mgmnt@pci:0000:00:05.0", std::nullopt},
                                                                   {"ice-eth0:misc", std::nullopt},
                                                                   {"eth0", std::nullopt},
                                                                   {"", std::nullopt},
                                                                   {"eth0-rx-99999999999", std::nullopt}};
  for (const auto& [name, queue] : names) EXPECT_EQ(queue_of_interrupt(name), queue) << name;
}

class InterruptAffinityTest : public testing::Test {
 protected:
  void SetUp() override {
    add(40, "eth0", "0-7");
    add(43, "eth0-TxRx-2", "0-7");
    add(41, "eth0-TxRx-0", "5");
    add(42, "eth0-TxRx-1", "0-7");
  }

  void add(unsigned number, const std::string& name, const std::string& cpus) {
    const std::string text = std::to_string(number);
    std::filesystem::create_directories(sys() + "/class/net/eth0/device/msi_irqs");
    std::ofstream(sys() + "/class/net/eth0/device/msi_irqs/" + text) << "msix\n";
    std::filesystem::create_directories(proc() + "/irq/" + text + "/" + name);
    std::ofstream(file_of(number)) << cpus << '\n';
  }

  std::string sys() const { return scratch_.path() + std::string("/sys"); }
  std::string proc() const { return scratch_.path() + std::string("/proc"); }
  std::string file_of(unsigned number) const {
    return proc() + "/irq/" + std::to_string(number) + "/smp_affinity_list";
  }
  std::string cpus_of(unsigned number) const {
    std::string text;
    std::ifstream(file_of(number)) >> text;
    return text;
  }

  ScratchFolder scratch_;
};

TEST_F(InterruptAffinityTest, GoesToTheCpuOfTheRingAndBack) {
  {
    const InterruptAffinity moved("eth0", {5, 6}, sys(), proc());
    EXPECT_EQ(moved.changes(), std::vector<std::string>({"interrupt 42 (eth0-TxRx-1): CPU 6, was 0-7",
                                                         "interrupt 43 (eth0-TxRx-2): CPU 5, was 0-7"}));
    EXPECT_EQ(cpus_of(40), "0-7");
    EXPECT_EQ(cpus_of(41), "5");
    EXPECT_EQ(cpus_of(42), "6");
    EXPECT_EQ(cpus_of(43), "5");
  }
  for (const unsigned number : {40u, 42u, 43u}) EXPECT_EQ(cpus_of(number), "0-7");
}

TEST_F(InterruptAffinityTest, AllOrNone) {
  std::filesystem::remove(file_of(43));
  std::filesystem::create_directory(file_of(43));  // nobody can write that
  EXPECT_NE(thrown_text([&] {
              InterruptAffinity("eth0", {5, 6}, sys(), proc());
            }).find("eth0: --set-irq-affinity: interrupt 43 (eth0-TxRx-2) cannot be moved to CPU 5: "),
            std::string::npos);
  EXPECT_EQ(cpus_of(42), "0-7");
}

TEST_F(InterruptAffinityTest, WhatCannotBePutBackIsTold) {
  InterruptAffinity moved("eth0", {5, 6}, sys(), proc());
  std::filesystem::remove_all(proc() + "/irq/42");
  const std::vector<std::string> stay = moved.put_back();
  ASSERT_EQ(stay.size(), 1u);
  EXPECT_EQ(stay[0].rfind("interrupt 42 (eth0-TxRx-1) cannot be put back to CPU 0-7: ", 0), 0u) << stay[0];
  EXPECT_EQ(cpus_of(43), "0-7");
}

TEST_F(InterruptAffinityTest, NoCard) {
  EXPECT_EQ(thrown_text([&] {
              InterruptAffinity("veth1", {5, 6}, sys(), proc());
            }),
            "veth1: --set-irq-affinity: no interrupts of its queues are known (it is no card, or shares one)");
}

}  // namespace
}  // namespace warpmeter::test
