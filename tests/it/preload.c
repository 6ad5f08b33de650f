/* Kills the process, or makes operations fail, at the k-th operation that changes a file under a folder.
 *
 * Loaded into the station (LD_PRELOAD), the library counts writes, syncs and name changes of files whose path begins with
 * DAMCAST_UNDER. It hits number DAMCAST_AT and the DAMCAST_COUNT - 1 operations that follow. With DAMCAST_ERRNO=0 it kills the process
 * before the operation, or after half of it if it is a write and DAMCAST_HALF is set. Otherwise the operation fails with that error
 * number (a write first writes half). When the process ends by itself, the file DAMCAST_REPORT contains the number of operations.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static atomic_long count;
static const char *under;
static long at = -1, length = 1, number;
static int half;

static long setting(const char *name, long otherwise) {
    const char *value = getenv(name);
    return value ? atol(value) : otherwise;
}

__attribute__((constructor)) static void begin(void) {
    under = getenv("DAMCAST_UNDER");
    at = setting("DAMCAST_AT", -1);
    length = setting("DAMCAST_COUNT", 1);
    number = setting("DAMCAST_ERRNO", 0);
    half = setting("DAMCAST_HALF", 0) != 0;
}

__attribute__((destructor)) static void end(void) {
    const char *report = getenv("DAMCAST_REPORT");
    FILE *file = report ? fopen(report, "w") : NULL;
    if (file) {
        fprintf(file, "%ld\n", atomic_load(&count));
        fclose(file);
    }
}

static int is_ours(const char *path) {
    return under && path && strncmp(path, under, strlen(under)) == 0;
}

static int is_our_file(int fd) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t size = readlink(link, path, sizeof path - 1);
    if (size < 0) return 0;
    path[size] = 0;
    return is_ours(path);
}

/* Counts an operation; returns whether it must fail. */
static int is_hit(int is_write) {
    long now = atomic_fetch_add(&count, 1);
    if (at < 0 || now < at || now >= at + length) return 0;
    if (number == 0 && !(is_write && half)) kill(getpid(), SIGKILL);
    return 1;
}

#define REAL(name) __typeof__(&name) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

static ssize_t fail(void) {
    errno = (int)number;
    return -1;
}

ssize_t write(int fd, const void *bytes, size_t size) {
    REAL(write);
    if (!is_our_file(fd) || !is_hit(1)) return real(fd, bytes, size);
    if (size / 2) {
        ssize_t taken = real(fd, bytes, size / 2);
        if (number == 0) kill(getpid(), SIGKILL);
        return taken;
    }
    if (number == 0) kill(getpid(), SIGKILL);
    return fail();
}

ssize_t pwrite64(int fd, const void *bytes, size_t size, off64_t place) {
    REAL(pwrite64);
    if (!is_our_file(fd) || !is_hit(1)) return real(fd, bytes, size, place);
    if (number == 0) {
        real(fd, bytes, size / 2, place);
        kill(getpid(), SIGKILL);
    }
    return fail();
}

#define FILE_OPERATION(name)                     \
    int name(int fd) {                           \
        REAL(name);                              \
        if (is_our_file(fd) && is_hit(0)) return (int)fail(); \
        return real(fd);                         \
    }
FILE_OPERATION(fsync)
FILE_OPERATION(fdatasync)

int ftruncate64(int fd, off64_t size) {
    REAL(ftruncate64);
    if (is_our_file(fd) && is_hit(0)) return (int)fail();
    return real(fd, size);
}

int open64(const char *path, int flags, ...) {
    REAL(open64);
    va_list rest;
    va_start(rest, flags);
    mode_t mode = (flags & O_CREAT) ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    if ((flags & (O_CREAT | O_WRONLY | O_RDWR)) && is_ours(path) && is_hit(0)) return (int)fail();
    return real(path, flags, mode);
}

int rename(const char *from, const char *to) {
    REAL(rename);
    if (is_ours(from) && is_hit(0)) return (int)fail();
    return real(from, to);
}

int unlink(const char *path) {
    REAL(unlink);
    if (is_ours(path) && is_hit(0)) return (int)fail();
    return real(path);
}
