/* How far a learner is: one small file in the folder of answers, replaced whole at each change. */
#ifndef TSL_LAB_STATE_H
#define TSL_LAB_STATE_H

#include "lab/course/course.h"

enum { TSL_LAB_MOST_STATES = 400 };

typedef struct tsl_lab_state {
    char folder[PATH_MAX - 300];
    int language; /* -1: never chosen */
    int current;  /* exercise; -1: none */
    bool passed[TSL_LAB_MOST_STATES];
    int hints[TSL_LAB_MOST_STATES]; /* seen */
} tsl_lab_state;

/* Read the state of `folder`; where there is none yet, a state of nothing done. Ids that the course
 * has no longer are left out. */
tsl_status tsl_lab_state_read(tsl_lab_state *out, tsl_context *context,
                              const tsl_lab_course *course, const char *folder);
tsl_status tsl_lab_state_write(const tsl_lab_state *state, tsl_context *context,
                               const tsl_lab_course *course);
/* The first exercise at or after `from` that is not passed, else the first of all; -1: all are. */
int tsl_lab_state_next(const tsl_lab_state *state, const tsl_lab_course *course, int from);
int tsl_lab_state_passed(const tsl_lab_state *state, const tsl_lab_course *course, int module);
/* Make the folder and the files of exercises that are not there; *made: how many. */
tsl_status tsl_lab_set_up(int *made, tsl_context *context, const tsl_lab_state *state,
                          const tsl_lab_course *course, int language);
/* Path of the answer. */
void tsl_lab_answer_path(char out[PATH_MAX], const tsl_lab_state *state, const tsl_lab_exercise *e);

#endif
