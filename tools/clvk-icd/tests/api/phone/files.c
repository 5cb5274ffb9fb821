// To be preloaded: tells on the standard error stream which files and folders a process creates or opens to
// write.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static void tell(const char *path, int flags)
{
    // Devices belong to nobody.
    if ((flags & (O_WRONLY | O_RDWR | O_CREAT)) && strncmp(path, "/dev/", 5) != 0)
        fprintf(stderr, "writes:%s\n", path);
}

#define MODE(last) \
    va_list list; \
    va_start(list, last); \
    int mode = va_arg(list, int); \
    va_end(list)

#define OPEN(name) \
    int name(const char *path, int flags, ...) \
    { \
        MODE(flags); \
        tell(path, flags); \
        return ((int (*)(const char *, int, ...))dlsym(RTLD_NEXT, #name))(path, flags, mode); \
    }

#define OPENAT(name) \
    int name(int folder, const char *path, int flags, ...) \
    { \
        MODE(flags); \
        tell(path, flags); \
        return ((int (*)(int, const char *, int, ...))dlsym(RTLD_NEXT, #name))(folder, path, flags, mode); \
    }

OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)

int mkdir(const char *path, mode_t mode)
{
    tell(path, O_CREAT);
    return ((int (*)(const char *, mode_t))dlsym(RTLD_NEXT, "mkdir"))(path, mode);
}

FILE *fopen(const char *path, const char *mode)
{
    tell(path, strpbrk(mode, "wa+") ? O_WRONLY : O_RDONLY);
    return ((FILE * (*)(const char *, const char *))dlsym(RTLD_NEXT, "fopen"))(path, mode);
}

int rename(const char *from, const char *to)
{
    tell(to, O_CREAT);
    return ((int (*)(const char *, const char *))dlsym(RTLD_NEXT, "rename"))(from, to);
}
