/* Simulates a disk that does not answer for one file. Loaded into the station (LD_PRELOAD), the library blocks every open of a file
 * whose path ends with DAMCAST_HANGS, as long as that file exists. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static int hangs(const char *path) {
    const char *end = getenv("DAMCAST_HANGS");
    size_t length = end ? strlen(end) : 0, all = strlen(path);
    return length && all >= length && strcmp(path + all - length, end) == 0 && access(path, F_OK) == 0;
}

int open64(const char *path, int flags, ...) {
    int (*real)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open64");
    va_list rest;
    va_start(rest, flags);
    mode_t mode = (flags & O_CREAT) ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    while (hangs(path)) usleep(10000);
    return real(path, flags, mode);
}
