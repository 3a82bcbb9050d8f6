// Filters by chance, against an evaluation that knows nothing of parsing: a tree is made, written down as text, and
// both are asked about flows by chance.
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "analysis/query/filter.h"
#include "support/random_flows.h"

namespace warpmeter {
namespace {

using Truth = std::function<bool(const Biflow&)>;

struct Made {
  std::string text;
  Truth truth;
};

class FilterMaker {
 public:
  explicit FilterMaker(std::uint64_t seed) : chance_(seed) {}

  // `binds`: how tightly what stands around it binds: 0 or, 1 and, 2 not.
  Made expression(int depth, int binds = 0) {
    switch (depth == 0 ? 3 : below(4)) {
      case 0: return joined(depth, binds, 0, {" or ", " || ", "||"});
      case 1: return joined(depth, binds, 1, {" and ", " && ", "&&"});
      case 2: {
        Made inner = expression(depth - 1, 2);
        const Truth truth = inner.truth;
        return {(below(2) ? "not " : "!") + inner.text, [truth](const Biflow& flow) { return !truth(flow); }};
      }
      default: return test();
    }
  }

 private:
  std::size_t below(std::size_t limit) { return chance_() % limit; }

  Made joined(int depth, int binds, int own, const std::vector<const char*>& words) {
    Made left = expression(depth - 1, own), right = expression(depth - 1, own);
    const Truth a = left.truth, b = right.truth;
    std::string text = left.text + words[below(words.size())] + right.text;
    if (binds > own || below(4) == 0) text = "(" + text + ")";
    if (own == 0) return {text, [a, b](const Biflow& flow) { return a(flow) || b(flow); }};
    return {text, [a, b](const Biflow& flow) { return a(flow) && b(flow); }};
  }

  Made test() {
    if (below(4) == 0) return key_test();
    if (below(4) == 0) return columns_test();
    const std::size_t column = below(kColumns.size());
    const bool reverse = below(4) == 0;
    const std::int64_t value = kColumns[column].unit == Unit::end_reason ? 1 + below(5) : below(30);
    const char* const operators[] = {"=", "!=", "<", "<=", ">", ">="};
    const std::size_t op = below(std::size(operators));
    const std::string text = std::string(reverse ? kReversePrefix : "") + std::string(kColumns[column].name) +
                             operators[op] + std::to_string(value);
    return {text, [=](const Biflow& flow) {
              if (reverse && !flow.has_reverse) return false;
              const FlowRecord& r = reverse ? flow.reverse : flow.forward;
              const auto have = column_value(column, r, r.absent);
              if (!have) return false;
              const bool results[] = {*have == value, *have != value, *have<value, *have <= value, *have> value,
                                      *have >= value};
              return results[op];
            }};
  }

  // One counter against another, of either direction.
  Made columns_test() {
    struct Side {
      std::size_t column;
      bool reverse;
      std::string name() const {
        return std::string(reverse ? kReversePrefix : "") + std::string(kColumns[column].name);
      }
      std::optional<std::int64_t> value(const Biflow& flow) const {
        if (reverse && !flow.has_reverse) return std::nullopt;
        const FlowRecord& record = reverse ? flow.reverse : flow.forward;
        return column_value(column, record, record.absent);
      }
    };
    const std::size_t columns[] = {column_number("packets"), column_number("data_segments"),
                                   column_number("retransmitted_segments"), column_number("out_of_order_segments")};
    const Side left{columns[below(4)], below(2) == 0}, right{columns[below(4)], below(2) == 0};
    const char* const operators[] = {"=", "!=", "<", "<=", ">", ">="};
    const std::size_t op = below(std::size(operators));
    return {left.name() + " " + operators[op] + " " + right.name(), [=](const Biflow& flow) {
              const auto a = left.value(flow), b = right.value(flow);
              if (!a || !b) return false;
              const bool results[] = {*a == *b, *a != *b, *a<*b, *a <= *b, *a> * b, *a >= *b};
              return results[op];
            }};
  }

  Made key_test() {
    const int number = static_cast<int>(below(4));
    const auto spelled = [this](std::initializer_list<const char*> ways) {
      return *(ways.begin() + below(ways.size()));
    };
    switch (below(3)) {
      case 0:
        return {spelled({"dst_port 443", "dst port 443", "dst port in (443)", "not dst port not in (443)"}),
                [](const Biflow& f) { return port_number(f.forward.key.destination_port) == 443; }};
      case 1:
        return {
            spelled({"dst_addr in 10.10.10.", "dst net 10.10.10.", "dst host = 10.10.10.", "dst 10.10.10."}) +
                std::to_string(number) + "/32",
            [number](const Biflow& f) { return f.forward.key.version == 4 && f.forward.key.destination[3] == number; }};
      default: return {"udp", [](const Biflow& f) { return f.forward.key.protocol == kProtocolUdp; }};
    }
  }

  std::mt19937_64 chance_;
};

TEST(FilterByChance, MeansWhatItSays) {
  FilterMaker maker(11);
  test::RandomFlows random(12, {.biflow = true});
  std::vector<Biflow> flows;
  for (int i = 0; i < 50; ++i) flows.push_back(random.next());
  std::size_t met = 0, asked = 0;
  for (int i = 0; i < 2000; ++i) {
    const Made made = maker.expression(i % 5);
    const Filter filter(made.text);
    for (const Biflow& flow : flows) {
      ASSERT_EQ(filter.matches(flow), made.truth(flow)) << made.text;
      met += made.truth(flow);
      ++asked;
    }
  }
  EXPECT_GT(met, asked / 10);
  EXPECT_LT(met, asked / 10 * 9);
}

}  // namespace
}  // namespace warpmeter
