// Pages of docs/, and how what they link to is called in the manual.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "manual/manual.h"
#include "manual/markdown.h"

namespace warpmeter {

// "README.md", "docs/show.md". Throws std::runtime_error.
std::vector<MarkdownSection> read_paper(const ManualSources& sources, const std::string& path);

// The heading of the page, without what stands behind a colon.
std::string title_of(const std::vector<MarkdownSection>& paper);

// What a link of such a page leads to, on the manual page of that name: another manual page, or what has the paper's
// heading on this one. `sources` must outlive it.
LinkText links_on(const ManualSources& sources, std::string_view page);

// "warpmeter-show", 1 -> roff of warpmeter-show(1)
std::string page_reference(std::string_view name, int section);

Roff begin_page(const ManualSources& sources, std::string_view name, int section, std::string_view summary);

// The last section. `page` is left out, it is where the reader is.
void add_see_also(Roff& roff, const std::vector<std::string>& commands, std::string_view page);

}  // namespace warpmeter
