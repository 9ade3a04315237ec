/* Runs of a learner's program: once in lockstep for counts, then in each order of threads with
 * checks; and what came of them. */
#ifndef TSL_LAB_SESSION_H
#define TSL_LAB_SESSION_H

#include "lab/build.h"

enum { TSL_LAB_ORDERS = 4 };

/* What accesses from a line to one kind of memory came to in a launch. */
typedef struct tsl_lab_count {
    int launch;
    uintptr_t pc;
    const char *file; /* of the session's places; NULL unknown */
    int line;
    int space; /* 0 global, 1 shared, 2 constant */
    unsigned kind;
    unsigned size; /* bytes of an access */
    int64_t requests;
    int64_t lanes;
    int64_t sectors;
    int64_t least_sectors;
    int64_t wavefronts;
    int64_t conflicts;
    int64_t transactions; /* of half-warps, on 1.x */
    int64_t uncoalesced;
} tsl_lab_count;

enum { TSL_LAB_READ = 1, TSL_LAB_WRITE = 2, TSL_LAB_ATOMIC = 8 };

typedef struct tsl_lab_launched {
    char *kernel;
    unsigned grid[3];
    unsigned block[3];
    int64_t shared;
    int64_t accesses;
    double seconds;
    /* sums of its counts */
    int64_t global_read_sectors;
    int64_t global_write_sectors;
    int64_t global_atomic_sectors;
    int64_t shared_wavefronts;
    int64_t bank_conflicts;
    int64_t transactions;
    int64_t uncoalesced;
} tsl_lab_launched;

typedef struct tsl_lab_report {
    char kind[16];
    char *text;
    uintptr_t pc;
    uintptr_t other_pc;
    const char *file;
    int line;
    const char *other_file;
    int other_line;
    int launch;
    unsigned passes; /* a bit a pass: 0 lockstep, then the orders */
} tsl_lab_report;

/* Where code lies, as addr2line tells. */
typedef struct tsl_lab_place {
    uintptr_t pc;
    char *file;
    int line;
} tsl_lab_place;

typedef struct tsl_lab_session_options {
    const char *capability; /* "9.0" */
    const char *const *arguments;
    int orders[TSL_LAB_ORDERS]; /* of tsl_order, as many as order_count */
    int order_count;
    int seed;
    bool counts;        /* run in lockstep, too */
    int processes;      /* at a time */
    double seconds;     /* limit of each run */
    int64_t memory;     /* of the simulated device */
    bool unguarded;     /* let the program write files and start programs */
    const char *output; /* NULL: the program's output stays as it is; else a file */
    bool outputs;       /* give each run a descriptor of a file that no name leads to:
                           tsl_lab_session.outputs */
    bool idle;          /* kernels do nothing: only what the host does is left */
    bool give_up;       /* run no more once the first run has taken too long */
    bool (*stop)(void); /* asked while waiting; NULL: never */
} tsl_lab_session_options;

typedef struct tsl_lab_session {
    tsl_lab_launched *launches;
    int64_t launch_count, launch_room;
    tsl_lab_count *counts; /* by launch, file, line */
    int64_t count_count, count_room;
    tsl_lab_report *reports;
    int64_t report_count, report_room;
    tsl_lab_place *places; /* by pc */
    int64_t place_count;
    int runs;
    int check_runs;
    bool unguarded; /* the kernel has no seccomp: programs are not kept from files */
    int outputs[1 + TSL_LAB_ORDERS]; /* descriptors of what each run handed over; 0: none */
    int exit_status[1 + TSL_LAB_ORDERS];
    double seconds[1 + TSL_LAB_ORDERS];
    int64_t accesses[1 + TSL_LAB_ORDERS];
} tsl_lab_session;

/* Run what was built. TSL_E_CANCELLED when stopped. Release whatever the outcome. */
tsl_status tsl_lab_session_run(tsl_lab_session *out, tsl_context *context,
                               const tsl_lab_build *build, const tsl_lab_session_options *options);
void tsl_lab_session_release(tsl_lab_session *session);

/* A file for what a run hands over, in `folder`. It has no name, so that no run reads what another
 * has written. Close it. */
tsl_status tsl_lab_open_outputs(int *out, tsl_context *context, const char *folder);

/* results.c: read what a run wrote to `path`; its reports get bit `pass`. Counts and launches are
 * taken of the first run only. */
tsl_status tsl_lab_read_results(tsl_lab_session *session, tsl_context *context, const char *path,
                                int pass, bool first);
/* places.c: find files and lines of all counts and reports, then add up what is alike. */
tsl_status tsl_lab_find_places(tsl_lab_session *session, tsl_context *context,
                               const tsl_lab_build *build);

extern const char *const tsl_lab_order_names[TSL_LAB_ORDERS + 1];

#endif
