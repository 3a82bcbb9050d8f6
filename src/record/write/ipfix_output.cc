#include "record/write/output_format.h"

#include "warpmeter/status.h"

#if WARPMETER_HAVE_IPFIX
#include "record/ipfix/ipfix_format.h"
#endif

namespace warpmeter::inline record {

#if WARPMETER_HAVE_IPFIX
namespace {

class IpfixFile : public FormattedFile {
 public:
  IpfixFile(const MessageFormat& format, OutputFile& file) : sink_(file), writer_(format.new_writer(sink_)) {}

  const RecordFormat& format() const override { return writer_->format(); }
  void begin() override { writer_->begin(); }
  void fill(RecordSection& section, std::uint64_t full) override {
    sink_.full_at(full);
    writer_->fill(section);
  }
  void end() override { writer_->end(); }
  bool may_be_cut() const override { return true; }
  void settle() override { writer_->flush(); }

 private:
  IpfixFileSink sink_;
  const std::unique_ptr<MessageWriter> writer_;
};

class IpfixFileFormat : public FileFormat {
 public:
  explicit IpfixFileFormat(std::unique_ptr<const MessageFormat> messages) : messages_(std::move(messages)) {}

  std::unique_ptr<RecordSection> new_section() const override { return messages_->new_section(); }
  std::unique_ptr<FormattedFile> new_file(OutputFile& file) const override {
    return std::make_unique<IpfixFile>(*messages_, file);
  }

 private:
  const std::unique_ptr<const MessageFormat> messages_;
};

}  // namespace

bool built_with_ipfix() { return true; }

std::unique_ptr<FileFormat> make_ipfix_file_format(const RecordLayout& layout, const IpfixOptions& options) {
  return std::make_unique<IpfixFileFormat>(make_ipfix_messages(layout, options));
}

std::unique_ptr<MessageFormat> make_ipfix_messages(const RecordLayout& layout, const IpfixOptions& options) {
  return make_ipfix_format(layout, options);
}
#else
bool built_with_ipfix() { return false; }

std::unique_ptr<FileFormat> make_ipfix_file_format(const RecordLayout&, const IpfixOptions&) {
  throw Error(kWithoutIpfix, ExitStatus::usage);
}

std::unique_ptr<MessageFormat> make_ipfix_messages(const RecordLayout&, const IpfixOptions&) {
  throw Error(kWithoutIpfix, ExitStatus::usage);
}
#endif

}  // namespace warpmeter::inline record
