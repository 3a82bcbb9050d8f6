// Functions of the kernel are found among its types, of whatever kind the others are, and damage is no function.
#include "packet/nic/bpf/bpf_code.h"

#include <gtest/gtest.h>
#include <linux/btf.h>

#include <string>

namespace warpmeter::test {
namespace {

constexpr std::uint32_t info(std::uint32_t kind, std::uint32_t members = 0) { return kind << 24 | members; }

std::string bytes(std::initializer_list<std::uint32_t> words) {
  std::string text;
  for (const std::uint32_t word : words) text.append(reinterpret_cast<const char*>(&word), sizeof word);
  return text;
}

std::string btf(const std::string& types, const std::string& strings) {
  const std::uint32_t magic = BTF_MAGIC | BTF_VERSION << 16;
  const auto size = static_cast<std::uint32_t>(types.size());
  return bytes({magic, sizeof(btf_header), 0, size, size, static_cast<std::uint32_t>(strings.size())}) + types +
         strings;
}

// What is behind a type is as long as its kind and members say.
std::string one_of_each_kind() {
  std::string types;
  const auto add = [&types](std::uint32_t kind, std::uint32_t members, std::size_t words) {
    types += bytes({5, info(kind, members), 0}) + std::string(words * 4, '\x7f');
  };
  for (const std::uint32_t kind : {BTF_KIND_PTR, BTF_KIND_FWD, BTF_KIND_TYPEDEF, BTF_KIND_VOLATILE, BTF_KIND_CONST,
                                   BTF_KIND_RESTRICT, BTF_KIND_FLOAT, BTF_KIND_TYPE_TAG}) {
    add(kind, 0, 0);
  }
  for (const std::uint32_t kind : {BTF_KIND_INT, BTF_KIND_VAR, BTF_KIND_DECL_TAG}) add(kind, 0, 1);
  add(BTF_KIND_ARRAY, 0, 3);
  for (const std::uint32_t kind : {BTF_KIND_STRUCT, BTF_KIND_UNION, BTF_KIND_DATASEC, BTF_KIND_ENUM64}) add(kind, 2, 6);
  for (const std::uint32_t kind : {BTF_KIND_ENUM, BTF_KIND_FUNC_PROTO}) add(kind, 3, 6);
  return types;  // 18
}

const std::string kStrings("\0call\0call_me\0", 14);

TEST(KernelFunctions, AreFoundBehindTypesOfEachKind) {
  const std::string types =
      one_of_each_kind() + bytes({6, info(BTF_KIND_FUNC), 1}) + bytes({1, info(BTF_KIND_FUNC), 1});
  const std::string all = btf(types, kStrings);
  EXPECT_EQ(function_in(all, "call_me"), KernelFunction{19});
  EXPECT_EQ(function_in(all, "call"), KernelFunction{20});
  for (const char* const none : {"", "call_m", "call_me_", "all"}) {
    EXPECT_EQ(function_in(all, none), KernelFunction::none) << none;
  }
}

TEST(KernelFunctions, OfOtherKindsAreNone) {
  EXPECT_EQ(function_in(btf(bytes({1, info(BTF_KIND_TYPEDEF), 1}), kStrings), "call"), KernelFunction::none);
}

TEST(KernelFunctions, AreNoneInDamage) {
  const std::string function = bytes({1, info(BTF_KIND_FUNC), 1});
  const std::string all = btf(one_of_each_kind() + function, kStrings);
  ASSERT_EQ(function_in(all, "call"), KernelFunction{19});
  for (std::size_t cut = 0; cut < all.size() - 1; ++cut) {
    EXPECT_EQ(function_in(std::string_view(all).substr(0, cut), "call"), KernelFunction::none) << cut;
  }
  EXPECT_EQ(function_in(btf(bytes({0, info(31), 0}) + function, kStrings), "call"), KernelFunction::none) << "unknown";
  EXPECT_EQ(function_in(btf(bytes({99, info(BTF_KIND_FUNC), 1}), kStrings), "call"), KernelFunction::none);
  EXPECT_EQ(function_in(btf(function, "\0call"), "call"), KernelFunction::none) << "no end of the name";
}

}  // namespace
}  // namespace warpmeter::test
