// Named pipes: their writers come late, or never.
#include "record/read/text_source.h"

#include <gtest/gtest.h>

#include <thread>

#include "support/scratch_pipe.h"
#include "support/thrown_text.h"
#include "warpmeter/status.h"

namespace warpmeter::test {
namespace {

using namespace std::chrono_literals;

TEST(TextSource, InterruptedBeforeANamedPipeHasAWriter) {
  const NamedPipe pipe;
  const std::atomic<bool> interrupted = true;
  const std::string said = pipe.alone([&] {
    return thrown_text([&] {
      TextLine line;
      TextSource(pipe.path(), &interrupted).next(line);
    });
  });
  EXPECT_EQ(said, pipe.path() + ": interrupted");
}

TEST(TextSource, NamedPipeWaitsForItsFirstWriterAndEndsWithTheLast) {
  const std::atomic<bool> never = false;
  for (const std::atomic<bool>* interrupted : {&never, static_cast<const std::atomic<bool>*>(nullptr)}) {
    const NamedPipe pipe;
    std::thread writer([&] {
      std::this_thread::sleep_for(30ms);
      const int to = pipe.writer();
      EXPECT_EQ(write(to, "one\ntw", 6), 6);
      std::this_thread::sleep_for(30ms);
      EXPECT_EQ(write(to, "o\n", 2), 2);
      close(to);
    });
    TextSource source(pipe.path(), interrupted);
    TextLine line;
    EXPECT_TRUE(source.next(line));
    EXPECT_EQ(line.text, "one");
    EXPECT_TRUE(source.next(line));
    EXPECT_EQ(line.text, "two");
    EXPECT_FALSE(source.next(line));
    writer.join();
  }
}

}  // namespace
}  // namespace warpmeter::test
