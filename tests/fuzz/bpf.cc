// Capture filters as the kernel runs them, against libpcap's machine. Input: how (1 byte), and the filter:
//
//   bits 0, 1   the frame has no VLAN tag beside it; this one has; the kernel says that it has none; that it has this
//   one bit 2       the frame is one of a kind (2 bytes say which), or what is left of the input bit 3       the filter
//   is an expression: the number of words (1 byte), and which each is; or steps of the classic
//               machine: their number (1 byte), then of each operation, jumps and value (4 bytes)
//
// Both must say the same of the frame with its tag in it, the translated one counts what it refuses, and does nothing
// that the kernel would not let it do (support/ebpf_machine.h).
#include <linux/filter.h>

#include <algorithm>

#include "fuzz/input_bytes.h"
#include "packet/decode/packet_filter.h"
#include "packet/nic/bpf/kernel_filter.h"
#include "support/ebpf_machine.h"
#include "support/filter_cases.h"
#include "warpmeter/link_type.h"
#include "warpmeter/status.h"

namespace warpmeter::fuzz {
namespace {

constexpr std::uint32_t kMemory = 3;  // words that steps use, which are written first
constexpr std::uint32_t kFar = 1 << 30;
constexpr std::size_t kLeastFrame = 14, kTagAt = 12;
constexpr std::uint16_t kCodes[] = {BPF_LD | BPF_W | BPF_ABS,
                                    BPF_LD | BPF_H | BPF_ABS,
                                    BPF_LD | BPF_B | BPF_ABS,
                                    BPF_LD | BPF_W | BPF_IND,
                                    BPF_LD | BPF_H | BPF_IND,
                                    BPF_LD | BPF_B | BPF_IND,
                                    BPF_LDX | BPF_B | BPF_MSH,
                                    BPF_LD | BPF_IMM,
                                    BPF_LDX | BPF_IMM,
                                    BPF_LD | BPF_W | BPF_LEN,
                                    BPF_LDX | BPF_W | BPF_LEN,
                                    BPF_LD | BPF_MEM,
                                    BPF_LDX | BPF_MEM,
                                    BPF_ST,
                                    BPF_STX,
                                    BPF_MISC | BPF_TAX,
                                    BPF_MISC | BPF_TXA,
                                    BPF_ALU | BPF_ADD | BPF_K,
                                    BPF_ALU | BPF_ADD | BPF_X,
                                    BPF_ALU | BPF_SUB | BPF_K,
                                    BPF_ALU | BPF_SUB | BPF_X,
                                    BPF_ALU | BPF_MUL | BPF_K,
                                    BPF_ALU | BPF_MUL | BPF_X,
                                    BPF_ALU | BPF_DIV | BPF_K,
                                    BPF_ALU | BPF_DIV | BPF_X,
                                    BPF_ALU | BPF_MOD | BPF_K,
                                    BPF_ALU | BPF_MOD | BPF_X,
                                    BPF_ALU | BPF_AND | BPF_K,
                                    BPF_ALU | BPF_AND | BPF_X,
                                    BPF_ALU | BPF_OR | BPF_K,
                                    BPF_ALU | BPF_OR | BPF_X,
                                    BPF_ALU | BPF_XOR | BPF_K,
                                    BPF_ALU | BPF_XOR | BPF_X,
                                    BPF_ALU | BPF_LSH | BPF_K,
                                    BPF_ALU | BPF_LSH | BPF_X,
                                    BPF_ALU | BPF_RSH | BPF_K,
                                    BPF_ALU | BPF_RSH | BPF_X,
                                    BPF_ALU | BPF_NEG,
                                    BPF_JMP | BPF_JA,
                                    BPF_JMP | BPF_JEQ | BPF_K,
                                    BPF_JMP | BPF_JEQ | BPF_X,
                                    BPF_JMP | BPF_JGT | BPF_K,
                                    BPF_JMP | BPF_JGT | BPF_X,
                                    BPF_JMP | BPF_JGE | BPF_K,
                                    BPF_JMP | BPF_JGE | BPF_X,
                                    BPF_JMP | BPF_JSET | BPF_K,
                                    BPF_JMP | BPF_JSET | BPF_X,
                                    BPF_RET | BPF_K,
                                    BPF_RET | BPF_A};

std::uint32_t value_of(std::uint8_t byte) {
  static constexpr std::uint32_t kOdd[] = {0xffffffff, 0x7fffffff, 0x80000000, 0xfffffff0, 0x3fffffff, 0x40000000,
                                           0x10000,    0xffff,     0x81000000, 0x0800,     0x86dd,     0x1fff};
  return byte < 0xf0 ? byte : kOdd[byte % std::size(kOdd)];
}

// One that has a meaning, and ends within so many more.
FilterStep step_of(InputBytes& in, std::size_t left) {
  FilterStep step{kCodes[in.u8() % std::size(kCodes)], in.u8(), in.u8(), value_of(in.u8())};
  const int operation = BPF_OP(step.code);
  switch (BPF_CLASS(step.code)) {
    case BPF_ST:
    case BPF_STX: step.value %= kMemory; break;
    case BPF_LD:
    case BPF_LDX:
      if (BPF_MODE(step.code) == BPF_MEM) step.value %= kMemory;
      break;
    case BPF_ALU:
      if (operation == BPF_LSH || operation == BPF_RSH) step.value %= 32;
      if (operation == BPF_DIV || operation == BPF_MOD) step.value |= 1;
      break;
    case BPF_JMP:
      step.if_true = static_cast<std::uint8_t>(step.if_true % left);
      step.if_false = static_cast<std::uint8_t>(step.if_false % left);
      if (operation == BPF_JA) step.value = step.if_true;
      break;
    default: break;
  }
  return step;
}

FilterProgram steps_of(InputBytes& in) {
  constexpr std::size_t kMost = 60;
  FilterProgram program;
  for (std::uint32_t word = 0; word < kMemory; ++word) program.push_back({BPF_ST, 0, 0, word});
  for (std::size_t left = 1 + in.u8() % kMost; left > 0; --left) program.push_back(step_of(in, left));
  program.push_back({BPF_RET | BPF_A, 0, 0, 0});
  return program;
}

// Cases, and what joins them.
std::string expression_of(InputBytes& in) {
  static constexpr std::string_view kJoins[] = {" and ", " or ", " and not ", " or not "};
  const auto& cases = test::filter_cases();
  std::string text;
  for (std::size_t words = 1 + in.u8() % 8; words > 0; --words) {
    const std::uint8_t which = in.u8();
    if (!text.empty()) text = "(" + text + ")" + std::string(kJoins[which >> 6]);
    text += "(" + cases[(which & 63) % cases.size()] + ")";
  }
  return text;
}

bool may_be_untranslated(const FilterProgram& program) {
  return std::ranges::any_of(program, [](const FilterStep& s) {
    const bool loads = BPF_CLASS(s.code) == BPF_LD || BPF_CLASS(s.code) == BPF_LDX;
    const bool from_frame = BPF_MODE(s.code) == BPF_ABS || BPF_MODE(s.code) == BPF_IND || BPF_MODE(s.code) == BPF_MSH;
    return loads && from_frame && s.value >= kFar;
  });
}

test::Bytes frame_of(InputBytes& in, bool of_a_kind) {
  test::Bytes frame;
  if (of_a_kind) {
    std::mt19937 random(in.u16());
    frame = test::random_frame(random);
  } else {
    const std::string rest = in.rest();
    frame.assign(rest.begin(), rest.end());
  }
  frame.resize(std::max(frame.size(), kLeastFrame));
  return frame;
}

void compare(const FilterProgram& program, std::uint8_t how, std::uint32_t tag, const test::Bytes& frame) {
  using Of = TagBeside::Of;
  static constexpr Of kOf[] = {Of::none, Of::all, Of::as_the_kernel_says, Of::as_the_kernel_says};
  const bool is_beside = how & 1;
  const auto translated = translate_filter(program, {kOf[how & 3], tag}, 1);
  must(translated || may_be_untranslated(program));
  if (!translated) return;
  test::Bytes whole = frame;
  const test::Bytes bytes = test::ByteWriter().u32(tag).data();
  if (is_beside) whole.insert(whole.begin() + kTagAt, bytes.begin(), bytes.end());
  const bool expected = test::run_steps(program, whole);
  const bool told = (how & 3) == 3;
  test::EbpfMachine machine(translated->instructions(), frame, told ? std::optional(tag) : std::nullopt);
  const std::optional<std::uint32_t> got = machine.run();
  must(got.has_value() && (*got != 0) == expected);
  must(machine.refused() == !expected);
}

}  // namespace
}  // namespace warpmeter::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warpmeter;
  fuzz::InputBytes in(data, size);
  const std::uint8_t how = in.u8();
  const std::uint32_t tag = (how & 0x10 ? 0x88a80000u : 0x81000000u) | in.u16();
  FilterProgram program;
  if (how & 8) {
    try {
      program = PacketFilter(fuzz::expression_of(in)).program(kLinkEthernet);
    } catch (const Error&) {  // nothing matches it, or it is no filter
    }
    if (program.empty()) return 0;
  } else {
    program = fuzz::steps_of(in);
  }
  fuzz::compare(program, how, tag, fuzz::frame_of(in, how & 4));
  return 0;
}
