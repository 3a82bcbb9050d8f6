// The pages of one column of a row group, none of them larger than its values can make it (file_limits.h): a page of
// one value that unpacks to a hundred megabytes costs that time once, and not each time that another one follows.
//
// Threads: as the reader that has it; one. Throws BadColumn.
#pragma once

#include <parquet/api/reader.h>
#include <parquet/column_page.h>

#include <cstdint>
#include <memory>
#include <string>

#include "record/parquet/module/column_cursor.h"
#include "record/parquet/module/file_limits.h"

namespace warpmeter::inline record {

class BoundedPages : public ::parquet::PageReader {
 public:
  explicit BoundedPages(std::unique_ptr<::parquet::PageReader> pages) : pages_(std::move(pages)) {}

  std::shared_ptr<::parquet::Page> NextPage() override {
    std::shared_ptr<::parquet::Page> page = pages_->NextPage();
    if (page && page->size() > most_of_page(values_of(*page))) {
      throw BadColumn("a page of " + std::to_string(page->size()) + " bytes for " + std::to_string(values_of(*page)) +
                      " values");
    }
    return page;
  }
  void set_max_page_header_size(std::uint32_t size) override { pages_->set_max_page_header_size(size); }

 private:
  static std::int64_t values_of(const ::parquet::Page& page) {
    if (const auto* data = dynamic_cast<const ::parquet::DataPage*>(&page)) return data->num_values();
    if (const auto* words = dynamic_cast<const ::parquet::DictionaryPage*>(&page)) return words->num_values();
    return 0;
  }

  const std::unique_ptr<::parquet::PageReader> pages_;
};

}  // namespace warpmeter::inline record
