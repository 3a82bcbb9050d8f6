#include "parquet/parquet_files.h"

#include <dlfcn.h>

#include <string_view>

#include "parquet/parquet_module.h"
#include "warpmeter/status.h"

namespace warpmeter {
namespace {

#ifdef WARPMETER_HAVE_PARQUET

// What dlopen() said of a module, or of a library that it needs, in one line that tells what helps.
Error not_loaded(const std::string& reason) {
  if (reason.starts_with(std::string(kModuleFile) + ": cannot open shared object file")) {
    return Error(std::string("Parquet: there is no ") + kModuleFile +
                 " beside the program or in ../" WARPMETER_LIBRARY_FOLDER
                 " of it; the Debian package warpmeter-parquet has it");
  }
  return Error("Parquet: the module cannot be loaded: " + reason);
}

// Found by the program's own RUNPATH. Local, so that none of Arrow's symbols serves anybody else; never unloaded,
// since Arrow has threads and objects of its own.
const ParquetModule& load() {
  void* library = dlopen(kModuleFile, RTLD_NOW | RTLD_LOCAL);
  if (!library) throw not_loaded(dlerror());
  const auto entry = reinterpret_cast<ModuleEntry>(dlsym(library, kModuleEntry));
  if (!entry || std::string_view(entry()->version) != WARPMETER_VERSION) {
    throw Error(std::string("Parquet: ") + kModuleFile + " is of another version of warpmeter");
  }
  return *entry();
}

const ParquetModule& module() {
  static const ParquetModule& loaded = load();
  return loaded;
}

#else

const ParquetModule& module() {
  throw Error("Parquet: not built in; tools/setup-parquet gets what it needs, and the next build uses it",
              ExitStatus::usage);
}

#endif

}  // namespace

std::string parquet_support() {
  try {
    return std::string("built in (Arrow ") + module().arrow_version + ")";
  } catch (const Error& error) {
    return std::string(error.what()).substr(std::string_view("Parquet: ").size());
  }
}

void require_parquet() { module(); }

std::unique_ptr<OneByOneWriter> make_parquet_writer(ByteSink& sink, const RecordLayout& layout) {
  return std::unique_ptr<OneByOneWriter>(module().make_writer(sink, layout));
}

std::unique_ptr<RecordReader> make_parquet_reader(const std::string& path) {
  return std::unique_ptr<RecordReader>(module().make_reader(path));
}

}  // namespace warpmeter
