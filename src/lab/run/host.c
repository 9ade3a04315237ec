/* A kernel that calls a function of the C library which moves or reads words for it: the linker
 * sends the calls of host.def here (--wrap), where they are told, and then done. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <wchar.h>

#include "lab/run/run.h"

/* Where the runtime's own code lies, which calls some of these while a kernel runs: symbols of the
 * script that the program is linked with (src/lab/build.c). */
extern const char tsl_runtime_begin[], tsl_runtime_end[];

/* "__isoc99_sscanf" is what the headers call sscanf(). */
static const char *plain_name(const char *name)
{
    return strncmp(name, "__isoc", 6) == 0 ? name + 9 : name;
}

static void told(const char *name, uintptr_t pc)
{
    const uintptr_t begin = (uintptr_t)tsl_runtime_begin;
    if (tsl_now.current != NULL && pc - begin >= (uintptr_t)tsl_runtime_end - begin) {
        tsl_report("call", pc, 0, "thread %u calls %s(): write it as a loop",
                   tsl_now.current->thread, plain_name(name));
    }
}

#define TSL_HOST(type, name, parameters, arguments)                                                \
    type __real_##name parameters;                                                                 \
    type __wrap_##name parameters;                                                                 \
    type __wrap_##name parameters                                                                  \
    {                                                                                              \
        told(#name, (uintptr_t)__builtin_return_address(0));                                       \
        return __real_##name arguments;                                                            \
    }
#define TSL_HOST_NOTHING(name, parameters, arguments)                                              \
    void __real_##name parameters;                                                                 \
    void __wrap_##name parameters;                                                                 \
    void __wrap_##name parameters                                                                  \
    {                                                                                              \
        told(#name, (uintptr_t)__builtin_return_address(0));                                       \
        __real_##name arguments;                                                                   \
    }
#define TSL_HOST_LIST(name, of_a_list, parameters, last, arguments)                                \
    int __wrap_##name parameters;                                                                  \
    int __wrap_##name parameters                                                                   \
    {                                                                                              \
        va_list list;                                                                              \
        told(#name, (uintptr_t)__builtin_return_address(0));                                       \
        va_start(list, last);                                                                      \
        const int done = __real_##of_a_list arguments;                                             \
        va_end(list);                                                                              \
        return done;                                                                               \
    }
#include "lab/run/host.def"
