#include "packet/nic/bpf/kernel_filter.h"

#include <linux/filter.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstddef>
#include <system_error>
#include <vector>

#include "packet/nic/bpf/bpf_object.h"
#include "packet/nic/bpf/filter_loads.h"
#include "warpmeter/link_type.h"

namespace warpmeter::inline packet {
namespace {

using R = BpfRegister;

constexpr std::size_t kMostSteps = 4096;  // of a filter, for the kernel too
constexpr std::uint32_t kMemoryWords = 16, kBits = 32;
constexpr std::uint32_t kWhole = 0xffffffff;

BpfSize size_of(const FilterStep& s) { return static_cast<BpfSize>(BPF_SIZE(s.code)); }

// One form of the filter. What cannot be translated leaves `possible` false.
class FilterBody {
 public:
  FilterBody(BpfCode& code, const FilterProgram& filter, bool tag_beside, BpfCode::Label refuse)
      : code_(code), filter_(filter), loads_(code, tag_beside, refuse), refuse_(refuse), labels_(filter.size() + 1) {
    std::ranges::generate(labels_, [&code] { return code.label(); });
  }

  // Steps that are never reached are left out: the kernel takes no program with such.
  bool write() {
    std::vector<bool> reached(filter_.size() + 1);
    if (!reached.empty()) reached[0] = true;
    for (at_ = 0; at_ < filter_.size() && possible_; ++at_) {
      if (!reached[at_]) continue;
      code_.place(labels_[at_]);
      const FilterStep& step = filter_[at_];
      write(step);
      for (const std::size_t next : after(step)) {
        if (next >= filter_.size()) return false;
        reached[next] = true;
      }
    }
    return possible_ && loads_.possible();
  }

 private:
  std::vector<std::size_t> after(const FilterStep& s) const {
    if (BPF_CLASS(s.code) == BPF_RET) return {};
    if (BPF_CLASS(s.code) != BPF_JMP) return {at_ + 1};
    if (BPF_OP(s.code) == BPF_JA) return {at_ + 1 + s.value};
    return {at_ + 1 + s.if_true, at_ + 1 + s.if_false};
  }

  BpfCode::Label step_behind(std::size_t distance) { return labels_[std::min(at_ + 1 + distance, filter_.size())]; }

  void write(const FilterStep& s) {
    switch (BPF_CLASS(s.code)) {
      case BPF_LD:
      case BPF_LDX: return load(s);
      case BPF_ST: return store(s, kFilterA);
      case BPF_STX: return store(s, kFilterX);
      case BPF_ALU: return compute(s);
      case BPF_JMP: return jump(s);
      case BPF_RET: return end(s);
      default: break;
    }
    if (s.code == (BPF_MISC | BPF_TAX)) return code_.move32(kFilterX, kFilterA);
    if (s.code == (BPF_MISC | BPF_TXA)) return code_.move32(kFilterA, kFilterX);
    possible_ = false;
  }

  void load(const FilterStep& s) {
    const R to = BPF_CLASS(s.code) == BPF_LD ? kFilterA : kFilterX;
    switch (BPF_MODE(s.code)) {
      case BPF_IMM: return code_.set32(to, s.value);
      case BPF_LEN: return code_.move32(to, kFilterLength);
      case BPF_MEM: possible_ &= s.value < kMemoryWords; return code_.load32(to, R::stack, filter_memory(s.value));
      case BPF_ABS: return loads_.load_at(s.value, size_of(s));
      case BPF_IND: return loads_.load_behind_x(s.value, size_of(s));
      case BPF_MSH: return loads_.load_ip_header_length(s.value);
      default: possible_ = false;
    }
  }

  void store(const FilterStep& s, R from) {
    possible_ &= s.value < kMemoryWords;
    code_.store32(R::stack, filter_memory(s.value), from);
  }

  void compute(const FilterStep& s) {
    const auto operation = static_cast<BpfOperation>(BPF_OP(s.code));
    using enum BpfOperation;
    const bool shifts = operation == shift_left || operation == shift_right;
    const bool divides = operation == divide || operation == modulo;
    if (operation == negate) return code_.compute32(operation, kFilterA, 0u);
    possible_ &= operation <= bit_xor;
    if (BPF_SRC(s.code) == BPF_K) {
      possible_ &= !(shifts && s.value >= kBits) && !(divides && s.value == 0);
      return code_.compute32(operation, kFilterA, s.value);
    }
    if (divides) code_.jump_if32(kFilterX, BpfIs::equal, 0, refuse_);
    if (!shifts) return code_.compute32(operation, kFilterA, kFilterX);
    // Nothing is left of what is shifted out; the machine would shift by the lower five bits.
    const auto far = code_.label(), done = code_.label();
    code_.jump_if32(kFilterX, BpfIs::at_least, kBits, far);
    code_.compute32(operation, kFilterA, kFilterX);
    code_.jump(done);
    code_.place(far);
    code_.set32(kFilterA, 0);
    code_.place(done);
  }

  void jump(const FilterStep& s) {
    if (BPF_OP(s.code) == BPF_JA) return code_.jump(step_behind(s.value));
    const auto is = static_cast<BpfIs>(BPF_OP(s.code));
    possible_ &= is <= BpfIs::sharing_bits_with;
    if (s.if_true == s.if_false) return code_.jump(step_behind(s.if_true));
    if (BPF_SRC(s.code) == BPF_K) {
      code_.jump_if32(kFilterA, is, s.value, step_behind(s.if_true));
    } else {
      code_.jump_if32(kFilterA, is, kFilterX, step_behind(s.if_true));
    }
    if (s.if_false) code_.jump(step_behind(s.if_false));
  }

  void end(const FilterStep& s) {
    if (BPF_RVAL(s.code) == BPF_A) {
      code_.jump_if32(kFilterA, BpfIs::equal, 0, refuse_);
    } else if (s.value == 0) {
      return code_.jump(refuse_);
    }
    code_.set32(R::result, kWhole);
    code_.exit();
  }

  BpfCode& code_;
  const FilterProgram& filter_;
  FilterLoads loads_;
  const BpfCode::Label refuse_;
  std::vector<BpfCode::Label> labels_;  // of the steps
  std::size_t at_ = 0;
  bool possible_ = true;
};

// The result is where the map has what it holds of this number; where it has none, it goes on at `none`. Arguments are
// lost.
void look_up(BpfCode& code, int map, R number, BpfCode::Label none) {
  code.store32(R::stack, kFilterScratch, number);
  code.move(R::argument2, R::stack);
  code.add(R::argument2, kFilterScratch);
  code.load_map(R::argument1, map);
  code.call(BpfHelper::map_lookup_element);
  code.jump_if(R::result, BpfIs::equal, 0, none);
}

void write_refusal(BpfCode& code, int counter) {
  const auto end = code.label();
  code.call(BpfHelper::get_smp_processor_id);
  look_up(code, counter, R::result, end);
  code.set32(R::argument1, 1);
  code.atomic_add64(R::result, 0, R::argument1);
  code.place(end);
  code.set32(R::result, 0);
  code.exit();
}

// Frames of interfaces that are not in the set are for the socket. Arguments are lost, and what is loaded by now is
// not.
void write_choice(BpfCode& code, int interfaces) {
  const auto pass = code.label(), ask = code.label();
  code.load32(R::argument1, kFilterContext, offsetof(__sk_buff, ifindex));
  look_up(code, interfaces, R::argument1, pass);
  code.load64(R::argument1, R::result, 0);
  code.jump_if(R::argument1, BpfIs::not_equal, 0, ask);
  code.place(pass);
  code.set32(R::result, kWhole);
  code.exit();
  code.place(ask);
}

// What FilterLoads and FilterBody expect.
void write_beginning(BpfCode& code) {
  code.move(kFilterContext, R::argument1);
  code.load32(kFilterLength, kFilterContext, offsetof(__sk_buff, len));
  code.set32(kFilterA, 0);
  code.set32(kFilterX, 0);
}

}  // namespace

std::optional<BpfCode> translate_filter(const FilterProgram& filter, TagBeside beside, int counter, int interfaces) {
  if (filter.empty() || filter.size() > kMostSteps) return {};
  BpfCode code;
  const auto refuse = code.label(), with_tag = code.label();
  write_beginning(code);
  if (interfaces != kAllInterfaces) write_choice(code, interfaces);
  if (beside.of == TagBeside::Of::as_the_kernel_says) {
    code.load32(R::argument1, kFilterContext, offsetof(__sk_buff, vlan_present));
    code.jump_if32(R::argument1, BpfIs::not_equal, 0, with_tag);
  }
  if (beside.of != TagBeside::Of::all && !FilterBody(code, filter, false, refuse).write()) return {};
  if (beside.of != TagBeside::Of::none) {
    code.place(with_tag);
    keep_tag(code, beside);
    if (!FilterBody(code, filter, true, refuse).write()) return {};
  }
  if (code.is_jumped_to(refuse)) {
    code.place(refuse);
    write_refusal(code, counter);
  }
  if (code.is_too_long()) return {};
  return code;
}

KernelFilter::KernelFilter(const FilterProgram& filter, std::uint16_t link, int interfaces) {
  const auto beside = link == kLinkEthernet ? TagBeside::Of::as_the_kernel_says : TagBeside::Of::none;
  const auto program = translate_filter(filter, {beside}, counter_.fd(), interfaces);
  if (program) program_ = load_socket_program("wm_filter", *program);
}

std::unique_ptr<KernelFilter> KernelFilter::make(const FilterProgram& filter, std::uint16_t link, int interfaces) {
  try {
    std::unique_ptr<KernelFilter> made(new KernelFilter(filter, link, interfaces));
    if (made->program_) return made;
  } catch (const std::system_error&) {  // the kernel does not allow it
  }
  return {};
}

bool KernelFilter::attach(int socket) const {
  const int program = program_.get();
  return setsockopt(socket, SOL_SOCKET, SO_ATTACH_BPF, &program, sizeof program) == 0;
}

}  // namespace warpmeter::inline packet
