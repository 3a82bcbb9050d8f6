// The machine that runs translated filters for tests (support/ebpf_machine.h): it says what the kernel says, and runs
// nothing that the kernel would refuse.
#include "support/ebpf_machine.h"

#include <gtest/gtest.h>

#include <random>
#include <system_error>

#include "packet/nic/bpf/bpf_maps.h"
#include "packet/nic/bpf/bpf_object.h"
#include "packet/nic/bpf/kernel_filter.h"
#include "support/filter_cases.h"

namespace warpmeter::test {
namespace {

using R = BpfRegister;

// A filter in both, on random frames. Throws std::system_error without the right to load programs into the kernel.
void compare_with_kernel(const FilterProgram& filter, std::mt19937& random, std::size_t& matched) {
  constexpr std::size_t kNotShown = 14;  // by the kernel, to the filter of a socket
  const BpfCounter counter = BpfCounter::of_cpus("test");
  const std::uint32_t tag = random() % 2 ? 0x8100a5c3 : 0;
  const auto program = translate_filter(filter, {tag ? TagBeside::Of::all : TagBeside::Of::none, tag}, counter.fd());
  ASSERT_TRUE(program);
  const Descriptor loaded = load_socket_program("test", *program);
  for (int i = 0; i < 10; ++i) {
    const Bytes frame = random_frame(random);
    Bytes shown(kNotShown);
    shown.insert(shown.end(), frame.begin(), frame.end());
    const std::uint64_t refused = counter.sum();
    const std::uint32_t said = run_once(loaded.get(), {shown.data(), static_cast<std::uint32_t>(shown.size())});
    EbpfMachine machine(program->instructions(), frame);
    ASSERT_EQ(machine.run(), std::optional(said)) << (&filter - step_cases().data());
    ASSERT_EQ(machine.refused(), counter.sum() - refused);
    matched += said != 0;
  }
}

TEST(EbpfMachine, SaysWhatTheKernelSays) {
  std::mt19937 random(24);
  std::size_t matched = 0;
  const std::size_t all = 10 * step_cases().size();
  try {
    for (const FilterProgram& filter : step_cases()) {
      compare_with_kernel(filter, random, matched);
      if (HasFatalFailure()) return;
    }
  } catch (const std::system_error& error) {
    GTEST_SKIP() << "the right to load programs into the kernel (root has it) runs this: " << error.what();
  }
  EXPECT_GT(matched, all / 10);
  EXPECT_LT(matched, all - all / 10);
}

std::optional<std::uint32_t> result_of(const BpfCode& code) {
  const Bytes frame = {1, 2, 3, 4, 5};
  return EbpfMachine(code.instructions(), frame).run();
}

TEST(EbpfMachine, LoadsInTheOrderOfTheWireAndEndsBehindTheFrame) {
  for (const auto& [place, said] : {std::pair{0u, 0x01020304u}, {1u, 0x02030405u}, {2u, 0u}}) {
    BpfCode code;
    code.move(R::kept1, R::argument1);
    code.load_from_frame(BpfSize::word, place);
    code.exit();
    EXPECT_EQ(result_of(code), said);
  }
}

TEST(EbpfMachine, KnowsTheTagBesideAFrame) {
  BpfCode code;
  code.load32(R::result, R::argument1, offsetof(__sk_buff, vlan_proto));
  code.swap_to_big_endian16(R::result);
  code.exit();
  const Bytes frame(20);
  EXPECT_EQ(EbpfMachine(code.instructions(), frame, 0x88a80005).run(), 0x88a8u);
  EXPECT_EQ(EbpfMachine(code.instructions(), frame).run(), 0u);
}

// Each of these the kernel refuses to load.
TEST(EbpfMachine, RunsNoProgramThatReadsWhatWasNotWritten) {
  BpfCode no_result;
  no_result.exit();
  BpfCode no_register;
  no_register.move(R::result, R::kept2);
  no_register.exit();
  BpfCode no_stack;
  no_stack.load32(R::result, R::stack, -8);
  no_stack.exit();
  BpfCode half_written;
  half_written.store32(R::stack, -8, 1);
  half_written.load64(R::result, R::stack, -8);
  half_written.exit();
  BpfCode lost_by_a_call;
  lost_by_a_call.set32(R::argument2, 1);
  lost_by_a_call.call(BpfHelper::get_smp_processor_id);
  lost_by_a_call.move(R::result, R::argument2);
  lost_by_a_call.exit();
  BpfCode lost_by_a_load;
  lost_by_a_load.move(R::kept1, R::argument1);
  lost_by_a_load.load_from_frame(BpfSize::byte, 0);
  lost_by_a_load.move(R::result, R::argument1);
  lost_by_a_load.exit();
  for (const BpfCode* code : {&no_result, &no_register, &no_stack, &half_written, &lost_by_a_call, &lost_by_a_load}) {
    EXPECT_FALSE(result_of(*code));
  }
}

TEST(EbpfMachine, RunsNoProgramThatLeavesItsMemory) {
  BpfCode below;
  below.store32(R::stack, -516, 1);
  below.set32(R::result, 0);
  below.exit();
  BpfCode above;
  above.store32(R::stack, 0, 1);
  above.set32(R::result, 0);
  above.exit();
  BpfCode context;
  context.store32(R::argument1, 0, 1);
  context.set32(R::result, 0);
  context.exit();
  BpfCode negative;
  negative.move(R::kept1, R::argument1);
  negative.load_from_frame(BpfSize::byte, 0xfffff000);
  negative.exit();
  BpfCode endless;
  endless.set32(R::result, 0);
  for (const BpfCode* code : {&below, &above, &context, &negative, &endless}) EXPECT_FALSE(result_of(*code));
}

}  // namespace
}  // namespace warpmeter::test
