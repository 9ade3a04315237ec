/* `tesela info`: what this build is and what it can use here. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "blocks/dense/dense.h"
#include "blocks/fft/fft.h"
#include "cli/shared/cli.h"
#include "comm/plugin.h"
#include "core/config.h"
#include "device/plugin.h"
#include "io/grid/hdf5.h"
#include "solvers/linsolve/direct/lu.h"

#ifdef TSL_HAVE_CAIRO
#include <cairo.h>
#endif
#ifdef TSL_HAVE_ZLIB
#include <zlib.h>
#endif

static const char *cairo_version_or_null(void)
{
#ifdef TSL_HAVE_CAIRO
    return cairo_version_string();
#else
    return NULL;
#endif
}

static const char *zlib_version_or_null(void)
{
#ifdef TSL_HAVE_ZLIB
    return zlibVersion();
#else
    return NULL;
#endif
}

static const char *cuda_version_or_null(void)
{
#ifdef TSL_CUDA_VERSION
    return TSL_CUDA_VERSION;
#else
    return NULL;
#endif
}

/* An optional library: its version where the build has it, else what needs it and how to get it. */
typedef struct library {
    const char *name;
    const char *(*version)(void);
    const char *purpose;
    const char *package; /* Debian's and Ubuntu's package */
} library;

static const library libraries[] = {
    {"Cairo", cairo_version_or_null, "figures", "libcairo2-dev"},
    {"HDF5", tsl_hdf5_library, "HDF5 files (tesela poisson)", "libhdf5-dev"},
    {"zlib", zlib_version_or_null, "gzipped input", "zlib1g-dev"},
    {"SuperLU", tsl_lu_library, "direct solutions (tesela solve)", "libsuperlu-dev"},
    {"LAPACK", tsl_dense_library, "fast dense matrices (tesela scf)", "libopenblas-dev"},
    {"CUDA", cuda_version_or_null, "NVIDIA GPUs", "nvidia-cuda-toolkit"},
    {"MPI", tsl_comm_mpi_library, "ranks on several machines (mpirun)", "libopenmpi-dev"},
};
enum { LIBRARIES = sizeof libraries / sizeof *libraries };

enum { MOST_DEVICES = 1 + TSL_DEVICES, REASON = 512 };

/* Devices that can be used now. */
typedef struct device_list {
    int count;
    char names[MOST_DEVICES][TSL_DEVICE_NAME];
    tsl_device_properties properties[MOST_DEVICES];
    char no_cuda[REASON]; /* why a CUDA device, or all of them, cannot be used; "" where they can */
} device_list;

/* Add an open context's device, so that every device that is listed works. */
static tsl_status add_device(device_list *devices, const tsl_context *context)
{
    const int i = devices->count;
    snprintf(devices->names[i], sizeof devices->names[i], "%s", tsl_context_device(context));
    const tsl_status status = context->ops->properties(context->device, &devices->properties[i]);
    devices->count += status == TSL_OK;
    return status;
}

static void add_cuda_devices(device_list *devices)
{
    int count = 0;
    if (tsl_plugin_cuda(&count, devices->no_cuda, sizeof devices->no_cuda) == NULL) {
        return;
    }
    devices->no_cuda[0] = '\0';
    for (int i = 0; i < count && devices->count < MOST_DEVICES; i++) {
        char name[TSL_DEVICE_NAME];
        tsl_context *context;
        tsl_context_options options = TSL_CONTEXT_OPTIONS_INIT;
        snprintf(name, sizeof name, "cuda:%d", i);
        options.device = name;
        if (tsl_context_create(&context, &options) == TSL_OK) {
            add_device(devices, context);
            tsl_context_destroy(context);
        } else {
            snprintf(devices->no_cuda, sizeof devices->no_cuda, "%s", tsl_last_error(NULL));
        }
    }
}

/* Find the devices. The open context's device is the CPU. */
static tsl_status find_devices(device_list *devices, const tsl_context *context)
{
    const tsl_status status = add_device(devices, context);
    if (status == TSL_OK) {
        add_cuda_devices(devices);
    }
    return status;
}

/* Print the cards that a card can reach directly: those whose link has native atomics, or the
 * others. */
static void print_peers(const tsl_device_properties *device, bool native_atomics)
{
    bool any = false;
    for (int i = 0; i < device->peers; i++) {
        if (device->peer[i].native_atomics == native_atomics) {
            if (!any) {
                printf("  %-10s direct access%s: ", "",
                       native_atomics ? ", with native atomics as over NVLink" : "");
            }
            printf("%scuda:%d", any ? ", " : "", device->peer[i].index);
            any = true;
        }
    }
    printf("%s", any ? "\n" : "");
}

static void print_device(const char *name, const tsl_device_properties *device)
{
    char all[16], unused[16];
    const bool cpu = strcmp(name, "cpu") == 0;
    printf("  %-10s %s, %d %s%s", name, device->model, device->threads,
           cpu ? "thread" : "multiprocessor", device->threads == 1 ? "" : "s");
    if (device->clock > 0) {
        printf(" at up to %d MHz", device->clock);
    }
    if (device->capability[0] > 0) {
        printf(", compute capability %d.%d", device->capability[0], device->capability[1]);
    }
    printf(", %s, %s free\n", tsl_format_bytes(all, device->memory),
           tsl_format_bytes(unused, device->memory_free));
    print_peers(device, true);
    print_peers(device, false);
}

static void print_devices(const device_list *devices)
{
    printf("\nDevices (--device)\n");
    for (int i = 0; i < devices->count; i++) {
        print_device(devices->names[i], &devices->properties[i]);
    }
    if (devices->no_cuda[0] != '\0') {
        printf("  %-10s cannot be used: %s\n", "cuda", devices->no_cuda);
    }
}

static void print_info(const device_list *devices)
{
    printf("tesela %s\n\n", tsl_version());
    printf("Build\n  type       %s\n  compiler   %s\n  flags      %s\n", TSL_BUILD_TYPE,
           TSL_COMPILER, TSL_FLAGS);
    print_devices(devices);
    printf("\nLibraries\n  FFT        %s\n", tsl_fft_library());
    int left_out = 0;
    for (int i = 0; i < LIBRARIES; i++) {
        if (libraries[i].version() != NULL) {
            printf("  %-10s %s\n", libraries[i].name, libraries[i].version());
        }
        left_out += libraries[i].version() == NULL;
    }
    printf("\nLeft out of this build\n%s", left_out == 0 ? "  nothing\n" : "");
    for (int i = 0; i < LIBRARIES; i++) {
        if (libraries[i].version() == NULL) {
            printf("  %-10s needed for %s; on Debian and Ubuntu install %s, then build again\n",
                   libraries[i].name, libraries[i].purpose, libraries[i].package);
        }
    }
}

static void write_device(tsl_json *json, const char *name, const tsl_device_properties *device)
{
    char text[32];
    tsl_json_open_object(json, NULL);
    tsl_json_string(json, "name", name);
    tsl_json_string(json, "model", device->model);
    tsl_json_integer(json, "threads", device->threads);
    tsl_json_known_integer(json, "clock_mhz", device->clock, device->clock > 0);
    snprintf(text, sizeof text, "%d.%d", device->capability[0], device->capability[1]);
    tsl_json_string(json, "compute_capability", device->capability[0] > 0 ? text : NULL);
    tsl_json_integer(json, "memory", device->memory);
    tsl_json_integer(json, "memory_free", device->memory_free);
    tsl_json_open_array(json, "peers");
    for (int i = 0; i < device->peers; i++) {
        tsl_json_open_object(json, NULL);
        snprintf(text, sizeof text, "cuda:%d", device->peer[i].index);
        tsl_json_string(json, "name", text);
        tsl_json_bool(json, "native_atomics", device->peer[i].native_atomics);
        tsl_json_close_object(json);
    }
    tsl_json_close_array(json);
    tsl_json_close_object(json);
}

static void write_results(tsl_json *json, const device_list *devices)
{
    tsl_json_open_object(json, "results");
    tsl_json_string(json, "build_type", TSL_BUILD_TYPE);
    tsl_json_string(json, "compiler", TSL_COMPILER);
    tsl_json_string(json, "flags", TSL_FLAGS);
    tsl_json_open_array(json, "devices");
    for (int i = 0; i < devices->count; i++) {
        write_device(json, devices->names[i], &devices->properties[i]);
    }
    tsl_json_close_array(json);
    tsl_json_string(json, "no_cuda", devices->no_cuda[0] != '\0' ? devices->no_cuda : NULL);
    tsl_json_string(json, "fft", tsl_fft_library());
    tsl_json_open_array(json, "libraries");
    for (int i = 0; i < LIBRARIES; i++) {
        tsl_json_open_object(json, NULL);
        tsl_json_string(json, "name", libraries[i].name);
        tsl_json_string(json, "version", libraries[i].version()); /* null: the build lacks it */
        tsl_json_string(json, "purpose", libraries[i].purpose);
        tsl_json_close_object(json);
    }
    tsl_json_close_array(json);
    tsl_json_close_object(json);
}

static void write_body(tsl_json *json, const void *devices)
{
    tsl_json_open_object(json, "parameters");
    tsl_json_close_object(json);
    write_results(json, devices);
}

static tsl_status write_report(tsl_context *context, const device_list *devices, const char *path,
                               double begun)
{
    const double seconds = tsl_seconds() - begun;
    const cli_report report = {
        .command = "info", .verified = -1, .total = seconds, .setup = seconds};
    return cli_report_write(context, path, &report, write_body, devices);
}

static int info_command(const cli_command *self, int argc, char **argv)
{
    const double begun = tsl_seconds();
    cli_common options;
    int exit_status;
    if (!cli_parse_options(self, &options, argc, argv, &exit_status)) {
        return exit_status;
    }
    const char *json = options.json;
    const cli_common common = {.device = "cpu"};
    device_list devices = {0};
    tsl_context *context;
    tsl_status status = cli_open_context(&context, &common);
    if (status != TSL_OK) {
        return cli_exit_status(NULL, status, false);
    }
    status = find_devices(&devices, context);
    if (status == TSL_OK && (json == NULL || strcmp(json, "-") != 0)) {
        print_info(&devices);
    }
    if (status == TSL_OK && json != NULL) {
        status = write_report(context, &devices, json, begun);
    }
    if (status != TSL_OK) {
        cli_error("%s", tsl_last_error(context));
    }
    exit_status = cli_exit_status(context, status, false);
    tsl_context_destroy(context);
    return exit_status;
}

const cli_command cli_info = {
    .run = info_command,
    .doc = "Show the version of this build of tesela, the devices that it can use here, its "
           "libraries, and the features it was built without.\v"
           "Examples:\n"
           "  tesela info\n"
           "  tesela info --json - | jq .results.devices",
    .size = sizeof(cli_common),
    .lacks = CLI_NO_DEVICE | CLI_NO_THREADS | CLI_NO_PROFILE | CLI_NO_QUIET};
