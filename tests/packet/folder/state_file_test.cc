// A state is read as it was stored, by one process at a time; damage is told, and is never taken for a state.
#include "packet/folder/state_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <utility>

#include "support/scratch_folder.h"
#include "support/thrown_text.h"

namespace warpmeter {
namespace {

const std::string kMark = ".0123456789abcdef.12";  // of its hidden files

FolderState some_state() {
  FolderState state;
  state.id = "0123456789abcdef";
  state.folder = "/data/with \xff bytes";
  state.number = 12;
  state.done.add({.name = "a\nb", .number = 7, .size = 1ull << 40, .changed_ns = -5, .first_ns = -1});
  state.done.add({.name = "empty", .number = 8, .size = 24, .changed_ns = 6, .fate = Fate::damaged});
  state.to_name = {{"/out/flows.csv" + kMark + ".part", "/out/flows", ".csv"}};
  state.living = {{"/out/flows.csv" + kMark + ".living.part", "/out/flows", ".csv"},
                  {"/out/\x80" + kMark + ".living.part", "/out/\x80", ""}};
  return state;
}

// As somebody else may write it, with the right sum.
std::string with_sum(const std::string& body, const std::string& version = "2") {
  std::uint64_t sum = 0xcbf29ce484222325;
  for (const char c : body) sum = (sum ^ static_cast<std::uint8_t>(c)) * 0x100000001b3;
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(sum));
  return "warpmeter folder state " + version + " " + text + "\n" + body;
}

TEST(StateFile, IsStoredAndLoaded) {
  const test::ScratchFolder folder;
  StateFile file(folder.file("state"));
  EXPECT_FALSE(file.load());
  file.store("one");
  EXPECT_EQ(file.load(), "one");
  file.store(std::string(200'000, 'x'));
  EXPECT_EQ(file.load(), std::string(200'000, 'x'));
  EXPECT_EQ(folder.entries(), 2U);  // and the lock
}

TEST(StateFile, WhatIsNoStateIsNotReadOn) {
  const test::ScratchFolder folder;
  StateFile file(folder.file("state"));
  file.store("text");
  std::filesystem::resize_file(folder.file("state"), 1ull << 30);
  EXPECT_LT(file.load()->size(), 1u << 20);
  std::filesystem::resize_file(folder.file("state"), (1ull << 30) + 1);
  EXPECT_EQ(test::thrown_text([&] { file.load(); }),
            folder.file("state") + ": is larger than any state, so it is not read");
  file.store("title" + std::string(1 << 20, 'x'));
  EXPECT_EQ(file.load("title")->size(), 5u + (1u << 20));
  EXPECT_LT(file.load("another")->size(), 1u << 20);
}

TEST(StateFile, LinksAndWhatIsNoFileAreNotRead) {
  const test::ScratchFolder folder;
  const std::string name = folder.file("state");
  StateFile file(name);
  ASSERT_EQ(mkfifo(name.c_str(), 0600), 0);
  EXPECT_EQ(test::thrown_text([&] { file.load(); }), name + ": is no file");
  std::filesystem::remove(name);
  for (const std::string target : {"/dev/zero", "/etc/passwd", "none"}) {
    std::filesystem::create_symlink(target, name);
    EXPECT_EQ(test::thrown_text([&] { file.load(); }), name + ": is a link; name the file itself") << target;
    std::filesystem::remove(name);
  }
}

// In a folder like /tmp somebody else may have been first: nobody waits for him.
TEST(StateFile, APipeInPlaceOfItsLockHoldsUpNobody) {
  const test::ScratchFolder folder;
  const std::string name = folder.file("state");
  ASSERT_EQ(mkfifo((name + ".lock").c_str(), 0666), 0);
  EXPECT_EQ(test::thrown_text([&] { StateFile file(name); }), name + ".lock: is no file");
}

// Nor can he be first where the new one is written, with a folder that cannot be removed.
TEST(StateFile, NobodyForeseesWhereTheNewOneIsWritten) {
  const test::ScratchFolder folder;
  const std::string name = folder.file("state");
  StateFile file(name);
  std::filesystem::create_directories(name + ".part/full");
  file.store("text");
  EXPECT_EQ(file.load(), "text");
}

TEST(StateFile, WhatAKilledProcessLeftIsRemoved) {
  const test::ScratchFolder folder;
  const std::string name = folder.file("state");
  {
    StateFile file(name);
    file.store("text");
    file.keep();
  }
  test::write_file(name + ".0123456789abcdef.part", std::string("half of it"));
  test::write_file(name + ".another.part", std::string("none of it"));
  StateFile file(name);
  EXPECT_EQ(folder.entries(), 3U);
  EXPECT_EQ(file.load(), "text");
}

TEST(StateFile, ALockOfAnotherIsNone) {
  if (geteuid() != 0) GTEST_SKIP() << "root runs this, who can be somebody else";
  const test::ScratchFolder folder;
  const std::string name = folder.file("state");
  test::write_file(name + ".lock", std::string());
  ASSERT_EQ(chown((name + ".lock").c_str(), 12345, 12345), 0);
  EXPECT_EQ(test::thrown_text([&] { StateFile file(name); }),
            name + ".lock: belongs to another user, who could keep it locked");
}

TEST(StateFile, IsOneProcessesAtATime) {
  const test::ScratchFolder folder;
  const std::string name = folder.file("state");
  {
    StateFile file(name);
    EXPECT_EQ(test::thrown_text([&] { StateFile second(name); }),
              name + ": another warpmeter is running with this state");
  }
  const pid_t child = fork();
  if (child == 0) {
    new StateFile(name);
    _exit(0);  // as a process that is killed: the lock goes with it
  }
  waitpid(child, nullptr, 0);
  EXPECT_EQ(test::thrown_text([&] { StateFile third(name); }), "");
}

TEST(StateFile, WhoeverWasRefusedLeavesNothing) {
  const test::ScratchFolder folder;
  const std::string name = folder.file("state");
  { StateFile file(name); }
  EXPECT_EQ(folder.entries(), 0U);
  { StateFile(name).store("one"); }
  EXPECT_EQ(folder.entries(), 0U);
  {
    StateFile file(name);
    file.store("one");
    file.keep();
  }
  EXPECT_EQ(folder.entries(), 2U);
  std::filesystem::remove(name + ".lock");
  { StateFile(name).store("two"); }
  EXPECT_EQ(folder.entries(), 1U);  // not its own
  EXPECT_EQ(StateFile(name).load(), "two");
}

TEST(StateFile, ALockThatWasRemovedIsNobodys) {
  const test::ScratchFolder folder;
  const std::string name = folder.file("state");
  StateFile file(name);
  std::filesystem::remove(name + ".lock");
  EXPECT_EQ(test::thrown_text([&] { StateFile second(name); }), "");
}

TEST(StateFile, CannotBeStored) {
  const test::ScratchFolder folder;
  EXPECT_EQ(test::thrown_text([&] { StateFile file(folder.file("none/state")); }),
            folder.file("none/state.lock") + ": cannot be opened: No such file or directory");
  StateFile file(folder.file("state"));
  std::filesystem::create_directory(folder.file("state"));
  EXPECT_EQ(test::thrown_text([&] { file.store("text"); }),
            folder.file("state") + ": cannot be written: Is a directory");
  EXPECT_EQ(test::thrown_text([&] { file.load(); }), folder.file("state") + ": is no file");
  EXPECT_EQ(folder.entries(), 2U);
}

TEST(FolderState, ComesBackFromItsText) {
  const FolderState state = folder_state_of(text_of(some_state()), "state");
  EXPECT_EQ(text_of(state), text_of(some_state()));
  EXPECT_EQ(state.folder, some_state().folder);
  EXPECT_EQ(state.done.size(), 2U);
  const SeenFile* const file = state.done.find({.name = "c", .number = 8, .size = 24, .changed_ns = 6});
  ASSERT_NE(file, nullptr);
  EXPECT_EQ(file->name, "empty");
  EXPECT_EQ(file->fate, Fate::damaged);
  EXPECT_EQ(state.living.size(), 2U);
  EXPECT_EQ(state.living[1].hidden, "/out/\x80" + kMark + ".living.part");
}

// A state that somebody else has made, with the right sum.
TEST(FolderState, NoFileOutsideOfTheFolderIsOneOfIt) {
  for (const std::string name : {"../kept", "below/kept", "/kept", ".."}) {
    FolderState state = some_state();
    state.done.add({.name = name, .number = 9, .size = 24, .changed_ns = 6});
    EXPECT_TRUE(
        test::thrown_text([&] { folder_state_of(text_of(state), "state"); }).starts_with("state: is damaged: "));
  }
}

TEST(FolderState, OnlyWhatItHidItselfGetsAName) {
  for (const LaterName& name : std::vector<LaterName>{{"/etc/passwd", "/out/flows", ".csv"},
                                                      {"/etc/passwd" + kMark + ".part", "/out/flows", ".csv"},
                                                      {"/out/flows.csv" + kMark + ".part", "/out/other", ".csv"},
                                                      {"/out/flows.csv" + kMark, "/out/flows", ".csv"},
                                                      {"/out/flows.csv.99.12.part", "/out/flows", ".csv"},
                                                      {"/out/flows.csv" + kMark + "/x.part", "/out/flows", ".csv"},
                                                      {"/out/flows/x" + kMark + ".part", "/out/flows", "/x"},
                                                      {"out/flows" + kMark + ".part", "out/flows", ""},
                                                      {"/out/" + kMark + ".part", "/out/", ""},
                                                      {kMark + ".part", "", ""}}) {
    for (auto list : {&FolderState::to_name, &FolderState::living}) {
      FolderState state = some_state();
      (state.*list).push_back(name);
      EXPECT_TRUE(
          test::thrown_text([&] { folder_state_of(text_of(state), "state"); }).starts_with("state: is damaged: "))
          << name.hidden;
    }
  }
}

TEST(FolderState, NumbersAreThose) {
  const std::string text = text_of(some_state()), body = text.substr(text.find('\n') + 1);
  EXPECT_EQ(with_sum(body), text);
  const auto changed = [&](const std::string& from, const std::string& to) {
    const std::size_t at = body.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    const std::string other = with_sum(body.substr(0, at) + to + body.substr(at + from.size()));
    return test::thrown_text([&] { folder_state_of(other, "state"); });
  };
  EXPECT_EQ(changed("\"number\":12", "\"number\":13"), "");
  for (const auto& [from, to] :
       std::vector<std::pair<std::string, std::string>>{{"\"number\":12", "\"number\":-12"},
                                                        {"\"number\":12", "\"number\":12.5"},
                                                        {"\"number\":12", "\"number\":18446744073709551615"},
                                                        {"\"number\":12", "\"number\":\"12\""},
                                                        {"0123456789abcdef", ""},
                                                        {"0123456789abcdef", "../../etc"},
                                                        {"1099511627776", "-1"},
                                                        {"1099511627776", "1e9"},
                                                        {",-5,", ",9223372036854775808,"},
                                                        {",-1,0,0]", ",true,0,0]"},
                                                        {",-1,0,0]", ",-1,4,0]"},
                                                        {",-1,0,0]", ",-1,-1,0]"},
                                                        {",-1,0,0]", ",-1,0,0,0]"},
                                                        {",-1,0,0]", ",-1,0]"},
                                                        {"\"610a62\"", "\"\""},
                                                        {"\"610a62\"", "\"610a6\""},
                                                        {"\"610a62\"", "\"61+a62\""},
                                                        {"\"610a62\"", "\"610062\""}}) {
    EXPECT_TRUE(changed(from, to).starts_with("state: is damaged: ")) << from << " " << to;
  }
}

TEST(FolderState, OfTheVersionBeforeIsTaken) {
  const std::string text = text_of(some_state());
  std::string body = text.substr(text.find('\n') + 1);
  const std::string made = ",0]";  // no file has a time when it was made
  for (std::size_t at = 0; (at = body.find(made, at)) != std::string::npos; ++at) body.replace(at, made.size(), "]");
  const FolderState state = folder_state_of(with_sum(body, "1"), "state");
  EXPECT_EQ(text_of(state), text);
  EXPECT_NE(test::thrown_text([&] { folder_state_of(with_sum(body, "2"), "state"); }), "");
}

TEST(FolderState, AnyDamageIsFound) {
  const std::string text = text_of(some_state());
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string damaged = text;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    EXPECT_NE(test::thrown_text([&] { folder_state_of(damaged, "state"); }), "") << i;
    EXPECT_NE(test::thrown_text([&] { folder_state_of(text.substr(0, i), "state"); }), "") << i;
  }
  EXPECT_TRUE(test::thrown_text([&] { folder_state_of(text + "x", "state"); }).starts_with("state: is damaged: "));
  EXPECT_EQ(test::thrown_text([] { folder_state_of("warpmeter folder state 9 \n", "state"); }),
            "state: is the state of another version of warpmeter");
  EXPECT_EQ(test::thrown_text([] { folder_state_of("", "state"); }),
            "state: is no state of warpmeter, so it is not written over");
}

}  // namespace
}  // namespace warpmeter
