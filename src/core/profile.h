/* Where the time of a context's work goes, stage by stage. */
#ifndef TSL_CORE_PROFILE_H
#define TSL_CORE_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "tesela/context.h"

typedef struct tsl_profile_stage {
    const char *stage; /* a static string */
    double seconds;
    int64_t bytes; /* moved to and from memory at least: the floor's bytes */
    int64_t flops; /* floating-point operations in the customary count */
    int64_t calls;
} tsl_profile_stage;

enum { TSL_PROFILE_STAGES = 32 };

typedef struct tsl_profile {
    bool exact; /* wait for the device at the end of each stage */
    int count;
    tsl_profile_stage stages[TSL_PROFILE_STAGES];
} tsl_profile;

/* Add one call that began at `begun` (tsl_seconds()) to the stage of that name. */
void tsl_profile_add(tsl_context *context, const char *stage, double begun, int64_t bytes,
                     int64_t flops);

/* From now on wait for the device at the end of each stage, so that its time is its own. */
void tsl_profile_enable(tsl_context *context);

/* The stages so far, in order of first use; borrowed from the context. Returns their number. */
int tsl_profile_stages(const tsl_context *context, const tsl_profile_stage **out);

#endif
