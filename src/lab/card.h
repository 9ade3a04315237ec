/* A learner's file on a card: nvcc builds it, the card runs it, and its output is compared with the
 * simulated run's. Where Nsight Compute is found, it reads the counters of each launch. */
#ifndef TSL_LAB_CARD_H
#define TSL_LAB_CARD_H

#include "lab/session.h"

/* Bytes that a program may print on the card: as many as the runtime lets a simulated one. */
#define TSL_LAB_CARD_OUTPUT ((int64_t)128 << 20)

/* Counters of a launch, in the order of tsl_lab_card_names. */
enum { TSL_LAB_CARD_COUNTERS = 4 };
extern const char *const tsl_lab_card_names[TSL_LAB_CARD_COUNTERS];

typedef struct tsl_lab_card_launch {
    char kernel[128];
    int64_t counter[TSL_LAB_CARD_COUNTERS];
} tsl_lab_card_launch;

typedef struct tsl_lab_card {
    int number;         /* among the cards that this process may use, from 0 */
    bool (*stop)(void); /* asked while a program runs; NULL: never */
    char name[128];
    char capability[16]; /* "9.0" */
    char nvcc[PATH_MAX];
    int exit_status;        /* of the program; 128 + signal if one ended it */
    bool late;              /* ended for its time was over */
    bool long_output;       /* ended for it printed more than TSL_LAB_CARD_OUTPUT bytes */
    double seconds;         /* that the program took */
    int64_t different_line; /* the first line of output that differs, from 1; 0: none */
    char simulated[128];    /* the beginning of that line, "(no line)" past the end */
    char real[128];
    bool counted;
    char why[192]; /* why there are no counters, where `counted` is false */
    tsl_lab_card_launch *launches;
    int64_t launch_count, launch_room;
} tsl_lab_card;

/* Find nvcc, and the name and capability of card `number`. TSL_E_UNSUPPORTED with one line that
 * says what is missing and ends in `remedy`; TSL_E_CANCELLED when stopped. Files go into the folder
 * of `build`. */
tsl_status tsl_lab_card_find(tsl_lab_card *out, tsl_context *context, const tsl_lab_build *build,
                             int number, bool (*stop)(void), const char *remedy);
/* Build the file for the card, run it with the session's arguments and limit of seconds, and
 * compare what it prints with the file `simulated`. TSL_E_FORMAT if nvcc refuses it: its lines are
 * in the build's messages.txt. TSL_E_CANCELLED when stopped. */
tsl_status tsl_lab_card_run(tsl_lab_card *card, tsl_context *context, const tsl_lab_build *build,
                            const tsl_lab_session_options *options, const char *simulated);
void tsl_lab_card_release(tsl_lab_card *card);

#endif
