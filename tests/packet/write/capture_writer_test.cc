// Captures that were written are read again: packets, times, interfaces, comments; and what a form cannot tell is said.
#include "packet/write/capture_writer.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "packet/file/interface_list.h"
#include "packet/file/pcapng_reader.h"
#include "support/pcapng_file.h"
#include "support/read_capture.h"
#include "support/text_sink.h"
#include "support/thrown_text.h"
#include "warpmeter/link_type.h"

namespace warpmeter {
namespace {

using test::Bytes;
using test::counting_bytes;
using test::operator+;
using test::PcapngFile;

constexpr std::int64_t kTime = 1'700'000'000'123'456'789;

Bytes bytes_of(const test::TextSink& sink) { return {sink.text.begin(), sink.text.end()}; }

// Writes frames as records that were made ahead, the third as a packet in pieces.
class Writing {
 public:
  explicit Writing(CaptureForm form) : form_(form), writer_(form, sink, list, "x") {}

  void add(const Frame& frame) {
    FrameInterfaces numbers(&list);
    const std::uint16_t interface = numbers.number_of(frame.link, frame.point);
    PacketRecords records;
    records.add(form_, frame, interface, 0);
    write(records);
  }
  void add_in_pieces(const Frame& frame, const std::vector<std::string>& comments) {
    FrameInterfaces numbers(&list);
    const RecordFacts facts{frame.time_ns, frame.captured, frame.original, numbers.number_of(frame.link, frame.point)};
    PacketRecords records;
    records.begin(form_, facts, comments);
    for (std::uint32_t i = 0; i < frame.captured; ++i) records.add_bytes(frame.data + i, 1);
    records.end(form_, facts, comments, 0);
    write(records);
  }
  void finish() { writer_.finish(kLinkEthernet); }

  test::TextSink sink;
  InterfaceList list;

 private:
  void write(PacketRecords& records) {
    writer_.write(records, 0, records.size());
    writer_.flush();
  }

  const CaptureForm form_;
  CaptureWriter writer_;
};

// What a pcapng file tells beside its packets.
struct Told {
  std::vector<InterfaceFacts> interfaces;
  std::vector<std::uint16_t> from;    // of each packet, less 1
  std::vector<std::string> comments;  // of all packets
};

Told told_by(const Bytes& file) {
  const test::ScratchFolder folder;
  const std::atomic<bool> stop = false;
  const auto list = std::make_shared<InterfaceList>();
  const auto reader = open_capture(folder.write("x", file), stop, {.interfaces = list});
  Told told;
  FrameBlock block;
  while (reader->read(block, 1000)) continue;
  for (const Frame& frame : block.frames) {
    told.from.push_back(static_cast<std::uint16_t>(frame.point - 1));
    each_comment(frame, [&told](std::string comment) { told.comments.push_back(std::move(comment)); });
  }
  told.interfaces = reader->facts().interfaces;
  return told;
}

TEST(CaptureWriter, WhatIsWrittenIsReadAgain) {
  for (const CaptureForm form : {CaptureForm::pcap, CaptureForm::pcapng}) {
    Writing writing(form);
    for (std::uint32_t size = 0; size < 9; ++size) {
      const Bytes bytes = counting_bytes(size);
      const Frame frame{bytes.data(), kTime + size, size, size + 2, kLinkRaw};
      if (size == 2) writing.add_in_pieces(frame, {});
      else writing.add(frame);
    }
    writing.finish();
    const test::ReadCapture read = test::read_bytes(bytes_of(writing.sink));
    EXPECT_FALSE(read.damage);
    ASSERT_EQ(read.frames.size(), 9u);
    for (std::uint32_t size = 0; size < 9; ++size) {
      EXPECT_EQ(read.frames[size].time_ns, kTime + size);
      EXPECT_EQ(read.frames[size].original, size + 2);
      EXPECT_EQ(read.frames[size].link, kLinkRaw);
      EXPECT_EQ(read.frames[size].bytes, counting_bytes(size));
    }
  }
}

// Long packets lie outside of their records, until these are to keep them.
TEST(CaptureWriter, LongPacketsAreWrittenFromWhereTheyLie) {
  const Frame frames[] = {{nullptr, 0, 0, 0, kLinkRaw},
                          {nullptr, 1, 2'000, 2'000, kLinkRaw},
                          {nullptr, 2, 7, 9, kLinkRaw},
                          {nullptr, 3, 1'001, 1'001, kLinkRaw},
                          {nullptr, 4, 3'003, 3'003, kLinkRaw}};
  for (const CaptureForm form : {CaptureForm::pcap, CaptureForm::pcapng}) {
    for (const bool keep : {false, true}) {
      test::TextSink sink;
      InterfaceList list;
      CaptureWriter writer(form, sink, list, "x");
      const std::uint16_t interface = list.of_link(kLinkRaw);
      PacketRecords records;
      Bytes all = counting_bytes(3'003);
      for (Frame frame : frames) {
        frame.data = all.data();
        records.add(form, frame, interface, static_cast<std::uint32_t>(frame.time_ns));
      }
      if (keep) {
        records.keep();
        all.assign(all.size(), 0);
      }
      writer.write(records, 0, 3);
      writer.write(records, 3, 5);
      writer.finish(kLinkRaw);
      const test::ReadCapture read = test::read_bytes(bytes_of(sink));
      EXPECT_FALSE(read.damage);
      ASSERT_EQ(read.frames.size(), 5u);
      for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(read.frames[i].bytes, counting_bytes(frames[i].captured));
    }
  }
}

TEST(CaptureWriter, WithoutPacketsThereIsAFile) {
  for (const CaptureForm form : {CaptureForm::pcap, CaptureForm::pcapng}) {
    Writing writing(form);
    writing.finish();
    const test::ReadCapture read = test::read_bytes(bytes_of(writing.sink));
    EXPECT_FALSE(read.damage);
    EXPECT_TRUE(read.frames.empty());
  }
}

TEST(CaptureWriter, PcapHasOneLinkType) {
  const Bytes bytes = counting_bytes(4);
  Writing writing(CaptureForm::pcap);
  writing.add({bytes.data(), kTime, 4, 4, kLinkRaw});
  const std::string said = test::thrown_text([&] { writing.add({bytes.data(), kTime, 4, 4, kLinkEthernet}); });
  EXPECT_EQ(said.find("x: the inputs have packets of link types 101"), 0u) << said;
  EXPECT_NE(said.find(".pcapng"), said.npos) << said;
}

// Numbers are given by the order of packets; an interface without packets comes last.
TEST(CaptureWriter, InterfacesComeBeforeTheirPackets) {
  Writing writing(CaptureForm::pcapng);
  InterfaceList::Section section(writing.list);
  const std::uint16_t idle = section.next({.name = "idle", .link = kLinkEthernet, .snap_length = 96});
  const std::uint16_t second = section.next({.name = "second", .description = "a tap", .link = kLinkRaw});
  const std::uint16_t first = section.next({.name = "first", .link = kLinkEthernet, .snap_length = 300'000});
  EXPECT_EQ(idle, 1);
  const Bytes bytes = counting_bytes(5);
  writing.add({bytes.data(), kTime, 5, 5, kLinkEthernet, false, first});
  writing.add({bytes.data(), kTime, 5, 5, kLinkRaw, false, second});
  writing.add({bytes.data(), kTime, 5, 5, kLinkEthernet, false, first});
  writing.finish();
  const Told told = told_by(bytes_of(writing.sink));
  EXPECT_EQ(told.from, (std::vector<std::uint16_t>{0, 1, 0}));
  ASSERT_EQ(told.interfaces.size(), 3u);
  EXPECT_EQ(told.interfaces[0].name, "first");
  EXPECT_EQ(told.interfaces[0].snap_length, 300'000u);
  EXPECT_EQ(told.interfaces[0].resolution, 9);
  EXPECT_EQ(told.interfaces[1].name, "second");
  EXPECT_EQ(told.interfaces[1].description, "a tap");
  EXPECT_EQ(told.interfaces[1].link, kLinkRaw);
  EXPECT_EQ(told.interfaces[2].name, "idle");
  EXPECT_EQ(told.interfaces[2].snap_length, 262'144u);
}

TEST(CaptureWriter, CommentsStay) {
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    PcapngFile file(order);
    file.interface(kLinkEthernet);
    Bytes options = file.writer().u16(2).u16(4).u32(1).data();
    for (const char* const text : {"one", "and two"}) {
      const std::string comment = text;
      options =
          options + file.writer().u16(1).u16(comment.size()).bytes({comment.begin(), comment.end()}).pad_to_4().data();
    }
    const Bytes body = file.writer().u32(0).u64(1).u32(5).u32(5).bytes(counting_bytes(5)).pad_to_4().data();
    file.block(6, body + options + Bytes(4));
    const test::ScratchFolder folder;
    const std::atomic<bool> stop = false;
    const auto reader =
        open_capture(folder.write("x", file.data()), stop, {.interfaces = std::make_shared<InterfaceList>()});
    FrameBlock block;
    while (reader->read(block, 10)) continue;
    ASSERT_EQ(block.frames.size(), 1u);
    Frame frame = block.frames.front();
    frame.point = 0;
    Writing writing(CaptureForm::pcapng);
    writing.add(frame);
    writing.add_in_pieces(frame, {"joined 2", ""});
    writing.finish();
    const Told told = told_by(bytes_of(writing.sink));
    EXPECT_EQ(told.comments, (std::vector<std::string>{"one", "and two", "joined 2", ""}));
  }
}

// The time of a packet before 1970 cannot be told.
TEST(CaptureWriter, TimesEndWhereFormatsDo) {
  for (const CaptureForm form : {CaptureForm::pcap, CaptureForm::pcapng}) {
    Writing writing(form);
    const Bytes bytes = counting_bytes(1);
    writing.add({bytes.data(), -5, 1, 1, kLinkRaw});
    writing.finish();
    EXPECT_EQ(test::read_bytes(bytes_of(writing.sink)).frames.at(0).time_ns, 0);
  }
}

}  // namespace
}  // namespace warpmeter
