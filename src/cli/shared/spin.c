/* How long OpenMP's threads spin before they sleep. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/shared/cli.h"

/* GCC's libgomp spins 300 000 times by itself, which takes milliseconds: on a host with other
 * programs a thread then burns the core that the thread it waits for needs. libgomp takes 1000
 * times, 15 us on a Zen 4, where there are more threads than processors; this takes them always. */
static const char spins[] = "1000";
static const char spins_name[] = "GOMP_SPINCOUNT";
/* set to the number of the process that has begun anew */
static const char guard_name[] = "TESELA_SPINS_OF";

/* Commands whose first argument asks for text compute nothing. */
static bool computes(int argc, char **argv)
{
    return argc > 1 && argv[1][0] != '-' && strcmp(argv[1], "help") != 0 &&
           strcmp(argv[1], "info") != 0;
}

/* Would execv() of /proc/self/exe start this program? It would not where the loader was started
 * with the program as its argument, which then has no loader of its own, nor with another user's
 * rights. Valgrind would lose the program. */
static bool can_begin_anew(void)
{
    const char *preload = getenv("LD_PRELOAD");
    return getauxval(AT_BASE) != 0 && getauxval(AT_SECURE) == 0 &&
           (preload == NULL || strstr(preload, "vgpreload") == NULL);
}

/* Find the program's file. A path, unlike /proc/self/exe, leaves the process its name. False if
 * there is none. */
static bool find_program(char path[PATH_MAX])
{
    static const char self[] = "/proc/self/exe";
    const ssize_t length = readlink(self, path, PATH_MAX);
    if (length <= 0 || length == PATH_MAX) {
        return false;
    }
    path[length] = '\0';
    struct stat by_path, running;
    return stat(path, &by_path) == 0 && stat(self, &running) == 0 &&
           by_path.st_dev == running.st_dev && by_path.st_ino == running.st_ino;
}

void cli_spin_briefly(int argc, char **argv)
{
    char path[PATH_MAX];
    char process[24];
    snprintf(process, sizeof process, "%ld", (long)getpid());
    const char *guard = getenv(guard_name);
    if (guard != NULL && strcmp(guard, process) == 0) {
        /* libgomp has read it by now; programs that this one starts should not */
        unsetenv(spins_name);
        unsetenv(guard_name);
        return;
    }
    if (!computes(argc, argv) || getenv("OMP_WAIT_POLICY") != NULL || getenv(spins_name) != NULL ||
        !can_begin_anew() || !find_program(path)) {
        return;
    }
    if (setenv(spins_name, spins, 1) == 0 && setenv(guard_name, process, 1) == 0) {
        execv(path, argv);
    }
    /* where execv() is not allowed, threads spin as long as libgomp makes them */
    unsetenv(spins_name);
    unsetenv(guard_name);
}
