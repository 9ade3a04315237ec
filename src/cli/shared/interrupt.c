/* Signals that ask the program to end. */
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

#include "cli/shared/ranks.h"
#include "io/file/output.h"

/* Lock-free, so that the handler may use them too. */
static atomic_int deferred; /* by how many ranks */
static atomic_int received; /* by any rank … */
static atomic_int own;      /* … and by this process itself, whose second ends it at once */
static atomic_int
    tells; /* a launcher sends its signals to all of its processes: one of them tells */
_Static_assert(ATOMIC_INT_LOCK_FREE == 2, "a signal handler must not wait");

static void stop(int number)
{
    static const char line[] = "tesela: stopped\n";
    const ssize_t written =
        atomic_load(&tells) != 0 ? write(STDERR_FILENO, line, sizeof line - 1) : 0;
    (void)written; /* there is nobody left to tell */
    tsl_output_remove_temporaries();
    _exit(128 + number);
}

static void on_signal(int number)
{
    int none = 0;
    if (atomic_load(&deferred) == 0 || !atomic_compare_exchange_strong(&own, &none, number)) {
        stop(number);
    }
    cli_take_signal(number);
}

void cli_heed_signal(void)
{
    if (cli_signal() != 0) {
        stop(cli_signal());
    }
}

void cli_tell_signals(bool tell)
{
    atomic_store(&tells, tell && cli_is_leader());
}

void cli_catch_signals(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    cli_tell_signals(true);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct sigaction action = {0};
        /* what the parent ignores stays ignored: nohup, background jobs */
        if (sigaction(numbers[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN) {
            action = (struct sigaction){.sa_handler = on_signal, .sa_flags = SA_RESTART};
            sigemptyset(&action.sa_mask);
            sigaction(numbers[i], &action, NULL);
        }
    }
    signal(SIGXFSZ, SIG_IGN); /* a file beyond the limit is a write error like any other */
}

void cli_defer_signals(bool defer)
{
    atomic_fetch_add(&deferred, defer ? 1 : -1);
}

int cli_signal(void)
{
    return atomic_load(&received);
}

void cli_take_signal(int number)
{
    int none = 0;
    atomic_compare_exchange_strong(&received, &none, number);
}
