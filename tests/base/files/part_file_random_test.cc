// Many outputs begun, written, given up and finished in any order, in a folder where other things lie and appear: at
// every moment each name holds what was finished there last, whole, and nothing else has changed.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <memory>
#include <random>
#include <vector>

#include "base/files/part_file.h"
#include "support/scratch_folder.h"

namespace warpmeter {
namespace {

namespace fs = std::filesystem;
using test::file_text;
using test::ScratchFolder;
using test::write_file;

struct Begun {
  std::unique_ptr<PartFile> part;
  std::string target, text;
};

class Outputs {
 public:
  explicit Outputs(unsigned seed) : random_(seed) {
    const std::string mine = "mine";
    write_file(path("precious"), mine);
    for (const char* target : {"a", "b"}) {
      fs::create_symlink("precious", path(std::string(target) + ".part"));
      expected_[target + std::string(".part")] = mine;
    }
    fs::create_symlink("b", path("link"));
    expected_["precious"] = mine;
  }

  void step() {
    const std::size_t what = below(4);
    if (begun_.empty() || (what == 0 && begun_.size() < 8)) return begin();
    const std::size_t which = below(begun_.size());
    Begun& one = begun_[which];
    if (what <= 1) return more(one);
    if (what == 2) finish(one);
    begun_.erase(begun_.begin() + static_cast<std::ptrdiff_t>(which));
  }

  void check() const {
    for (const auto& [name, text] : expected_) EXPECT_EQ(file_text(path(name)), text) << name;
    EXPECT_EQ(fs::exists(path("b")), expected_.contains("b"));
    EXPECT_EQ(fs::read_symlink(path("link")), "b");
    EXPECT_EQ(fs::read_symlink(path("a.part")), "precious");
  }

  void end() {
    begun_.clear();
    check();
    EXPECT_EQ(folder_.entries(), expected_.size() + 1);  // and the link
  }

 private:
  std::string path(const std::string& name) const { return folder_.file(name); }
  std::size_t below(std::size_t limit) { return random_() % limit; }

  void begin() {
    const char* const names[] = {"a", "b", "link"};
    const std::string name = names[below(3)];
    const auto kind = below(2) ? PartFile::Name::at_once : PartFile::Name::none_if_possible;
    begun_.push_back({std::make_unique<PartFile>(place_of(path(name)), kind), name == "link" ? "b" : name, ""});
  }
  void more(Begun& one) {
    const std::string text(1 + below(100), static_cast<char>('a' + below(26)));
    ASSERT_EQ(write(one.part->descriptor(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
    one.text += text;
  }
  void finish(Begun& one) {
    one.part->commit();
    expected_[one.target] = one.text;
  }

  const ScratchFolder folder_;
  std::mt19937 random_;
  std::vector<Begun> begun_;
  std::map<std::string, std::string> expected_;  // of each name that there is, links followed
};

TEST(PartFileRandom, EachNameHoldsWhatWasFinishedLast) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    Outputs outputs(seed);
    for (int i = 0; i < 60; ++i) {
      outputs.step();
      outputs.check();
    }
    outputs.end();
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace warpmeter
