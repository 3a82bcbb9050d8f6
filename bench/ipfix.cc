// Flow Records a second of CPU time: as CSV, as IPFIX, and as IPFIX by libfixbuf's own transcoder. All in one run,
// since only the ratios mean anything: `ipfix_bench [--smoke]`.
#include <time.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <random>
#include <vector>

#include "base/files/output_file.h"
#include "core/record_writer.h"
#include "record/ipfix/info_model.h"
#include "record/ipfix/ipfix_format.h"
#include "record/ipfix/record_shape.h"
#include "record/text/file_format.h"
#include "support/fixbuf_oracle.h"
#include "support/ipfix_records.h"

namespace {

using namespace warpmeter;

constexpr std::size_t kRecords = 4096;  // different ones, written again and again
constexpr int kRounds = 3;              // the best one counts

// Small flows, IPv4 first as in the output; three of four TCP, half of these with a connection.
std::vector<FlowRecord> small_flows() {
  std::mt19937_64 random(1);
  std::vector<FlowRecord> records;
  for (std::size_t i = 0; i < kRecords; ++i) {
    const std::uint8_t protocol = random() % 4 ? kProtocolTcp : kProtocolUdp;
    records.push_back(test::random_record(random, protocol, i < kRecords * 4 / 5 ? 4 : 6, 12));
  }
  return records;
}

void write_all(RecordWriter& writer, const std::vector<FlowRecord>& records, std::size_t times) {
  writer.begin();
  RecordStream stream(writer);
  for (std::size_t i = 0; i < times; ++i) {
    for (const FlowRecord& record : records) stream.write(record, nullptr);
  }
  stream.flush();
  writer.end();
}

void write_csv(const std::vector<FlowRecord>& records, std::size_t times) {
  OutputFile output("/dev/null");
  const auto format = make_csv_format({});
  write_all(*format->new_file(output), records, times);
  output.commit();
}

void write_ipfix(const std::vector<FlowRecord>& records, std::size_t times) {
  OutputFile output("/dev/null");
  IpfixFileSink sink(output);
  const auto format = make_ipfix_format({}, {});
  write_all(*format->new_writer(sink), records, times);
  output.commit();
}

// Records as a program that uses libfixbuf has them: structs in host order, one Template after the other.
void write_with_libfixbuf(const std::vector<FlowRecord>& records, std::size_t times) {
  const InfoModel model;
  const ShapeRules rules({}, IpfixProfile::everything);
  const std::vector<RecordShape> shapes = rules.usual_shapes();
  std::vector<Fields> templates;
  for (const RecordShape& shape : shapes) templates.push_back(rules.fields_of(shape));
  std::vector<std::size_t> numbers;
  std::vector<std::vector<std::uint8_t>> structs;
  for (const FlowRecord& record : records) {
    const auto shape = std::find(shapes.begin(), shapes.end(), rules.shape_of(record, nullptr));
    numbers.push_back(static_cast<std::size_t>(shape - shapes.begin()));
    structs.push_back(test::host_record(model, templates[numbers.back()], record, nullptr));
  }
  test::FixbufOracle writer(model, templates, 1, 65535);
  for (std::size_t i = 0; i < times; ++i) {
    for (std::size_t r = 0; r < records.size(); ++r) writer.write_bytes(numbers[r], structs[r]);
    writer.finish();
  }
}

// Of this thread, which does all of the work: other programs on the machine matter less.
double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

double records_a_second(const std::function<void(std::size_t)>& write, std::size_t times) {
  double best = 0;
  for (int round = 0; round < kRounds; ++round) {
    const double start = cpu_seconds();
    write(times);
    best = std::max(best, static_cast<double>(kRecords * times) / (cpu_seconds() - start));
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  const bool smoke = argc == 2 && std::strcmp(argv[1], "--smoke") == 0;
  if (argc > 1 && !smoke) {
    std::fprintf(stderr, "usage: ipfix_bench [--smoke]\n");
    return 2;
  }
  const std::size_t times = smoke ? 2 : 500;
  const std::vector<FlowRecord> records = small_flows();
  const double csv = records_a_second([&](std::size_t t) { write_csv(records, t); }, times);
  const double ipfix = records_a_second([&](std::size_t t) { write_ipfix(records, t); }, times);
  const double libfixbuf = records_a_second([&](std::size_t t) { write_with_libfixbuf(records, t); }, times);
  std::printf("CSV        %6.2f M records/s\n", csv / 1e6);
  std::printf("IPFIX      %6.2f M records/s, %.2f times CSV\n", ipfix / 1e6, ipfix / csv);
  std::printf("libfixbuf  %6.2f M records/s, %.2f times CSV\n", libfixbuf / 1e6, libfixbuf / csv);
  return 0;
}
