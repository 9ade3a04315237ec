/* What a context holds. */
#ifndef TSL_CORE_CONTEXT_H
#define TSL_CORE_CONTEXT_H

#include "core/core.h"
#include "core/profile.h"

struct tsl_device;
struct tsl_device_ops;

enum { TSL_ERROR_TEXT = 1024, TSL_DEVICE_NAME = 64 };

struct tsl_context {
    const struct tsl_device_ops *ops; /* what the device can do */
    struct tsl_device *device;
    int threads;
    char name[TSL_DEVICE_NAME];
    char error[TSL_ERROR_TEXT];
    tsl_message_function message;
    void *user;
    tsl_profile profile;
};

#endif
