/* Makes a fast disk slow: each sync takes SYNC_US microseconds longer. cc -shared -fPIC slow-disk.c, then LD_PRELOAD. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>
static int slow(const char *name, int file) {
  int done = ((int (*)(int))dlsym(RTLD_NEXT, name))(file);
  usleep(getenv("SYNC_US") ? atoi(getenv("SYNC_US")) : 0);
  return done;
}
int fsync(int file) { return slow("fsync", file); }
int fdatasync(int file) { return slow("fdatasync", file); }
