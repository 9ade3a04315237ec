/* `tesela pairs maps`. */
#include <stdio.h>

#include "blocks/simplex/simplex.h"
#include "cli/pairs/command.h"
#include "core/context.h"
#include "device/device.h"

enum {
    MOST_CELLS = 200000,
    PERSISTENT = TSL_MAPS, /* covers beside those of maps of one grid */
    NESTED = TSL_MAPS + 1, /* the last, where blocks can launch grids */
    COVERS = TSL_MAPS + 2
};

typedef struct maps_options {
    cli_common common;
    int cells, side, rows; /* rows 0: as many as the side, or fewer that a block can have */
    int leaf, rows_tried;
} maps_options;

typedef struct maps_work {
    pairs_task task;
    const maps_options *options;
    int count; /* of covers */
    tsl_cover covers[COVERS];
    int64_t first_wrong[TSL_ROOTS];
} maps_work;

static const cli_option rows[] = {
    {"cells", .value = "N", .kind = CLI_INTEGER, CLI_FIELD(maps_options, cells),
     .range = {0, MOST_CELLS}, .help = "side of the triangle, cells"},
    {"side", .value = "B", .kind = CLI_INTEGER, CLI_FIELD(maps_options, side), .range = {1, 1024},
     .help = "side of a tile, cells"},
    {"rows", .value = "R", .kind = CLI_INTEGER, CLI_FIELD(maps_options, rows), .range = {1, 1024},
     .help = "rows of threads of a block, each of B threads; R divides B",
     .otherwise = "B, or what 1024 threads allow"},
    {"leaf", .value = "C", .kind = CLI_INTEGER, CLI_FIELD(maps_options, leaf),
     .range = {1, MOST_CELLS},
     .help = "cells along a side of a triangle that nested grids don't divide further"},
    {"rows-tried", .value = "ROWS", .kind = CLI_INTEGER, CLI_FIELD(maps_options, rows_tried),
     .range = {0, INT32_MAX}, .help = "number of rows at whose ends the roots are tested"},
    {0}};

static const char command_doc[] =
    "Check the maps from the blocks of a GPU's grid to the tiles of a lower triangle. Each map is "
    "run on the device, every cell is counted, and the numbers of blocks and threads without a "
    "cell are compared with closed forms. The table also has `persistent`, with as many blocks as "
    "the device holds at a time, each of which computes many tiles, and on an NVIDIA GPU `nested`, "
    "grids whose blocks launch grids. Then, for each formula that converts the number of a cell to "
    "its row, report the first row that is wrong.\v"
    "Examples:\n"
    "  tesela pairs maps\n"
    "  tesela pairs maps --cells 32768 --side 32 --rows 8 --device cuda:0";

static bool check(void *parsed)
{
    maps_options *const options = parsed;
    if (options->rows == 0) {
        options->rows = options->side;
        while (options->rows * options->side > 1024 || options->side % options->rows != 0) {
            options->rows--;
        }
    }
    if (options->side % options->rows != 0) {
        cli_error("--rows %d: does not divide the side, %d", options->rows, options->side);
    } else if (options->rows * options->side > 1024) {
        cli_error("--side %d --rows %d: a block has at most 1024 threads", options->side,
                  options->rows);
    } else {
        return true;
    }
    return false;
}

static const char *map_name(int map)
{
    return map == PERSISTENT ? "persistent" : map == NESTED ? "nested" : tsl_map_name((tsl_map)map);
}

/* Cells done wrongly, and counts that differ from closed forms. */
static int64_t count_faults(const tsl_cover *cover)
{
    return cover->missed + cover->repeated + cover->outside +
           (cover->found.blocks != cover->expected.blocks) +
           (cover->found.idle_blocks != cover->expected.idle_blocks) +
           (cover->found.idle_threads != cover->expected.idle_threads);
}

static bool is_right(const maps_work *work)
{
    bool right = true;
    for (int map = 0; map < work->count; map++) {
        right &= count_faults(&work->covers[map]) == 0;
    }
    return right;
}

static tsl_status run(maps_work *work)
{
    const maps_options *options = work->options;
    tsl_context *const context = work->task.context;
    const tsl_simplex_ops *const ops = context->ops->simplex;
    tsl_status status = TSL_OK;
    for (int map = 0; map < TSL_MAPS && status == TSL_OK; map++) {
        status = tsl_cover_count(&work->covers[map], context, (tsl_map)map, options->cells,
                                 options->side, options->rows);
    }
    if (status == TSL_OK) {
        status =
            tsl_persistent_cover(&work->covers[PERSISTENT], context, options->cells, options->side,
                                 options->rows, ops->held(context, options->side * options->rows));
    }
    work->count = ops->nested != NULL ? COVERS : NESTED;
    if (status == TSL_OK && ops->nested != NULL) {
        status = tsl_nested_cover(&work->covers[NESTED], context, TSL_NESTED_FORGET, options->cells,
                                  options->side, options->rows, options->leaf);
    }
    for (int root = 0; root < TSL_ROOTS && status == TSL_OK; root++) {
        work->first_wrong[root] = tsl_root_first_wrong((tsl_root)root, options->rows_tried);
    }
    return status;
}

static void print(FILE *stream, const void *user)
{
    const maps_work *work = user;
    const maps_options *options = work->options;
    fprintf(stream,
            "A triangle of %d cells a side, tiles of %d, blocks of %d x %d threads, on %s\n",
            options->cells, options->side, options->side, options->rows,
            tsl_context_device(work->task.context));
    fprintf(stream, "%-10s %8s %12s %12s %14s\n", "map", "launches", "blocks", "idle",
            "idle threads");
    for (int map = 0; map < work->count; map++) {
        const tsl_cover *cover = &work->covers[map];
        fprintf(stream, "%-10s %8d %12lld %12lld %14lld  ", map_name(map), cover->launches,
                (long long)cover->found.blocks, (long long)cover->found.idle_blocks,
                (long long)cover->found.idle_threads);
        if (count_faults(cover) == 0) {
            fprintf(stream, "right\n");
        } else {
            fprintf(stream,
                    "wrong: %lld cells missed, %lld repeated, %lld outside; by closed forms %lld "
                    "blocks, %lld idle, %lld threads idle\n",
                    (long long)cover->missed, (long long)cover->repeated, (long long)cover->outside,
                    (long long)cover->expected.blocks, (long long)cover->expected.idle_blocks,
                    (long long)cover->expected.idle_threads);
        }
    }
    fprintf(stream, "\nroot                 first row wrong, of %d\n", options->rows_tried);
    for (int root = 0; root < TSL_ROOTS; root++) {
        fprintf(stream, "%-20s ", tsl_root_name((tsl_root)root));
        if (work->first_wrong[root] < 0) {
            fprintf(stream, "none\n");
        } else {
            fprintf(stream, "%lld\n", (long long)work->first_wrong[root]);
        }
    }
}

static void write_map(tsl_json *json, int map, const tsl_cover *cover)
{
    tsl_json_open_object(json, NULL);
    tsl_json_string(json, "map", map_name(map));
    tsl_json_integer(json, "launches", cover->launches);
    tsl_json_integer(json, "blocks", cover->found.blocks);
    tsl_json_integer(json, "idle_blocks", cover->found.idle_blocks);
    tsl_json_integer(json, "idle_threads", cover->found.idle_threads);
    tsl_json_integer(json, "expected_blocks", cover->expected.blocks);
    tsl_json_integer(json, "expected_idle_blocks", cover->expected.idle_blocks);
    tsl_json_integer(json, "expected_idle_threads", cover->expected.idle_threads);
    tsl_json_integer(json, "missed", cover->missed);
    tsl_json_integer(json, "repeated", cover->repeated);
    tsl_json_integer(json, "outside", cover->outside);
    tsl_json_close_object(json);
}

static void write_body(tsl_json *json, const void *user)
{
    const maps_work *work = user;
    tsl_json_open_object(json, "parameters");
    tsl_json_integer(json, "cells", work->options->cells);
    tsl_json_integer(json, "side", work->options->side);
    tsl_json_integer(json, "rows", work->options->rows);
    tsl_json_integer(json, "leaf", work->options->leaf);
    tsl_json_integer(json, "threads", tsl_context_threads(work->task.context));
    tsl_json_close_object(json);
    tsl_json_open_object(json, "results");
    tsl_json_open_array(json, "maps");
    for (int map = 0; map < work->count; map++) {
        write_map(json, map, &work->covers[map]);
    }
    tsl_json_close_array(json);
    tsl_json_open_array(json, "roots");
    for (int root = 0; root < TSL_ROOTS; root++) {
        tsl_json_open_object(json, NULL);
        tsl_json_string(json, "root", tsl_root_name((tsl_root)root));
        tsl_json_known_integer(json, "first_wrong_row", work->first_wrong[root],
                               work->first_wrong[root] >= 0);
        tsl_json_close_object(json);
    }
    tsl_json_close_array(json);
    tsl_json_integer(json, "rows_tried", work->options->rows_tried);
    tsl_json_open_array(json, "cases");
    for (int map = 0; map < work->count; map++) {
        const int64_t faults = count_faults(&work->covers[map]);
        cli_report_case(json, map_name(map), (double)faults, 0, faults == 0);
    }
    tsl_json_close_array(json);
    tsl_json_close_object(json);
}

static void init(const cli_command *self, void *options)
{
    (void)self;
    *(maps_options *)options =
        (maps_options){.cells = 4095, .side = 16, .leaf = 1024, .rows_tried = 135000000};
}

static int run_command(const cli_command *self, int argc, char **argv)
{
    maps_options options;
    maps_work work = {.options = &options};
    int exit_status;
    if (!cli_parse_options(self, &options, argc, argv, &exit_status)) {
        return exit_status;
    }
    work.task = pairs_begin(NULL, &options);
    tsl_status status = cli_open_context(&work.task.context, &options.common);
    const double begun = tsl_seconds();
    if (status == TSL_OK) {
        status = run(&work);
        tsl_profile_add(work.task.context, "maps", begun, 0, 0);
    }
    work.task.compute = tsl_seconds() - begun;
    if (status == TSL_OK) {
        work.task.verified = is_right(&work);
        status = pairs_tell(&work.task, print, write_body, &work);
    }
    exit_status = cli_end(work.task.context, status, false);
    if (status == TSL_OK && !is_right(&work)) {
        cli_error("a map does not cover its triangle");
        exit_status = CLI_CHECK_FAILED;
    }
    tsl_context_destroy(work.task.context);
    return exit_status;
}

const cli_command pairs_maps = {.name = "maps",
                                .summary = "maps from a GPU's blocks to a triangle, counted",
                                .run = run_command,
                                .doc = command_doc,
                                .rows = rows,
                                .size = sizeof(maps_options),
                                .init = init,
                                .check = check,
                                .places = CLI_ONE_DEVICE};
