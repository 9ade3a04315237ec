/* The ladder's tables, in the form of the thesis: seconds, and speed-ups over one core and over all
 * cores, class by class. */
#include <stdio.h>
#include <string.h>

#include "cli/npb/command.h"
#include "solvers/npb/ladder/ladder.h"

static int versions_of(const tsl_ladder_version **out, const npb_options *options)
{
    return tsl_ladder_versions(out, options->benchmark == &npb_cg);
}

/* Mean seconds of the version at a place; 0 if it has not run. */
static double mean_of(const npb_table *table, const npb_options *options, tsl_ladder_place place)
{
    const tsl_ladder_version *versions;
    const int count = versions_of(&versions, options);
    for (int i = 0; i < count; i++) {
        if (versions[i].place == place && table->rows[i].ran) {
            return table->rows[i].clocks[options->timing].mean;
        }
    }
    return 0;
}

/* Speed-up of a row over the version at a place; 0 if one of them has not run. */
static double speed_up(const npb_table *table, const npb_options *options, const npb_row *row,
                       tsl_ladder_place over)
{
    return row->ran ? mean_of(table, options, over) / row->clocks[options->timing].mean : 0;
}

/* ---- for people --------------------------------------------------------------------------- */

static void print_number(FILE *stream, int width, int digits, double value)
{
    if (value > 0) {
        fprintf(stream, " %*.*f", width, digits, value);
    } else {
        fprintf(stream, " %*s", width, "-");
    }
}

static void print_rows(FILE *stream, const npb_options *options, const npb_table *table)
{
    const tsl_ladder_version *versions;
    const int count = versions_of(&versions, options);
    for (int i = 0; i < count; i++) {
        const npb_row *row = &table->rows[i];
        const npb_clock *clock = &row->clocks[options->timing];
        if (!row->ran) {
            continue;
        }
        fprintf(stream, "%-7s %-36s %11.6f", versions[i].name, versions[i].what, clock->mean);
        print_number(stream, 10, 6, clock->spread);
        print_number(stream, 9, 2, speed_up(table, options, row, TSL_LADDER_ONE_CORE));
        print_number(stream, 9, 2, speed_up(table, options, row, TSL_LADDER_ALL_CORES));
        fprintf(stream, "  %s\n", row->verified ? "verified" : "WRONG");
    }
}

/* Print the thesis's own form: classes side by side. */
static void print_classes(FILE *stream, const npb_options *options, const npb_table *tables)
{
    const tsl_ladder_version *versions;
    const int count = versions_of(&versions, options);
    fprintf(stream, "\nSpeed-up over one core\n%-7s", "");
    for (const char *name = options->classes; *name != '\0'; name++) {
        fprintf(stream, " %9c", *name);
    }
    fputc('\n', stream);
    for (int i = 0; i < count; i++) {
        if (!tables[0].rows[i].ran) {
            continue;
        }
        fprintf(stream, "%-7s", versions[i].name);
        for (int c = 0; options->classes[c] != '\0'; c++) {
            print_number(stream, 9, 2,
                         speed_up(&tables[c], options, &tables[c].rows[i], TSL_LADDER_ONE_CORE));
        }
        fputc('\n', stream);
    }
}

/* Print which versions are not in the table, and which are done in another way here. */
static void print_notes(FILE *stream, const npb_options *options, const npb_table *table)
{
    const tsl_ladder_version *versions;
    const int count = versions_of(&versions, options);
    const char *first = NULL;
    const char *last = NULL;
    for (int i = 0; i < count; i++) {
        const bool left_out =
            table->rows[i].asked && !table->rows[i].ran && versions[i].place != TSL_LADDER_DEVICES;
        first = left_out && first == NULL ? versions[i].name : first;
        last = left_out ? versions[i].name : last;
    }
    if (first != NULL) {
        fprintf(stream, "\n%s%s%s: not run, for want of a device that has the ladder\n", first,
                first != last ? " to " : "", first != last ? last : "");
    }
    for (int i = 0; i < count; i++) {
        if (table->rows[i].ran && versions[i].today != NULL) {
            fprintf(stream, "%s%s today: %s\n", first == NULL ? "\n" : "", versions[i].name,
                    versions[i].today);
            first = versions[i].name;
        }
    }
}

void npb_table_print(FILE *stream, const npb_options *options, const cli_rank_group *group,
                     const npb_table *tables, int cores)
{
    char over_all[16];
    snprintf(over_all, sizeof over_all, "%d core%s", cores, cores == 1 ? "" : "s");
    for (int c = 0; options->classes[c] != '\0'; c++) {
        fprintf(stream, "%s%s class %c on %s, %d run%s%s\n", c > 0 ? "\n" : "",
                options->benchmark->name, options->classes[c], group->devices, options->repeat,
                options->repeat == 1 ? "" : "s",
                options->timing == NPB_THESIS ? ", device memory and transfers included" : "");
        fprintf(stream, "%-7s %-36s %11s %10s %9s %9s\n", "", "", "", "", "speed-up", "over");
        fprintf(stream, "%-7s %-36s %11s %10s %9s %9s\n", "version", "", "seconds", "spread",
                "1 core", over_all);
        print_rows(stream, options, &tables[c]);
    }
    if (options->classes[1] != '\0' && mean_of(&tables[0], options, TSL_LADDER_ONE_CORE) > 0) {
        print_classes(stream, options, tables);
    }
    print_notes(stream, options, &tables[0]);
    cli_flush(stream);
}

/* ---- for programs ------------------------------------------------------------------------- */

static void write_clock(tsl_json *json, const char *name, const npb_clock *clock)
{
    tsl_json_open_object(json, name);
    tsl_json_number(json, "mean", clock->mean);
    tsl_json_number(json, "spread", clock->spread);
    tsl_json_number(json, "least", clock->least);
    tsl_json_close_object(json);
}

static void write_speed_up(tsl_json *json, const char *name, double value)
{
    tsl_json_known_number(json, name, value, value > 0);
}

static void write_table(tsl_json *json, const npb_options *options, const npb_table *table)
{
    const tsl_ladder_version *versions;
    const int count = versions_of(&versions, options);
    const char name[2] = {table->size_class, '\0'};
    tsl_json_open_object(json, NULL);
    tsl_json_string(json, "class", name);
    tsl_json_open_array(json, "versions");
    for (int i = 0; i < count; i++) {
        const npb_row *row = &table->rows[i];
        if (!row->ran) {
            continue;
        }
        tsl_json_open_object(json, NULL);
        tsl_json_string(json, "name", versions[i].name);
        tsl_json_string(json, "what", versions[i].what);
        tsl_json_string(json, "today", versions[i].today);
        write_clock(json, "compute", &row->clocks[NPB_COMPUTE]);
        write_clock(json, "thesis", &row->clocks[NPB_THESIS]);
        write_speed_up(json, "over_one_core", speed_up(table, options, row, TSL_LADDER_ONE_CORE));
        write_speed_up(json, "over_all_cores", speed_up(table, options, row, TSL_LADDER_ALL_CORES));
        tsl_json_number(json, "error", row->error);
        tsl_json_bool(json, "verified", row->verified);
        tsl_json_close_object(json);
    }
    tsl_json_close_array(json);
    tsl_json_close_object(json);
}

void npb_table_write(tsl_json *json, const npb_options *options, const npb_table *tables, int cores)
{
    tsl_json_open_object(json, "parameters");
    tsl_json_string(json, "benchmark", options->benchmark->name);
    tsl_json_string(json, "classes", options->classes);
    tsl_json_string(json, "variants", options->variants);
    tsl_json_integer(json, "repeat", options->repeat);
    tsl_json_string(json, "timing", options->timing == NPB_THESIS ? "thesis" : "compute");
    tsl_json_integer(json, "threads", cores);
    tsl_json_close_object(json);
    tsl_json_open_object(json, "results");
    tsl_json_open_array(json, "tables");
    for (int c = 0; options->classes[c] != '\0'; c++) {
        write_table(json, options, &tables[c]);
    }
    tsl_json_close_array(json);
    tsl_json_close_object(json);
}
