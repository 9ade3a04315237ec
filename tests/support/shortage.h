/* What one rank of several lacks: memory, or a device that works. However much of it there is, all
 * ranks return, with that rank's line, and nothing is lost. */
#ifndef TSL_TESTS_SHORTAGE_H
#define TSL_TESTS_SHORTAGE_H

#include "comm/comm.h"
#include "support/devices.h"

enum { TEST_SHORTAGE_RANKS = 4 };

typedef enum test_resource {
    TEST_HOST_MEMORY, /* of the rank's thread; work that is queued on sim takes some */
    TEST_DEVICE_MEMORY,
    TEST_DOWNLOADS, /* the device fails */
    TEST_RESOURCES
} test_resource;

typedef struct test_shortage test_shortage;

struct test_shortage {
    const char *device; /* of all ranks */
    int ranks, lacking; /* the rank that lacks something */
    test_resource what;
    /* What all ranks do, release included. Checks are returned, since cmocka's leave only the main
     * thread. */
    tsl_status (*call)(tsl_context *context, test_shortage *t);
    void *user;
    bool begins_late; /* there is enough until the call says test_shortage_begins() */
    bool agreed;      /* all return the same status: nothing is published */
    int64_t k;        /* this one, and all after it, fail; 0: none */
    int64_t asked;    /* by that rank, in all */
    tsl_status status[TEST_SHORTAGE_RANKS];
    char error[TEST_SHORTAGE_RANKS][TSL_ERROR_TEXT];
};

/* From here on; ends with the call. For all ranks to call. */
void test_shortage_begins(test_shortage *t, tsl_context *context);

/* A rank's part of what follows, for ranks that are started otherwise: `shortage` is its own. */
tsl_status test_shortage_run_rank(tsl_comm *comm, void *shortage);

/* Once, with k as it is. TSL_OK, or what the lacking rank failed with. */
tsl_status test_shortage_try(test_shortage *t);

/* From one k to the next, where all are tried. ThreadSanitizer looks at what ranks do side by side:
 * every third will do for it, but with ./run-tests --full. */
int test_shortage_step(void);

/* For k from 1 on, by these steps, until nothing fails; returns how many were asked for. */
int64_t test_shortage_try_all(test_shortage *t);

#endif
