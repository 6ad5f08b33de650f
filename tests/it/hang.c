/* Simulates a disk that does not answer. Loaded into the station (LD_PRELOAD), the library blocks
 * - every open of a file whose path ends with DAMCAST_HANGS, as long as that file exists;
 * - every write and sync of a regular file, as long as the file DAMCAST_STALLS exists. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

static void wait_while_stalled(int fd) {
    const char *stalls = getenv("DAMCAST_STALLS");
    struct stat file;
    if (!stalls || fstat(fd, &file) != 0 || !S_ISREG(file.st_mode)) return;
    while (access(stalls, F_OK) == 0) usleep(10000);
}

#define REAL(name) __typeof__(&name) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

ssize_t write(int fd, const void *bytes, size_t size) {
    REAL(write);
    wait_while_stalled(fd);
    return real(fd, bytes, size);
}

ssize_t pwrite64(int fd, const void *bytes, size_t size, off64_t at) {
    REAL(pwrite64);
    wait_while_stalled(fd);
    return real(fd, bytes, size, at);
}

int fdatasync(int fd) {
    REAL(fdatasync);
    wait_while_stalled(fd);
    return real(fd);
}

int fsync(int fd) {
    REAL(fsync);
    wait_while_stalled(fd);
    return real(fd);
}
