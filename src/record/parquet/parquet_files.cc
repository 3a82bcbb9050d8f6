#include "record/parquet/parquet_files.h"

#include <dlfcn.h>
#include <sys/auxv.h>

#include <string_view>

#include "base/files/found_file.h"
#include "warpmeter/status.h"

namespace warpmeter::inline record {
namespace {

#ifdef WARPMETER_HAVE_PARQUET

// What dlopen() said of a module, or of a library that it needs, in one line that tells what helps.
Error not_loaded(const std::string& reason) {
  if (reason.starts_with(std::string(kModuleFile) + ": cannot open shared object file")) {
    return Error(std::string("Parquet: there is no ") + kModuleFile +
                 " beside the program or in ../" WARPMETER_LIBRARY_FOLDER
                 " of it, for libwarpmeter in warpmeter/ beside it; the Debian package warpmeter-parquet has it");
  }
  return Error("Parquet: the module cannot be loaded: " + reason);
}

// Found by the RUNPATH of the program, or of libwarpmeter. That says nothing for a program that has rights of its own
// (setcap): whoever links to it elsewhere would choose what it loads with them. It takes what is installed where it was
// built for, and no other.
//
// Local, so that none of Arrow's symbols serves anybody else; never unloaded, since Arrow has threads and objects of
// its own.
void* open_module() {
  constexpr int kHow = RTLD_NOW | RTLD_LOCAL;
  if (void* library = dlopen(kModuleFile, kHow)) return library;
  if (!getauxval(AT_SECURE)) throw not_loaded(dlerror());
  const std::string installed = std::string(WARPMETER_LIBRARY_PATH "/") + kModuleFile;
  if (void* library = dlopen(installed.c_str(), kHow)) return library;
  const std::string reason = dlerror();
  if (!reason.starts_with(installed + ": cannot open shared object file")) throw not_loaded(reason);
  throw Error("Parquet: a program with rights of its own (setcap) loads nothing from beside it, and there is no " +
              installed +
              "; AmbientCapabilities of systemd, or setpriv --ambient-caps, give rights that change nothing here");
}

const ParquetModule& load() {
  void* const library = open_module();
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

std::unique_ptr<RowsWriter> make_rows_writer(ByteSink& sink, RowsForm form, ArrowSchema& schema, unsigned threads) {
  return std::unique_ptr<RowsWriter>(module().make_rows_writer(sink, form, schema, threads));
}

std::unique_ptr<RecordReader> make_parquet_reader(const std::string& path) {
  const ParquetModule& parquet = module();
  return std::unique_ptr<RecordReader>(parquet.make_reader(path, open_input(path)));
}

}  // namespace warpmeter::inline record
