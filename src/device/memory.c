/* Device memory, whatever the device. */
#include "device/device.h"

tsl_status tsl_device_allocate(void **out, tsl_context *context, int64_t bytes, const char *what)
{
    *out = context->ops->allocate(context->device, bytes);
    return *out == NULL ? tsl_fail_memory(context, bytes, what) : TSL_OK;
}

void tsl_device_release(tsl_context *context, void *memory)
{
    if (memory != NULL) {
        context->ops->release(context->device, memory);
    }
}
