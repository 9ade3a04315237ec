/* The CPU as a device: its memory is the host's, and every operation is done when its call returns.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "device/device.h"

static tsl_status cpu_open(tsl_device **out, tsl_context *context, int index)
{
    (void)context;
    (void)index;
    *out = NULL; /* the CPU has no state of its own */
    return TSL_OK;
}

static void cpu_close(tsl_device *device)
{
    (void)device;
}

static void read_model(char *model, size_t bytes)
{
    snprintf(model, bytes, "unknown processor");
    FILE *file = fopen("/proc/cpuinfo", "r");
    if (file == NULL) {
        return;
    }
    char line[256];
    while (fgets(line, sizeof line, file) != NULL) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && colon != NULL) {
            line[strcspn(line, "\n")] = '\0';
            snprintf(model, bytes, "%s", colon + 2);
            break;
        }
    }
    fclose(file);
}

/* Memory that holds cached files counts as free, since the system gives it up. */
int64_t tsl_host_memory_free(void)
{
    long long kibibytes = -1;
    char line[256];
    FILE *file = fopen("/proc/meminfo", "r");
    while (file != NULL && kibibytes < 0 && fgets(line, sizeof line, file) != NULL) {
        sscanf(line, "MemAvailable: %lld kB", &kibibytes);
    }
    if (file != NULL) {
        fclose(file);
    }
    return kibibytes >= 0 ? 1024 * (int64_t)kibibytes
                          : (int64_t)sysconf(_SC_AVPHYS_PAGES) * (int64_t)sysconf(_SC_PAGESIZE);
}

static tsl_status cpu_properties(tsl_device *device, tsl_device_properties *out)
{
    (void)device;
    *out = (tsl_device_properties){.threads = (int)sysconf(_SC_NPROCESSORS_ONLN),
                                   .memory = (int64_t)sysconf(_SC_PHYS_PAGES) *
                                             (int64_t)sysconf(_SC_PAGESIZE),
                                   .memory_free = tsl_host_memory_free()};
    read_model(out->model, sizeof out->model);
    return TSL_OK;
}

static void *cpu_allocate(tsl_device *device, int64_t bytes, bool passing)
{
    (void)device;
    (void)passing;
    return tsl_allocate((size_t)bytes);
}

static void cpu_release(tsl_device *device, void *memory)
{
    (void)device;
    tsl_release(memory);
}

static tsl_status cpu_copy(tsl_context *context, void *target, const void *source, int64_t bytes)
{
    (void)context;
    memcpy(target, source, (size_t)bytes);
    return TSL_OK;
}

static tsl_status cpu_fill(tsl_context *context, void *target, unsigned char value, int64_t bytes)
{
    (void)context;
    memset(target, value, (size_t)bytes);
    return TSL_OK;
}

static tsl_status cpu_synchronize(tsl_context *context)
{
    (void)context;
    return TSL_OK;
}

#define TSL_TABLE(member, type, cpu, sim, cuda) cpu(extern const struct type tsl_##member##_cpu;)
#include "device/tables.def"
#undef TSL_TABLE

const tsl_device_ops tsl_device_cpu = {
    .name = "cpu",
    .open = cpu_open,
    .close = cpu_close,
    .properties = cpu_properties,
    .allocate = cpu_allocate,
    .release = cpu_release,
    .upload = cpu_copy,
    .download = cpu_copy,
    .fill = cpu_fill,
    .synchronize = cpu_synchronize,
    .record = tsl_record_call,
    .replay = tsl_replay_call,
    .forget = tsl_forget_call,
#define TSL_TABLE(member, type, cpu, sim, cuda) cpu(.member = &tsl_##member##_cpu, )
#include "device/tables.def"
#undef TSL_TABLE
};
