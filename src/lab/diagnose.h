/* What clang's own CUDA front end says of a file, before it is rewritten. */
#ifndef TSL_LAB_DIAGNOSE_H
#define TSL_LAB_DIAGNOSE_H

#include <sys/types.h>

#include "lab/build.h"

typedef struct tsl_lab_diagnosis {
    char clang[PATH_MAX];
    char messages[2][PATH_MAX]; /* of the host's side and of the device's */
    pid_t running[2];           /* 0: not running */
} tsl_lab_diagnosis;

/* Where clang is found, begin to check the host's side and the device's, beside what the caller
 * does. Call tsl_lab_diagnose_end() whatever the outcome. */
tsl_status tsl_lab_diagnose_begin(tsl_lab_diagnosis *out, tsl_context *context,
                                  const tsl_lab_build *build, const char *path,
                                  const char *headers);
/* Wait for both. TSL_E_FORMAT for what breaks the language's rules between the two (a host function
 * called by a kernel and the like); clang's lines are then in folder/messages.txt. Other errors are
 * left to the compiler. */
tsl_status tsl_lab_diagnose_end(tsl_lab_diagnosis *diagnosis, tsl_lab_build *build,
                                tsl_context *context, const char *path);

#endif
