/* The same file on a card: built by nvcc, run, its output beside the simulated run's, and the
 * counters that Nsight Compute reads where it is found. */
#ifndef TSL_LAB_CARD_H
#define TSL_LAB_CARD_H

#include "lab/session.h"

/* Counters of a launch, in the order of tsl_lab_card_names. */
enum { TSL_LAB_CARD_COUNTERS = 4 };
extern const char *const tsl_lab_card_names[TSL_LAB_CARD_COUNTERS];

typedef struct tsl_lab_card_launch {
    char kernel[128];
    int64_t counter[TSL_LAB_CARD_COUNTERS];
} tsl_lab_card_launch;

typedef struct tsl_lab_card {
    int number;
    char name[128];
    char capability[16]; /* "9.0" */
    char nvcc[PATH_MAX];
    int exit_status;
    bool late; /* ended for its time was over */
    double seconds;
    int64_t different_line; /* the first line of output that differs; 0: none */
    char simulated[128];    /* that line */
    char real[128];
    bool counted;
    char why[192]; /* not counted */
    tsl_lab_card_launch *launches;
    int64_t launch_count, launch_room;
} tsl_lab_card;

/* Find nvcc and card `number`, and what it is. TSL_E_UNSUPPORTED in one line if either is not
 * there. `build`: its folder is used. */
tsl_status tsl_lab_card_find(tsl_lab_card *out, tsl_context *context, const tsl_lab_build *build,
                             int number);
/* Build the file for the card and run it with the arguments; compare what it prints with the file
 * `simulated`. TSL_E_FORMAT if nvcc refuses it: its lines are in the build's messages.txt. */
tsl_status tsl_lab_card_run(tsl_lab_card *card, tsl_context *context, const tsl_lab_build *build,
                            const tsl_lab_session_options *options, const char *simulated);
void tsl_lab_card_release(tsl_lab_card *card);

#endif
