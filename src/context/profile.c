#include "core/profile.h"

#include <string.h>

#include "core/context.h"
#include "device/device.h"

void tsl_profile_add(tsl_context *context, const char *stage, double begun, int64_t bytes,
                     int64_t flops)
{
    tsl_profile *profile = &context->profile;
    int i = 0;
    while (i < profile->count && strcmp(profile->stages[i].stage, stage) != 0) {
        i++;
    }
    if (i == TSL_PROFILE_STAGES) {
        return;
    }
    if (i == profile->count) {
        profile->stages[i] = (tsl_profile_stage){.stage = stage};
        profile->count++;
    }
    if (profile->exact) {
        context->ops->synchronize(
            context); /* a failure shows at the next call that can report it */
    }
    profile->stages[i].seconds += tsl_seconds() - begun;
    profile->stages[i].bytes += bytes;
    profile->stages[i].flops += flops;
    profile->stages[i].calls++;
}

void tsl_profile_enable(tsl_context *context)
{
    context->profile.exact = true;
}

int tsl_profile_stages(const tsl_context *context, const tsl_profile_stage **out)
{
    *out = context->profile.stages;
    return context->profile.count;
}
