/* From a .cu file to a program that runs its kernels on the CPU. */
#ifndef TSL_LAB_BUILD_H
#define TSL_LAB_BUILD_H

#include <limits.h>

#include "core/core.h"

/* Limits of a compiler, so that a file that keeps it busy without end, or takes all memory, ends.
 */
#define TSL_LAB_COMPILER_SECONDS 20 /* of a core */
#define TSL_LAB_COMPILER_BYTES ((int64_t)2 << 30)

typedef struct tsl_lab_build {
    char folder[PATH_MAX - 64]; /* temporary; removed by tsl_lab_build_release() */
    char file[PATH_MAX];        /* the learner's, without links */
    char program[PATH_MAX];
    char compiler[PATH_MAX];    /* the one that was used */
    const char *const *options; /* those of tsl_lab_build_options, which outlive this */
    bool diagnosed;             /* clang has looked at both sides */
    int refused;                /* errors that clang found so */
    bool plain;     /* structs are left as they are: with constructors it does not compile */
    bool ambiguous; /* structs of one size are aligned unlike: copies are split by the smaller */
    double seconds;
} tsl_lab_build;

typedef struct tsl_lab_build_options {
    const char *compiler;       /* name or path; NULL: clang++ or g++, as found */
    const char *const *options; /* pairs for the compiler, as "-I" and a folder or "-D" and a name,
                                   ended by NULL; NULL: none */
} tsl_lab_build_options;

/* Rewrite, diagnose, compile and link `path`. TSL_E_FORMAT if a compiler refuses it: the compiler's
 * own lines are then in folder/messages.txt. TSL_E_UNSUPPORTED if there is no compiler, or the
 * runtime's library is not found. Release whatever the outcome. */
tsl_status tsl_lab_build_program(tsl_lab_build *out, tsl_context *context, const char *path,
                                 const tsl_lab_build_options *options);
/* Folder of the headers for learners' files, as tsl_lab_build_program() finds it. */
tsl_status tsl_lab_find_headers(char path[PATH_MAX], tsl_context *context);
void tsl_lab_build_release(tsl_lab_build *build, bool keep);

#endif
