/* Grades an answer: builds it with what calls it, runs it as src/lab/session.h says, and lets a
 * program of its own, which has nothing of the answer in it, judge what came out. */
#ifndef TSL_LAB_GRADE_H
#define TSL_LAB_GRADE_H

#include "lab/card.h"
#include "lab/course/course.h"
#include "lab/session.h"

enum { TSL_LAB_MOST_FINDINGS = 12 };

/* Why an answer is not accepted. Reasons: "compile"; a kind of report of a run, as docs/lab.md
 * lists them; "values"; "launch"; "idle" (right although kernels do nothing); "required",
 * "forbidden"; "limit METRIC"; "answer NAME". */
typedef struct tsl_lab_finding {
    char reason[48];
    int line; /* of the answer; 0: none */
    char text[400];
} tsl_lab_finding;

/* How fast the launches of an answer were on a card. */
typedef struct tsl_lab_speed {
    bool told;           /* the exercise has a speed, and its answer came to be timed */
    bool steady;         /* the card's own rate kept within 5 % meanwhile; else shares mean
                            little */
    const char *against; /* the exercise's: "copy" or "read" */
    double rate;         /* bytes a second that the card copies, or reads, in the same process */
    double share, least, most; /* of that rate: the median of the runs, the slowest, the fastest */
} tsl_lab_speed;

typedef struct tsl_lab_verdict {
    bool passed;
    tsl_lab_finding findings[TSL_LAB_MOST_FINDINGS];
    int finding_count;
    double seconds;
    char messages[PATH_MAX]; /* file with a compiler's own lines, until it is released; "": none */
    char file[PATH_MAX];     /* the answer, without links */
    tsl_lab_build build;
    tsl_lab_session session;
    bool on_card; /* it has run on a card too; what was found last was found there */
    tsl_lab_speed speed;
    char folder[PATH_MAX - 64]; /* temporary */
} tsl_lab_verdict;

typedef struct tsl_lab_grade_options {
    int language;
    const char *compiler; /* NULL: as found */
    int processes;
    unsigned seed;            /* of the input */
    double seconds;           /* limit of each run */
    const char *output;       /* file for what the answer prints; NULL: as it is */
    const tsl_lab_card *card; /* grade on it too, once all is right without it; NULL: none */
    bool (*stop)(void);
} tsl_lab_grade_options;

/* Grade the answer in the file `path`. Release whatever the outcome. What is wrong with the answer
 * is in the verdict; a status other than TSL_OK tells what kept it from being graded. */
tsl_status tsl_lab_grade(tsl_lab_verdict *out, tsl_context *context, const tsl_lab_exercise *e,
                         const char *path, const tsl_lab_grade_options *options);
void tsl_lab_verdict_release(tsl_lab_verdict *verdict);
/* Is `reason` among the findings? */
bool tsl_lab_verdict_has(const tsl_lab_verdict *verdict, const char *reason);
void tsl_lab_verdict_add(tsl_lab_verdict *verdict, const char *reason, int line, const char *format,
                         ...) __attribute__((format(printf, 4, 5)));

/* A new folder for what is made while something is graded. */
tsl_status tsl_lab_make_temporary(char folder[PATH_MAX - 64], tsl_context *context,
                                  const char *temporary);
/* Does a prediction say what is right: a whole number exactly, one with a point within half a
 * percent, a word but for capitals? Decimals may begin with a point or a comma, and a number may
 * end with %. */
bool tsl_lab_same_value(const char *given, const char *right);

/* metric.c: the value of a metric over a session's counts: "conflicts", "excess" and the others of
 * messages.def; of launches of `kernel` alone where that is not NULL. -1: no such metric. `worst`:
 * the line that has most of it. */
int64_t tsl_lab_metric(const tsl_lab_session *session, const char *metric, const char *kernel,
                       int launch, int *worst);
/* Compare counts with the limits of the exercise. */
tsl_status tsl_lab_check_limits(tsl_lab_verdict *verdict, tsl_context *context,
                                const tsl_lab_exercise *e, int language);
/* Are the solution's predictions what its program, run without a GPU, comes to? Adds findings. */
tsl_status tsl_lab_check_predictions(tsl_lab_verdict *verdict, tsl_context *context,
                                     const tsl_lab_exercise *e,
                                     const tsl_lab_grade_options *options);

/* on_card.c: build the answer with nvcc, run it on the card for the same sizes and input, and judge
 * what it makes there; where the exercise has a speed, time its launches. Adds findings. */
enum { TSL_LAB_TIMED_RUNS = 5 };
tsl_status tsl_lab_grade_on_card(tsl_lab_verdict *verdict, tsl_context *context,
                                 const tsl_lab_exercise *e, const tsl_lab_grade_options *options,
                                 const char *const *sizes);

/* judge.c: build (once: the program is kept in the user's cache) and run the judge over what a
 * session handed over. Adds findings. */
tsl_status tsl_lab_judge(tsl_lab_verdict *verdict, tsl_context *context, const tsl_lab_exercise *e,
                         const tsl_lab_grade_options *options, const tsl_lab_session *session,
                         const char *const *sizes);
/* Judge a session whose kernels did nothing. *right: the last size, if all outputs of it are right
 * all the same; else NULL. */
tsl_status tsl_lab_judge_idle(const char **right, tsl_lab_verdict *verdict, tsl_context *context,
                              const tsl_lab_exercise *e, const tsl_lab_grade_options *options,
                              const tsl_lab_session *idle, const char *const *sizes);

#endif
