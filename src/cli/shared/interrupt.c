/* Signals that end the program. */
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

#include "cli/shared/ranks.h"
#include "io/file/output.h"

/* Atomic without locks, so that the signal handler may use them too. */
static atomic_int deferred; /* by so many ranks */
static atomic_int received; /* the signal that came to any rank */
/* the signal that came to this process, of which a second one ends it at once */
static atomic_int own;
static atomic_int tells; /* this process tells of a signal that all get */
_Static_assert(ATOMIC_INT_LOCK_FREE == 2, "a signal handler must not wait");

static void stop(int number)
{
    static const char line[] = "tesela: stopped\n";
    const ssize_t written =
        atomic_load(&tells) != 0 ? write(STDERR_FILENO, line, sizeof line - 1) : 0;
    (void)written; /* nothing can be done if it fails */
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
        /* a signal that the parent ignores stays ignored: nohup, background jobs */
        if (sigaction(numbers[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN) {
            action = (struct sigaction){.sa_handler = on_signal, .sa_flags = SA_RESTART};
            sigemptyset(&action.sa_mask);
            sigaction(numbers[i], &action, NULL);
        }
    }
    signal(SIGXFSZ, SIG_IGN); /* a file beyond the limit is an error of writing, like others */
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
