// Preloaded into a program (LD_PRELOAD): what of a file whose path ends with $FAIL_NAME lies behind byte $FAIL_FROM cannot be
// read, as if its disk failed there (EIO).
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

// How many of `count` bytes from `at` on may be read; -1: none.
static ssize_t allowed(int fd, size_t count, off_t at) {
  const char *name = getenv("FAIL_NAME"), *from = getenv("FAIL_FROM");
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const ssize_t length = readlink(link, path, sizeof path - 1);
  if (!name || !from || length < 0) return (ssize_t)count;
  path[length] = 0;
  const size_t end = strlen(name);
  if ((size_t)length < end || strcmp(path + length - end, name) != 0) return (ssize_t)count;
  const off_t left = atoll(from) - at;
  if (left <= 0) return -1;
  return left < (off_t)count ? (ssize_t)left : (ssize_t)count;
}

ssize_t pread(int fd, void *to, size_t count, off_t at) {
  static ssize_t (*real)(int, void *, size_t, off_t);
  if (!real) real = (ssize_t(*)(int, void *, size_t, off_t))dlsym(RTLD_NEXT, "pread64");
  const ssize_t may = allowed(fd, count, at);
  if (may < 0 && count > 0) return errno = EIO, -1;
  return real(fd, to, (size_t)may, at);
}
ssize_t pread64(int fd, void *to, size_t count, off_t at) { return pread(fd, to, count, at); }

ssize_t read(int fd, void *to, size_t count) {
  static ssize_t (*real)(int, void *, size_t);
  if (!real) real = (ssize_t(*)(int, void *, size_t))dlsym(RTLD_NEXT, "read");
  const off_t at = lseek(fd, 0, SEEK_CUR);
  const ssize_t may = at < 0 ? (ssize_t)count : allowed(fd, count, at);
  if (may < 0 && count > 0) return errno = EIO, -1;
  return real(fd, to, (size_t)may);
}
