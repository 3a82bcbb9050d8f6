// shfl, vote, match, redux, bar and barrier, as written.
#include <map>
#include <string>

#include "simulator/ptx_instruction.h"

namespace cuda_machine {

namespace {

constexpr std::size_t kMask = 3;  // from[3] is the mask of the lanes that take part

using WarpWides = std::map<std::string_view, WarpWide>;

const WarpWides kShuffles{{"shfl.sync.idx.b32", WarpWide::shfl_idx},
                          {"shfl.sync.up.b32", WarpWide::shfl_up},
                          {"shfl.sync.down.b32", WarpWide::shfl_down},
                          {"shfl.sync.bfly.b32", WarpWide::shfl_bfly}};

// Compilers write the parts of a ballot in either order.
const WarpWides kVotes{{"vote.sync.all.pred", WarpWide::vote_all},      {"vote.sync.any.pred", WarpWide::vote_any},
                       {"vote.sync.uni.pred", WarpWide::vote_uni},      {"vote.sync.ballot.b32", WarpWide::vote_ballot},
                       {"vote.ballot.sync.b32", WarpWide::vote_ballot}, {"vote.all.sync.pred", WarpWide::vote_all},
                       {"vote.any.sync.pred", WarpWide::vote_any},      {"vote.uni.sync.pred", WarpWide::vote_uni}};

const WarpWides kMatches{{"match.any.sync.b32", WarpWide::match_any},
                         {"match.any.sync.b64", WarpWide::match_any},
                         {"match.all.sync.b32", WarpWide::match_all},
                         {"match.all.sync.b64", WarpWide::match_all}};

const WarpWides kReductions{{"redux.sync.add.u32", WarpWide::redux_add}, {"redux.sync.add.s32", WarpWide::redux_add},
                            {"redux.sync.min.u32", WarpWide::redux_min}, {"redux.sync.min.s32", WarpWide::redux_min},
                            {"redux.sync.max.u32", WarpWide::redux_max}, {"redux.sync.max.s32", WarpWide::redux_max},
                            {"redux.sync.and.b32", WarpWide::redux_and}, {"redux.sync.or.b32", WarpWide::redux_or},
                            {"redux.sync.xor.b32", WarpWide::redux_xor}};

void set_warp_wide(const Statement& statement, const WarpWides& known, Instruction& instruction) {
  const auto entry = known.find(statement.opcode);
  if (entry == known.end()) throw PtxError("unknown instruction");
  instruction.control = Control::warp_wide;
  instruction.warp_wide = entry->second;
}

void set_mask(const WrittenValue& value, Names& names, Instruction& instruction) {
  instruction.from[kMask] = names.source(value);
  instruction.sources = kMask + 1;
}

// d, or d|p.
void set_destination_and_predicate(const WrittenOperand& operand, Names& names, Instruction& instruction) {
  const bool is_pair = operand.form == WrittenOperand::Form::pair;
  if (!is_pair && operand.form != WrittenOperand::Form::single) throw PtxError("one register or d|p expected");
  add_destination(operand.values[0], names, instruction);
  if (is_pair) instruction.predicate_to[0] = names.predicate_destination(operand.values[1]);
}

void make_shuffle(const Statement& statement, Names& names, Instruction& instruction) {
  statement.expect_operands(5, 5);
  set_warp_wide(statement, kShuffles, instruction);
  set_destination_and_predicate(statement.operand(0), names, instruction);
  for (std::size_t i = 1; i < 5; ++i) add_source(statement.value(i), names, instruction);
}

void make_vote(const Statement& statement, Names& names, Instruction& instruction) {
  statement.expect_operands(3, 3);
  set_warp_wide(statement, kVotes, instruction);
  if (instruction.warp_wide == WarpWide::vote_ballot) {
    add_destination(statement.value(0), names, instruction);
  } else {
    instruction.predicate_to[0] = names.predicate_destination(statement.value(0));
  }
  instruction.predicate_from[0] = names.predicate(statement.value(1));
  set_mask(statement.value(2), names, instruction);
}

void make_match(const Statement& statement, Names& names, Instruction& instruction) {
  statement.expect_operands(3, 3);
  set_warp_wide(statement, kMatches, instruction);
  instruction.size = statement.type() == "b64" ? 8 : 4;
  set_destination_and_predicate(statement.operand(0), names, instruction);
  add_source(statement.value(1), names, instruction);
  set_mask(statement.value(2), names, instruction);
}

void make_reduction(const Statement& statement, Names& names, Instruction& instruction) {
  statement.expect_operands(3, 3);
  set_warp_wide(statement, kReductions, instruction);
  instruction.is_signed = statement.type() == "s32";
  add_destination(statement.value(0), names, instruction);
  add_source(statement.value(1), names, instruction);
  set_mask(statement.value(2), names, instruction);
}

void make_warp_barrier(const Statement& statement, Names& names, Instruction& instruction) {
  statement.expect_operands(1, 1);
  instruction.control = Control::warp_wide;
  instruction.warp_wide = WarpWide::sync;
  set_mask(statement.value(0), names, instruction);
}

// The barrier's number, and the operand `threads` if it is there.
void set_barrier(const Statement& statement, std::size_t number, bool has_threads, Names& names,
                 Instruction& instruction) {
  instruction.control = Control::barrier;
  add_source(statement.value(number), names, instruction);
  if (has_threads) {
    add_source(statement.value(number + 1), names, instruction);
  } else {
    instruction.from[instruction.sources++] = names.constant(0);
  }
}

// bar.red.popc.u32 d, a{, b}, p; bar.red.and.pred q, a{, b}, p.
void make_reducing_barrier(const Statement& statement, BarrierKind kind, Names& names, Instruction& instruction) {
  statement.expect_operands(3, 4);
  instruction.barrier = kind;
  if (kind == BarrierKind::red_popc) {
    add_destination(statement.value(0), names, instruction);
  } else {
    instruction.predicate_to[0] = names.predicate_destination(statement.value(0));
  }
  set_barrier(statement, 1, statement.operands.size() == 4, names, instruction);
  instruction.predicate_from[0] = names.predicate(statement.value(statement.operands.size() - 1));
}

// bar.sync a{, b}; bar.arrive a, b.
void make_plain_barrier(const Statement& statement, BarrierKind kind, Names& names, Instruction& instruction) {
  statement.expect_operands(kind == BarrierKind::arrive ? 2 : 1, 2);
  instruction.barrier = kind;
  set_barrier(statement, 0, statement.operands.size() == 2, names, instruction);
}

// The opcode without what makes no difference here: "bar.cta.sync", "barrier.sync.aligned" are "sync".
std::string barrier_operation(const Statement& statement) {
  std::string operation;
  for (std::size_t i = 1; i < statement.parts.size(); ++i) {
    const std::string_view part = statement.parts[i];
    if (part == "aligned" || part == "cta") continue;
    if (!operation.empty()) operation += '.';
    operation += part;
  }
  return operation;
}

void make_barrier(const Statement& statement, Names& names, Instruction& instruction) {
  static const std::map<std::string, BarrierKind> kReducing{{"red.and.pred", BarrierKind::red_and},
                                                            {"red.or.pred", BarrierKind::red_or},
                                                            {"red.popc.u32", BarrierKind::red_popc}};
  const std::string operation = barrier_operation(statement);
  if (operation == "warp.sync") return make_warp_barrier(statement, names, instruction);
  if (operation == "sync") return make_plain_barrier(statement, BarrierKind::sync, names, instruction);
  if (operation == "arrive") return make_plain_barrier(statement, BarrierKind::arrive, names, instruction);
  const auto reducing = kReducing.find(operation);
  if (reducing == kReducing.end()) throw PtxError("unknown instruction");
  make_reducing_barrier(statement, reducing->second, names, instruction);
}

}  // namespace

Make find_warp_wide_instruction(std::string_view name) {
  static const std::map<std::string_view, Make> kInstructions{
      {"shfl", make_shuffle},    {"vote", make_vote},   {"match", make_match},
      {"redux", make_reduction}, {"bar", make_barrier}, {"barrier", make_barrier},
  };
  const auto entry = kInstructions.find(name);
  return entry == kInstructions.end() ? nullptr : entry->second;
}

}  // namespace cuda_machine
