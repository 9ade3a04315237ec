/* Plug-ins in place of the CUDA one, each with something about it that may be met: VARIANT is one
 * of those below. */
#include <stdio.h>

#include "device/interface.h"
#include "device/plugin.h"

#define CARDS 0
#define OLD_CARD 1
#define NO_CARD 2
#define OTHER_BUILD 3
#define NO_PLUGIN 4
#define MISSING_LIBRARY 5

#if VARIANT == MISSING_LIBRARY
int tsl_test_gone(void);
#endif

struct tsl_device {
    int index;
};

static tsl_status open_card(tsl_device **out, tsl_context *context, int index)
{
    static tsl_device devices[2] = {{0}, {1}};
    if (VARIANT == OLD_CARD) {
        snprintf(context->error, sizeof context->error,
                 "%s: Tesla T4 has compute capability 7.5; 8.0 or newer is needed", context->name);
        return TSL_E_DEVICE;
    }
    *out = &devices[index];
    return TSL_OK;
}

static void close_card(tsl_device *device)
{
    (void)device;
}

static tsl_status card_properties(tsl_device *device, tsl_device_properties *out)
{
    *out = (tsl_device_properties){.model = "Card",
                                   .threads = 7,
                                   .clock = 1980,
                                   .capability = {9, 0},
                                   .shared = 227 << 10,
                                   .limits = {.threads = 2048,
                                              .blocks = device->index == 0 ? 32 : 5,
                                              .registers = 1 << 16,
                                              .shared = 228 << 10,
                                              .block_threads = 1024,
                                              .block_registers = 1 << 16,
                                              .block_shared = 48 << 10,
                                              .block_shared_reserved = 1 << 10},
                                   .memory = INT64_C(3) << 30,
                                   .memory_free = INT64_C(1) << 30,
                                   .peers = 1,
                                   .peer = {{1 - device->index, device->index == 0}}};
    return TSL_OK;
}

static tsl_status wait_for_card(tsl_context *context)
{
    (void)context;
    return TSL_OK;
}

static int count(char *reason, size_t bytes)
{
    if (VARIANT == NO_CARD) {
        snprintf(reason, bytes, "there is no NVIDIA GPU");
        return 0;
    }
    return VARIANT == OLD_CARD ? 1 : 2;
}

__attribute__((visibility("default"))) const tsl_plugin *tsl_cuda_plugin(const tsl_host *host);

const tsl_plugin *tsl_cuda_plugin(const tsl_host *host)
{
    (void)host;
    static const tsl_device_ops ops = {.name = "cuda",
                                       .open = open_card,
                                       .close = close_card,
                                       .properties = card_properties,
                                       .synchronize = wait_for_card};
    static const tsl_plugin plugin = {VARIANT == OTHER_BUILD ? "0.0.9-123456789abc" : TSL_INTERFACE,
                                      &ops, count};
#if VARIANT == MISSING_LIBRARY
    return tsl_test_gone() != 0 ? &plugin : NULL;
#else
    return VARIANT == NO_PLUGIN ? NULL : &plugin;
#endif
}
