/* What clang's own CUDA front end says of a file, before it is rewritten. */
#ifndef TSL_LAB_DIAGNOSE_H
#define TSL_LAB_DIAGNOSE_H

#include "lab/build.h"

/* Where clang is found, check the host's side and the device's. TSL_E_FORMAT for what breaks the
 * language's rules between the two (a host function called by a kernel and the like); clang's lines
 * are then in folder/messages.txt. Other errors are left to the compiler. */
tsl_status tsl_lab_diagnose(tsl_lab_build *build, tsl_context *context, const char *path,
                            const char *headers);

#endif
