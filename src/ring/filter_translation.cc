#include "ring/filter_translation.h"

#include <linux/filter.h>

#include <algorithm>
#include <cstddef>

#include "ring/filter_loads.h"

namespace warpmeter {
namespace {

using R = BpfRegister;

constexpr std::size_t kMostSteps = 4096;  // of a filter, for the kernel too
constexpr std::uint32_t kMemoryWords = 16, kBits = 32;
constexpr std::uint32_t kWhole = 0xffffffff;

// One form of the filter. What cannot be translated leaves `possible` false.
class FilterBody {
 public:
  FilterBody(BpfWriter& writer, const FilterProgram& filter, bool tag_beside, BpfLabel& refuse)
      : w_(writer), filter_(filter), loads_(writer, tag_beside, refuse), refuse_(refuse), labels_(filter.size() + 1) {}

  // Steps that are never reached are left out: the kernel takes no program with such.
  bool write() {
    std::vector<bool> reached(filter_.size() + 1);
    if (!reached.empty()) reached[0] = true;
    for (at_ = 0; at_ < filter_.size() && possible_; ++at_) {
      if (!reached[at_]) continue;
      w_.place(labels_[at_]);
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

  BpfLabel& step_behind(std::size_t distance) { return labels_[std::min(at_ + 1 + distance, filter_.size())]; }

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
    if (s.code == (BPF_MISC | BPF_TAX)) return w_.move(kFilterX, kFilterA);
    if (s.code == (BPF_MISC | BPF_TXA)) return w_.move(kFilterA, kFilterX);
    possible_ = false;
  }

  void load(const FilterStep& s) {
    const R to = BPF_CLASS(s.code) == BPF_LD ? kFilterA : kFilterX;
    switch (BPF_MODE(s.code)) {
      case BPF_IMM: return w_.set(to, s.value);
      case BPF_LEN: return w_.move(to, kFilterLength);
      case BPF_MEM: possible_ &= s.value < kMemoryWords; return w_.load(BPF_W, to, R::stack, filter_memory(s.value));
      case BPF_ABS: return loads_.load_at(s.value, BPF_SIZE(s.code));
      case BPF_IND: return loads_.load_behind_x(s.value, BPF_SIZE(s.code));
      case BPF_MSH: return loads_.load_ip_header_length(s.value);
      default: possible_ = false;
    }
  }

  void store(const FilterStep& s, R from) {
    possible_ &= s.value < kMemoryWords;
    w_.store(BPF_W, R::stack, filter_memory(s.value), from);
  }

  void compute(const FilterStep& s) {
    const unsigned operation = BPF_OP(s.code);
    const bool shifts = operation == BPF_LSH || operation == BPF_RSH;
    if (operation == BPF_NEG) return w_.compute(BPF_NEG, kFilterA, 0u);
    possible_ &= operation <= BPF_XOR;
    if (BPF_SRC(s.code) == BPF_K) {
      possible_ &= !(shifts && s.value >= kBits) && !((operation == BPF_DIV || operation == BPF_MOD) && s.value == 0);
      return w_.compute(operation, kFilterA, s.value);
    }
    if (operation == BPF_DIV || operation == BPF_MOD) w_.jump_if(BPF_JEQ, kFilterX, 0, refuse_);
    if (!shifts) return w_.compute(operation, kFilterA, kFilterX);
    // Nothing is left of what is shifted out; the machine would shift by the lower five bits.
    BpfLabel far, done;
    w_.jump_if(BPF_JGE, kFilterX, kBits, far);
    w_.compute(operation, kFilterA, kFilterX);
    w_.jump(done);
    w_.place(far);
    w_.set(kFilterA, 0);
    w_.place(done);
  }

  void jump(const FilterStep& s) {
    const unsigned operation = BPF_OP(s.code);
    if (operation == BPF_JA) return w_.jump(step_behind(s.value));
    possible_ &= operation <= BPF_JSET;
    if (s.if_true == s.if_false) return w_.jump(step_behind(s.if_true));
    if (BPF_SRC(s.code) == BPF_K) {
      w_.jump_if(operation, kFilterA, s.value, step_behind(s.if_true));
    } else {
      w_.jump_if(operation, kFilterA, kFilterX, step_behind(s.if_true));
    }
    if (s.if_false) w_.jump(step_behind(s.if_false));
  }

  void end(const FilterStep& s) {
    if (BPF_RVAL(s.code) == BPF_A) {
      w_.jump_if(BPF_JEQ, kFilterA, 0, refuse_);
    } else if (s.value == 0) {
      return w_.jump(refuse_);
    }
    w_.set(R::r0, kWhole);
    w_.step(BPF_JMP | BPF_EXIT);
  }

  BpfWriter& w_;
  const FilterProgram& filter_;
  FilterLoads loads_;
  BpfLabel& refuse_;
  std::vector<BpfLabel> labels_;  // of the steps
  std::size_t at_ = 0;
  bool possible_ = true;
};

void write_refusal(BpfWriter& w, int counter) {
  BpfLabel end;
  const int key = kFilterScratch;
  w.step(BPF_JMP | BPF_CALL, R::r0, R::r0, 0, BPF_FUNC_get_smp_processor_id);
  w.store(BPF_W, R::stack, key, R::r0);
  w.move64(R::r2, R::stack);
  w.add64(R::r2, key);
  w.step(BPF_LD | BPF_DW | BPF_IMM, R::r1, static_cast<R>(BPF_PSEUDO_MAP_FD), 0, static_cast<std::uint32_t>(counter));
  w.step(0);  // the upper half
  w.step(BPF_JMP | BPF_CALL, R::r0, R::r0, 0, BPF_FUNC_map_lookup_elem);
  w.jump_if_null(R::r0, end);
  w.set(R::r1, 1);
  w.step(BPF_STX | BPF_ATOMIC | BPF_DW, R::r0, R::r1, 0, BPF_ADD);
  w.place(end);
  w.set(R::r0, 0);
  w.step(BPF_JMP | BPF_EXIT);
}

// What FilterLoads and FilterBody expect.
void write_beginning(BpfWriter& w) {
  w.move64(kFilterContext, R::r1);
  w.load(BPF_W, kFilterLength, kFilterContext, offsetof(__sk_buff, len));
  w.set(kFilterA, 0);
  w.set(kFilterX, 0);
}

}  // namespace

std::optional<std::vector<bpf_insn>> translate_filter(const FilterProgram& filter, TagBeside beside, int counter) {
  if (filter.empty() || filter.size() > kMostSteps) return {};
  BpfWriter w;
  BpfLabel refuse, with_tag;
  write_beginning(w);
  if (beside.of == TagBeside::Of::as_the_kernel_says) {
    w.load(BPF_W, R::r1, kFilterContext, offsetof(__sk_buff, vlan_present));
    w.jump_if(BPF_JNE, R::r1, 0, with_tag);
  }
  if (beside.of != TagBeside::Of::all && !FilterBody(w, filter, false, refuse).write()) return {};
  if (beside.of != TagBeside::Of::none) {
    w.place(with_tag);
    keep_tag(w, beside);
    if (!FilterBody(w, filter, true, refuse).write()) return {};
  }
  if (!refuse.from.empty()) {
    w.place(refuse);
    write_refusal(w, counter);
  }
  if (w.too_far()) return {};
  return w.program();
}

}  // namespace warpmeter
