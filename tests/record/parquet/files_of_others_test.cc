// Columns of the right names and other types, and files that hold no Flow Records.
#include <gtest/gtest.h>
#include <parquet/api/writer.h>

#include <cmath>

#include "base/files/named_pipe.h"
#include "support/parquet_bytes.h"
#include "support/thrown_text.h"

namespace warpmeter {
namespace {

using ::parquet::ConvertedType;
using ::parquet::LogicalType;
using ::parquet::Repetition;
using Physical = ::parquet::Type;
using Types = std::shared_ptr<const LogicalType>;

// A file column by column, a row group with one row a value.
class OthersFile {
 public:
  explicit OthersFile(std::int64_t rows) : rows_(rows) {}

  template <class Parquet>
  OthersFile& column(const std::string& name, std::vector<typename Parquet::c_type> values, Types type = nullptr,
                     std::vector<std::int16_t> levels = {}, int length = -1) {
    fields_.push_back(
        ::parquet::schema::PrimitiveNode::Make(name, levels.empty() ? Repetition::REQUIRED : Repetition::OPTIONAL,
                                               type ? type : LogicalType::None(), Parquet::type_num, length));
    writes_.push_back([this, values, levels](::parquet::RowGroupWriter& group) {
      static_cast<::parquet::TypedColumnWriter<Parquet>*>(group.NextColumn())
          ->WriteBatch(rows_, levels.empty() ? nullptr : levels.data(), nullptr, values.data());
    });
    return *this;
  }
  OthersFile& text(const std::string& name, const std::vector<const char*>& texts, Types type = LogicalType::String()) {
    std::vector<::parquet::ByteArray> values;
    for (const char* text : texts) values.emplace_back(std::string_view(text));
    return column<::parquet::ByteArrayType>(name, values, type);
  }
  OthersFile& numbers(const std::string& name, const std::vector<std::int32_t>& values) {
    return column<::parquet::Int32Type>(name, values);
  }
  OthersFile& key(const char* source = "1.2.3.4", const char* destination = "5.6.7.8") {
    const auto rows = static_cast<std::size_t>(rows_);
    text("src_addr", std::vector(rows, source)).text("dst_addr", std::vector(rows, destination));
    return numbers("protocol", std::vector<std::int32_t>(rows, kProtocolTcp));
  }

  void write(const std::string& path) const {
    test::StringSink sink;
    const auto stream = std::make_shared<SinkStream>(sink);
    const auto schema = ::parquet::schema::GroupNode::Make("schema", Repetition::REQUIRED, fields_);
    const auto file =
        ::parquet::ParquetFileWriter::Open(stream, std::static_pointer_cast<::parquet::schema::GroupNode>(schema));
    ::parquet::RowGroupWriter& group = *file->AppendRowGroup();
    for (const auto& write : writes_) write(group);
    file->Close();
    test::write_file(path, sink.text);
  }
  test::ReadBack read() const {
    const test::ScratchFolder folder;
    write(folder.file("theirs"));
    return test::read_back(folder.file("theirs"));
  }
  std::string complaint() const {
    const test::ScratchFolder folder;
    write(folder.file("theirs"));
    const std::string text =
        test::thrown_text([&] { RecordFileReader reader(folder.file("theirs"), open_to_read(folder.file("theirs"))); });
    return text.starts_with(folder.path()) ? text.substr(folder.path().size() + 1) : text;
  }

 private:
  const std::int64_t rows_;
  ::parquet::schema::NodeVector fields_;
  std::vector<std::function<void(::parquet::RowGroupWriter&)>> writes_;
};

Types timestamp(LogicalType::TimeUnit::unit unit) { return LogicalType::Timestamp(false, unit); }

TEST(FilesOfOthers, MayHaveFewColumns) {
  const test::ReadBack back = OthersFile(1).key().numbers("packets", {7}).numbers("colour", {1}).read();
  ASSERT_EQ(back.flows.size(), 1u);
  const FlowRecord& record = back.flows[0].forward;
  EXPECT_EQ(record.packets, 7u);
  EXPECT_EQ(back.layout.absent, ((1u << kColumns.size()) - 1) & ~1u);
  EXPECT_FALSE(back.layout.vlan);
  EXPECT_EQ(column_value(1, record, back.layout.absent | record.absent), std::nullopt);
  EXPECT_EQ(record.start_ns, 0);
}

TEST(FilesOfOthers, CountInAnyType) {
  const std::uint8_t five[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x12, 0x34};
  const test::ReadBack back =
      OthersFile(2)
          .key()
          .column<::parquet::DoubleType>("packets", {3, NAN})
          .column<::parquet::FloatType>("bytes", {5, 6})
          .column<::parquet::Int32Type>("payload_bytes", {-1, 1}, LogicalType::Int(32, false))
          .column<::parquet::FLBAType>("missing_bytes", {::parquet::FixedLenByteArray(five), ::parquet::FLBA(five)},
                                       LogicalType::Decimal(20, 0), {}, 16)
          .column<::parquet::Int64Type>("syn_count", {9}, nullptr, {0, 1})
          .column<::parquet::Int64Type>("connection_bytes", {77}, nullptr, {1, 0})
          .column<::parquet::Int64Type>("duplicate_bytes", {7, INT64_MAX}, LogicalType::Int(64, false))
          .read();
  ASSERT_FALSE(back.damage) << back.damage->reason;
  ASSERT_EQ(back.flows.size(), 2u);
  const FlowRecord &first = back.flows[0].forward, &second = back.flows[1].forward;
  EXPECT_EQ(first.packets, 3u);
  EXPECT_TRUE(second.absent >> column_number("packets") & 1);
  EXPECT_EQ(first.bytes, 5u);
  EXPECT_EQ(first.payload_bytes, 0xffff'ffffu);
  EXPECT_EQ(first.missing_bytes, 0x1234u);
  EXPECT_TRUE(first.absent >> column_number("syn_count") & 1);
  EXPECT_EQ(second.syn_count, 9u);
  EXPECT_EQ(first.duplicate_bytes, 7u);
  EXPECT_EQ(second.duplicate_bytes, static_cast<std::uint64_t>(INT64_MAX));
  EXPECT_EQ(column_value(column_number("connection_bytes"), first, first.absent), 77);
  EXPECT_EQ(column_value(column_number("connection_ns"), first, first.absent), std::nullopt);
  EXPECT_EQ(column_value(column_number("connection_bytes"), second, second.absent), std::nullopt);
}

TEST(FilesOfOthers, TellMicrosecondsByTheirNames) {
  const auto back = OthersFile(2)
                        .key()
                        .column<::parquet::Int64Type>("start_us", {5, -5})
                        .column<::parquet::DoubleType>("end_us", {7, 8})
                        .column<::parquet::Int64Type>("connection_us", {3, 4})
                        .read();
  ASSERT_EQ(back.flows.size(), 2u);
  EXPECT_EQ(back.flows[0].forward.start_ns, 5'000);
  EXPECT_EQ(back.flows[1].forward.start_ns, -5'000);
  EXPECT_EQ(back.flows[1].forward.end_ns, 8'000);
  EXPECT_EQ(back.flows[0].forward.connection_ns, 3'000);
}

TEST(FilesOfOthers, TellTimeInAnyUnit) {
  const auto start_of = [](OthersFile& file) { return file.read().flows.at(0).forward.start_ns; };
  using Unit = LogicalType::TimeUnit;
  EXPECT_EQ(start_of(OthersFile(1).key().column<::parquet::Int64Type>("start_ns", {1500}, timestamp(Unit::MILLIS))),
            1'500'000'000);
  EXPECT_EQ(start_of(OthersFile(1).key().column<::parquet::Int64Type>("start_ns", {-2}, timestamp(Unit::MICROS))),
            -2000);
  EXPECT_EQ(start_of(OthersFile(1).key().column<::parquet::Int64Type>("start_ns", {3}, timestamp(Unit::NANOS))), 3);
  EXPECT_EQ(start_of(OthersFile(1).key().column<::parquet::Int64Type>("start_ns", {4})), 4);
  ::parquet::Int96 noon{};  // of 1970-01-02, as a Julian day and ns into it
  ::parquet::Int96SetNanoSeconds(noon, 43'200'000'000'000);
  noon.value[2] = 2'440'589;
  EXPECT_EQ(start_of(OthersFile(1).key().column<::parquet::Int96Type>("start_ns", {noon})), 129'600'000'000'000);
}

TEST(FilesOfOthers, MayHaveAddressesAsBytes) {
  const std::uint8_t four[4] = {10, 1, 2, 3};
  const std::uint8_t mapped[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 9, 8, 7, 6};
  const auto file_of = [](const std::uint8_t* bytes, int length) {
    OthersFile file(1);
    file.column<::parquet::FLBAType>("src_addr", {::parquet::FLBA(bytes)}, nullptr, {}, length);
    file.column<::parquet::ByteArrayType>("dst_addr", {::parquet::ByteArray(static_cast<std::uint32_t>(length), bytes)},
                                          nullptr);
    return file.numbers("protocol", {17}).read().flows.at(0).forward.key;
  };
  for (const FlowKey& key : {file_of(four, 4), file_of(mapped, 16)}) {
    EXPECT_EQ(key.version, 4);
    EXPECT_EQ(key.source[0], key.version == 4 && key.source[1] == 1 ? 10 : 9);
    EXPECT_EQ(std::memcmp(key.source, key.destination, sizeof key.source), 0);
    for (int i = 4; i < 16; ++i) EXPECT_EQ(key.source[i], 0);
  }
  EXPECT_EQ(OthersFile(1).key("::ffff:1.2.3.4", "::1").read().flows.at(0).forward.key.version, 6);
  OthersFile plain(1);  // text that does not say so
  plain.text("src_addr", {"1.2.3.4"}, LogicalType::None()).text("dst_addr", {"5.6.7.8"}, LogicalType::None());
  EXPECT_EQ(plain.numbers("protocol", {6}).read().flows.at(0).forward.key.destination[3], 8);
}

TEST(FilesOfOthers, TablesOfPacketsAreRefused) {
  const auto fill = [](OthersFile& file, const char* time) {
    file.key().column<::parquet::Int64Type>(time, {1}, timestamp(LogicalType::TimeUnit::NANOS));
    file.numbers("duplicate_of", {1}).text("verdict", {"new"});
  };
  OthersFile packets(1), flows(1);
  fill(packets, "time_ns");
  fill(flows, "start_ns");
  EXPECT_EQ(packets.complaint(), "theirs: a table of packets, which are no Flow Records");
  EXPECT_EQ(flows.read().flows.size(), 1u);
}

TEST(FilesOfOthers, WithoutFlowRecordsAreRefused) {
  EXPECT_EQ(OthersFile(1).numbers("a", {1}).complaint(), "theirs: has no column src_addr, so no Flow Records");
  EXPECT_EQ(OthersFile(1).key().text("src_port", {"http"}).complaint(),
            "theirs: the type of its column src_port is none that Flow Records can have");
  EXPECT_EQ(OthersFile(1)
                .key()
                .column<::parquet::Int64Type>("packets", {1}, timestamp(LogicalType::TimeUnit::NANOS))
                .complaint(),
            "theirs: the type of its column packets is none that Flow Records can have");
}

// The rows before the one that makes no sense count.
TEST(FilesOfOthers, EndWhereARowMakesNoSense) {
  const auto reason = [](OthersFile& file, std::size_t rows) {
    const test::ReadBack back = file.read();
    EXPECT_EQ(back.flows.size(), rows);
    return back.damage ? back.damage->reason : "none";
  };
  EXPECT_EQ(reason(OthersFile(3).key().numbers("src_port", {1, 2, 70'000}), 2),
            "row group 1: row 3: src_port: 70000 is not possible");
  EXPECT_EQ(reason(OthersFile(3).key().numbers("bytes", {1, -2, 3}).numbers("packets", {-1, 2, 3}), 0),
            "row group 1: row 1: packets: -1 is not possible");
  EXPECT_EQ(reason(OthersFile(2).key().column<::parquet::Int64Type>("bytes", {1, -1}, LogicalType::Int(64, false)), 1),
            "row group 1: row 2: bytes: 18446744073709551615 is not possible");
  EXPECT_EQ(reason(OthersFile(2).key().column<::parquet::DoubleType>("bytes", {1, 2.5}), 1),
            "row group 1: row 2: bytes: 2.500000 is no whole number");
  EXPECT_EQ(reason(OthersFile(1).key("1.2.3", "1.2.3.4"), 0), "row group 1: row 1: src_addr: no address");
  EXPECT_EQ(reason(OthersFile(1).key("1.2.3.4", "::1"), 0), "row group 1: row 1: one address is IPv4, the other IPv6");
  EXPECT_EQ(reason(OthersFile(1).key().column<::parquet::Int64Type>("end_ns", {INT64_MAX / 2},
                                                                    timestamp(LogicalType::TimeUnit::MICROS)),
                   0),
            "row group 1: row 1: end_ns: a time beyond what nanoseconds can count");
}

}  // namespace
}  // namespace warpmeter
