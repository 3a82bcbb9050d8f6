// Several outputs get the same records, encoded by whoever fills sections; and end together or not at all.
#include "record/write/tee_writer.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "core/record_writer.h"
#include "warpmeter/status.h"

namespace warpmeter {
namespace {

// Writes down what it is told; its sections write down which thread filled them.
class Noted : public RecordWriter, RecordFormat {
 public:
  enum class Fails { nowhere, in_finish, in_name };
  explicit Noted(std::string& log, Fails fails = Fails::nowhere) : log_(log), fails_(fails) {}
  const RecordFormat& format() const override { return *this; }
  void begin() override { log_ += "begin "; }
  void finish() override {
    if (fails_ == Fails::in_finish) throw Error("disk full");
    log_ += "finish ";
  }
  void name() override {
    if (fails_ == Fails::in_name) throw Error("a folder is there");
    log_ += "name ";
  }
  void take_back() override { log_ += "back "; }
  void end() override { log_ += "end "; }

  struct Section : RecordSection {
    void write(const FlowRecord& record, const FlowRecord*) override {
      text += std::to_string(record.packets) + (std::this_thread::get_id() == maker ? " " : "' ");
    }
    std::size_t bytes() const override { return text.size(); }
    std::string text;
    std::thread::id maker;
  };
  std::unique_ptr<RecordSection> new_section() const override {
    auto section = std::make_unique<Section>();
    section->maker = maker_;
    return section;
  }
  void append(RecordSection& section) override { log_ += std::exchange(static_cast<Section&>(section).text, ""); }

 private:
  std::string& log_;
  const Fails fails_;
  const std::thread::id maker_ = std::this_thread::get_id();
};

FlowRecord record_of(std::uint64_t packets) {
  FlowRecord record;
  record.packets = packets;
  return record;
}

TEST(TeeWriter, GivesEveryRecordToEach) {
  std::string one, other;
  std::vector<std::unique_ptr<RecordWriter>> writers;
  writers.push_back(std::make_unique<Noted>(one));
  writers.push_back(std::make_unique<Noted>(other));
  TeeWriter tee(std::move(writers));
  tee.begin();
  RecordStream stream(tee);
  stream.write(record_of(1), nullptr);
  stream.flush();
  tee.end();
  EXPECT_EQ(one, "begin 1 finish name end ");
  EXPECT_EQ(other, one);
}

TEST(TeeWriter, SectionsAreEncodedByTheThreadThatFillsThem) {
  std::string one, other;
  std::vector<std::unique_ptr<RecordWriter>> writers;
  writers.push_back(std::make_unique<Noted>(one));
  writers.push_back(std::make_unique<Noted>(other));
  TeeWriter tee(std::move(writers));
  const auto section = tee.format().new_section();
  std::jthread([&] { section->write(record_of(7), nullptr); }).join();
  section->write(record_of(8), nullptr);
  EXPECT_EQ(section->bytes(), 2 * std::string("7' 8 ").size());
  tee.append(*section);
  EXPECT_EQ(section->bytes(), 0u);
  EXPECT_EQ(one, "7' 8 ");
  EXPECT_EQ(other, one);
}

TEST(TeeWriter, EndsNoneWhereOneCannotBeFinished) {
  std::string one, other;
  std::vector<std::unique_ptr<RecordWriter>> writers;
  writers.push_back(std::make_unique<Noted>(one));
  writers.push_back(std::make_unique<Noted>(other, Noted::Fails::in_finish));
  TeeWriter tee(std::move(writers));
  EXPECT_THROW(tee.end(), Error);
  EXPECT_EQ(one, "finish ");
  EXPECT_EQ(other, "");
}

TEST(TeeWriter, TakesNamesBackWhereOneCannotBeGiven) {
  std::string first, second, third;
  std::vector<std::unique_ptr<RecordWriter>> writers;
  writers.push_back(std::make_unique<Noted>(first));
  writers.push_back(std::make_unique<Noted>(second, Noted::Fails::in_name));
  writers.push_back(std::make_unique<Noted>(third));
  TeeWriter tee(std::move(writers));
  EXPECT_THROW(tee.end(), Error);
  EXPECT_EQ(first, "finish name back ");
  EXPECT_EQ(second, "finish ");
  EXPECT_EQ(third, "finish ");
}

}  // namespace
}  // namespace warpmeter
