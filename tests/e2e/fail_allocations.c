// Preloaded into a program (LD_PRELOAD): there is no memory for anything of $FAIL_BYTES or more that is smaller than $FAIL_BELOW,
// as at a limit of a control group or of `ulimit -v`, but always at the same place.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>

static int is_refused(size_t bytes) {
  const char *from = getenv("FAIL_BYTES"), *below = getenv("FAIL_BELOW");
  return from && below && bytes >= strtoull(from, NULL, 10) && bytes < strtoull(below, NULL, 10);
}

void *malloc(size_t bytes) {
  static void *(*real)(size_t);
  if (!real) real = (void *(*)(size_t))dlsym(RTLD_NEXT, "malloc");
  if (is_refused(bytes)) return errno = ENOMEM, NULL;
  return real(bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes) {
  static void *(*real)(size_t, size_t);
  if (!real) real = (void *(*)(size_t, size_t))dlsym(RTLD_NEXT, "aligned_alloc");
  if (is_refused(bytes)) return errno = ENOMEM, NULL;
  return real(alignment, bytes);
}
