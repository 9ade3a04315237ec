/* Recordings for devices that have none of their own: the work is queued anew each time. */
#include "device/device.h"

struct tsl_recording {
    tsl_work work;
    void *arguments;
};

tsl_status tsl_record_call(tsl_recording **out, tsl_context *context, tsl_work work,
                           void *arguments)
{
    tsl_recording *recording = tsl_allocate(sizeof *recording);
    if (recording == NULL) {
        return tsl_fail_memory(context, (int64_t)sizeof *recording, "a recording");
    }
    *recording = (tsl_recording){.work = work, .arguments = arguments};
    *out = recording;
    return TSL_OK;
}

tsl_status tsl_replay_call(tsl_recording *recording)
{
    return recording->work(recording->arguments);
}

void tsl_forget_call(tsl_recording *recording)
{
    tsl_release(recording);
}
