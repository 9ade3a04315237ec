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

/* Start clang on the host's side and on the device's, and return while it works; nothing is started
 * where clang is not found. `headers`: folder of the headers for learners' files. TSL_E_IO if clang
 * cannot be started. Call tsl_lab_diagnose_end() whatever the outcome. */
tsl_status tsl_lab_diagnose_begin(tsl_lab_diagnosis *out, tsl_context *context,
                                  const tsl_lab_build *build, const char *path,
                                  const char *headers);
/* Wait for both checks. TSL_E_FORMAT where the file breaks a rule of CUDA that the compiler does
 * not know, such as a kernel that calls a host function: clang's lines are then in
 * folder/messages.txt. The compiler tells all other errors. */
tsl_status tsl_lab_diagnose_end(tsl_lab_diagnosis *diagnosis, tsl_lab_build *build,
                                tsl_context *context, const char *path);

#endif
