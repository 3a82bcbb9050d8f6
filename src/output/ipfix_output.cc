#include "output/ipfix_output.h"

#include "warpmeter/status.h"

#if WARPMETER_HAVE_IPFIX
#include "ipfix/ipfix_file_sink.h"
#include "ipfix/ipfix_writer.h"
#endif

namespace warpmeter {

#if WARPMETER_HAVE_IPFIX
namespace {

class IpfixFileWriter : public RecordWriter {
 public:
  IpfixFileWriter(ByteSink& file, const RecordLayout& layout, const IpfixOptions& options)
      : sink_(file), writer_(make_ipfix_writer(sink_, layout, options)) {}
  void begin() override { writer_->begin(); }
  void write(const FlowRecord& record, const FlowRecord* reverse) override { writer_->write(record, reverse); }
  void end() override { writer_->end(); }
  std::unique_ptr<RecordSection> new_section() const override { return writer_->new_section(); }
  void append(RecordSection& section) override { writer_->append(section); }

 private:
  IpfixFileSink sink_;
  const std::unique_ptr<RecordWriter> writer_;
};

}  // namespace

bool built_with_ipfix() { return true; }

std::unique_ptr<RecordWriter> make_ipfix_file_writer(ByteSink& file, const RecordLayout& layout,
                                                     const IpfixOptions& options) {
  return std::make_unique<IpfixFileWriter>(file, layout, options);
}

std::unique_ptr<RecordWriter> make_ipfix_writer_for(MessageSink& sink, const RecordLayout& layout,
                                                    const IpfixOptions& options) {
  return make_ipfix_writer(sink, layout, options);
}
#else
bool built_with_ipfix() { return false; }

std::unique_ptr<RecordWriter> make_ipfix_file_writer(ByteSink&, const RecordLayout&, const IpfixOptions&) {
  throw Error(kWithoutIpfix, ExitStatus::usage);
}

std::unique_ptr<RecordWriter> make_ipfix_writer_for(MessageSink&, const RecordLayout&, const IpfixOptions&) {
  throw Error(kWithoutIpfix, ExitStatus::usage);
}
#endif

}  // namespace warpmeter
