/* Parses a command line by a command's rows, through argp, which also prints --help. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/shared/cli.h"
#include "cli/shared/ranks.h"
#include "core/context.h"
#include "io/file/sha256.h"

const char cli_running[] = "Where and how it runs:";
const char cli_reporting[] = "What it reports:";

/* ---- options every command has ------------------------------------------------------------ */

static error_t set_quiet(const cli_option *row, const char *text, void *options)
{
    cli_be_quiet();
    return cli_set(row, text, options);
}

static const cli_option common_rows[] = {
    {.heading = cli_running},
    {"device", 'd', "DEVICE", CLI_TEXT, CLI_FIELD(cli_common, device), .of_a_rank = true,
     .otherwise = ""},
    {"threads", .value = "COUNT", .kind = CLI_INTEGER, CLI_FIELD(cli_common, threads),
     .range = {1, TSL_THREADS}, .of_a_rank = true, .help = "CPU threads of each rank",
     .otherwise = "OMP_NUM_THREADS, or all cores divided among the ranks"},
    {.heading = cli_reporting},
    {"json", 'j', "FILE", CLI_FILE, CLI_FIELD(cli_common, json), .of_a_rank = true,
     .help = "write a report as JSON; - is standard output"},
    {"profile", .kind = CLI_FLAG, CLI_FIELD(cli_common, profile), .of_a_rank = true,
     .help = "print where the time went"},
    {"quiet", 'q', .kind = CLI_FLAG, CLI_FIELD(cli_common, quiet), .set = set_quiet,
     .of_a_rank = true, .help = "print errors only"},
    {0}};

static const char *device_help(const cli_command *command)
{
    static const char one[] = "auto, cpu or cuda:0 (auto: a GPU if there is one); see tesela info";
    static const char *const of_places[] = {
        [CLI_ANYWHERE] = one,
        [CLI_ONE_DEVICE] = one,
        [CLI_ONE_RANK] = "auto, cpu or cuda:0, or a list with one rank for each: cuda:0-3 or "
                         "cuda:0,cpu (auto: a GPU if there is one); see tesela info",
        [CLI_ALL_RANKS] = "auto, cpu or cuda:0, or a list with one rank for each: cuda:0-3 or "
                          "cuda:0,cpu (auto: all GPUs, the CPU if there is none); see tesela info"};
    return command->device != NULL ? command->device : of_places[command->places];
}

static void add_common_rows(cli_option *out, const cli_command *command)
{
    static const struct {
        unsigned lack;
        size_t offset;
    } lacks[] = {{CLI_NO_DEVICE, offsetof(cli_common, device)},
                 {CLI_NO_THREADS, offsetof(cli_common, threads)},
                 {CLI_NO_PROFILE, offsetof(cli_common, profile)},
                 {CLI_NO_QUIET, offsetof(cli_common, quiet)},
                 {CLI_NO_JSON, offsetof(cli_common, json)}};
    for (const cli_option *row = common_rows; !cli_is_end(row); row++) {
        bool has = true;
        for (size_t i = 0; i < sizeof lacks / sizeof *lacks && row->heading == NULL; i++) {
            has = has &&
                  !(row->field.offset == lacks[i].offset && (command->lacks & lacks[i].lack) != 0);
        }
        if (has) {
            *out = *row;
            out->help = row->help != NULL ? row->help : device_help(command);
            out++;
        }
    }
    *out = (cli_option){0};
}

void cli_rows(cli_option *out, const cli_command *command)
{
    for (const cli_option *row = command->rows; row != NULL && !cli_is_end(row); row++) {
        *out++ = *row;
    }
    add_common_rows(out, command);
}

bool cli_takes(const cli_command *command, const cli_option *row)
{
    return command->only == 0 || row->tasks == 0 || (row->tasks & command->only) != 0;
}

/* ---- rows as argp's ------------------------------------------------------------------------ */

enum { FIRST_KEY = 0x100 };

/* The rows of a command and of all commands, and argp's options made of them. */
typedef struct parser {
    const cli_command *command;
    cli_option rows[CLI_MOST_ROWS];
    int count;
    struct argp_option argp[CLI_MOST_ROWS];
    char help[CLI_MOST_ROWS][CLI_HELP];
    void *options;
    tsl_sha256 hash; /* of the command's arguments, without options that each rank may set */
    int arguments;
    const char *name; /* the command's full name */
} parser;

/* argp's group of a heading: in the order of the rows, with those of all commands last. */
static int group_of(const cli_option *heading, int before)
{
    return heading->heading == cli_running     ? 90
           : heading->heading == cli_reporting ? 91
                                               : before + 1;
}

/* Does the command take one of the rows below a heading? */
static bool has_rows(const parser *p, const cli_option *heading)
{
    for (const cli_option *row = heading + 1; !cli_is_end(row) && row->heading == NULL; row++) {
        if (cli_takes(p->command, row)) {
            return true;
        }
    }
    return false;
}

/* Add rows to argp's table, whose length is *made. Each heading is added once,
 * and where the command takes nothing below it not at all. */
static void add_rows(parser *p, const cli_option *rows, const void *defaults, int *made)
{
    int group = 0, own = 0;
    for (const cli_option *row = rows; row != NULL && !cli_is_end(row); row++) {
        struct argp_option *out = &p->argp[*made];
        if (row->heading != NULL) {
            group = group_of(row, own);
            own = group < 90 ? group : own;
            bool left_out = !has_rows(p, row);
            for (int i = 0; i < *made; i++) {
                left_out = left_out || p->argp[i].doc == row->heading;
            }
            if (left_out) {
                continue;
            }
            *out = (struct argp_option){.doc = row->heading, .group = group};
        } else {
            const bool file = row->kind == CLI_FILE || row->kind == CLI_FOLDER;
            cli_option_help(p->help[p->count], row, defaults);
            *out = (struct argp_option){.name = row->name,
                                        .key = row->letter != '\0' ? row->letter
                                                                   : FIRST_KEY + p->count,
                                        .arg = row->value,
                                        .flags = (file ? CLI_NAMES_A_FILE : 0) |
                                                 (cli_takes(p->command, row) ? 0 : OPTION_HIDDEN),
                                        .doc = p->help[p->count],
                                        .group = group};
            p->rows[p->count++] = *row;
        }
        (*made)++;
    }
}

static int row_of(const parser *p, int key)
{
    for (int i = 0; i < p->count; i++) {
        if (p->rows[i].letter != '\0' ? p->rows[i].letter == key : key == FIRST_KEY + i) {
            return i;
        }
    }
    return -1;
}

/* ---- tasks --------------------------------------------------------------------------------- */

static int task_count(const cli_command *command)
{
    int count = 0;
    while (command->tasks != NULL &&
           (command->tasks[count].word != NULL || command->tasks[count].name != NULL)) {
        count++;
    }
    return count;
}

unsigned cli_task_bit(const cli_command *command, const void *options)
{
    const char *at = (const char *)options + command->task.offset;
    return command->only != 0 || command->tasks == NULL ? command->only
           : command->task.size == sizeof(bool)         ? 1U << *(const bool *)at
                                                        : 1U << *(const int *)(const void *)at;
}

/* Does the first argument name a task? Then the task is stored. */
static bool take_task(const parser *p, const char *text)
{
    const cli_command *command = p->command;
    for (int i = 0; i < task_count(command) && command->only == 0; i++) {
        if (command->tasks[i].word != NULL && strcmp(command->tasks[i].word, text) == 0) {
            char *at = (char *)p->options + command->task.offset;
            if (command->task.size == sizeof(bool)) {
                *(bool *)at = i != 0;
            } else {
                *(int *)(void *)at = i;
            }
            return true;
        }
    }
    return false;
}

/* Write "a file, verify and study". */
static void list_takers(char *text, size_t bytes, const cli_command *command, unsigned tasks)
{
    const char *found[32];
    int count = 0;
    size_t used = 0;
    for (int i = 0; i < task_count(command); i++) {
        if ((tasks & 1U << i) != 0) {
            const cli_task *task = &command->tasks[i];
            found[count++] = task->name != NULL ? task->name : task->word;
        }
    }
    text[0] = '\0';
    for (int i = 0; i < count && used < bytes; i++) {
        const char *link = i == 0 ? "" : i < count - 1 ? ", " : " and ";
        used += (size_t)snprintf(text + used, bytes - used, "%s%s", link, found[i]);
    }
}

/* Refuse options that the task would pass over. */
static bool check_given(const parser *p)
{
    const cli_common *common = p->options;
    const unsigned task = cli_task_bit(p->command, p->options);
    char name[CLI_SPELLED], other[CLI_SPELLED], takers[128], own[64];
    for (int i = 0; i < p->count; i++) {
        const cli_option *row = &p->rows[i];
        if ((common->given & UINT64_C(1) << i) == 0) {
            continue;
        }
        if (row->tasks != 0 && (row->tasks & task) == 0) {
            list_takers(takers, sizeof takers, p->command, row->tasks);
            list_takers(own, sizeof own, p->command, task);
            cli_error("%s goes with %s only, not with %s: leave it out", cli_spell(name, row),
                      takers, own);
            return false;
        }
        for (int j = 0; j < i; j++) {
            if ((common->given & UINT64_C(1) << j) != 0 &&
                p->rows[j].field.offset == row->field.offset) {
                cli_error("%s does not go with %s: leave one of them out", cli_spell(name, row),
                          cli_spell(other, &p->rows[j]));
                return false;
            }
        }
    }
    return true;
}

/* ---- parsing ------------------------------------------------------------------------------- */

static error_t take_argument(parser *p, char *text)
{
    const cli_command *command = p->command;
    if (p->arguments++ == 0 && take_task(p, text)) {
        return 0;
    }
    if (command->argument != NULL) {
        return command->argument(p->options, text);
    }
    cli_error("'%s': %s takes no arguments (see %s --help)", text, p->name, p->name);
    return EINVAL;
}

static error_t parse(int key, char *text, struct argp_state *state)
{
    parser *p = state->input;
    cli_common *common = p->options;
    const int place = row_of(p, key);
    if (key == 'h' && place < 0) {
        argp_state_help(state, stdout, ARGP_HELP_STD_HELP);
        return 0;
    }
    if (key == ARGP_KEY_ARG) {
        tsl_sha256_add(&p->hash, "", 1);
        tsl_sha256_add(&p->hash, text, strlen(text) + 1);
        return take_argument(p, text);
    }
    if (place < 0) {
        return ARGP_ERR_UNKNOWN;
    }
    const cli_option *row = &p->rows[place];
    if (!row->of_a_rank) {
        char name[CLI_SPELLED];
        cli_spell(name, row);
        tsl_sha256_add(&p->hash, name, strlen(name) + 1);
        tsl_sha256_add(&p->hash, text != NULL ? text : "", text != NULL ? strlen(text) + 1 : 1);
    }
    common->given |= UINT64_C(1) << place;
    return row->set != NULL ? row->set(row, text, p->options) : cli_set(row, text, p->options);
}

/* Make the table of a command: its rows, then those of all commands. */
static void make_parser(parser *p, const cli_command *command, void *options)
{
    static const struct argp_option help = {"help", 'h', NULL, OPTION_HIDDEN, NULL, -1};
    cli_option rows[CLI_MOST_ROWS];
    int made = 0;
    *p = (parser){.command = command, .options = options};
    cli_rows(rows, command);
    add_rows(p, rows, options, &made);
    p->argp[made++] = help;
    p->argp[made] = (struct argp_option){0};
}

static bool parse_and_check(const cli_command *command, void *options, int argc, char **argv)
{
    static parser p;
    static char version[32];
    cli_common *common = options;
    memset(options, 0, command->size);
    if (command->init != NULL) {
        command->init(command, options);
    }
    common->of = command;
    common->device =
        common->device == NULL && (command->lacks & CLI_NO_DEVICE) == 0 ? "auto" : common->device;
    make_parser(&p, command, options);
    p.name = argv[0];
    const struct argp argp = {
        .options = p.argp, .parser = parse, .args_doc = command->arguments, .doc = command->doc};
    snprintf(version, sizeof version, "tesela %s", tsl_version());
    argp_program_version = version;
    argp_err_exit_status = CLI_USAGE;
    /* The note explains GNU's conventions. At its own margin glibc breaks lines in odd places. */
    setenv("ARGP_HELP_FMT", "no-dup-args-note,rmargin=100", 0);
    tsl_sha256_begin(&p.hash);
    tsl_sha256_add(&p.hash, argv[0], strlen(argv[0]) + 1);
    if (!cli_check_arguments(&argp, argc, argv) ||
        argp_parse(&argp, argc, argv, 0, NULL, &p) != 0 || !check_given(&p)) {
        return false;
    }
    tsl_sha256_end(&p.hash, common->command);
    return cli_can_write_report(common->json) &&
           (command->check == NULL || command->check(options));
}

bool cli_parse_options(const cli_command *command, void *options, int argc, char **argv,
                       int *exit_status)
{
    const bool has_ranks = command->places == CLI_ONE_RANK || command->places == CLI_ALL_RANKS;
    cli_be_silent(has_ranks && !cli_is_leader());
    const bool parsed = parse_and_check(command, options, argc, argv);
    cli_be_silent(false);
    if (!parsed) {
        *exit_status = has_ranks ? cli_refused(CLI_USAGE) : CLI_USAGE;
    }
    return parsed;
}

/* ---- what was parsed ----------------------------------------------------------------------- */

/* The place of the next row, from `first` on, that stores in this field; -1: no row does. */
static int place_of(const cli_common *common, const void *field, int first, cli_option *out)
{
    const size_t offset = (size_t)((const char *)field - (const char *)common);
    cli_option rows[CLI_MOST_ROWS];
    int place = 0;
    cli_rows(rows, common->of);
    for (const cli_option *row = rows; !cli_is_end(row); row++) {
        if (row->heading == NULL) {
            if (place >= first && row->field.offset == offset) {
                *out = *row;
                return place;
            }
            place++;
        }
    }
    return -1;
}

bool cli_given(const cli_common *common, const void *field)
{
    cli_option row;
    bool given = false;
    for (int place = -1; (place = place_of(common, field, place + 1, &row)) >= 0;) {
        given = given || (common->given & UINT64_C(1) << place) != 0;
    }
    return given;
}

const char *cli_spelled(const cli_common *common, const void *field)
{
    static char names[4][CLI_SPELLED]; /* names in one message */
    static int next;
    cli_option row = {0};
    int place = place_of(common, field, 0, &row);
    /* a row whose option was given */
    while (place >= 0 && (common->given & UINT64_C(1) << place) == 0) {
        place = place_of(common, field, place + 1, &row);
    }
    if (place < 0) {
        place_of(common, field, 0, &row);
    }
    next = (next + 1) % 4;
    return cli_spell(names[next], &row);
}

void cli_list_rank_options(char *text, size_t bytes, const cli_common *common)
{
    cli_option rows[CLI_MOST_ROWS];
    const char *names[CLI_MOST_ROWS];
    int count = 0, own = 0;
    size_t length = 0;
    cli_rows(rows, common->of);
    for (const cli_option *row = common->of->rows; row != NULL && !cli_is_end(row); row++) {
        own += row->of_a_rank;
    }
    for (const cli_option *row = rows; !cli_is_end(row); row++) {
        if (row->of_a_rank) {
            names[count++] = row->name;
        }
    }
    for (int i = 0; i < count && length < bytes; i++) { /* a command's own rows come last */
        const char *link = i == 0 ? "" : i + 1 < count ? ", " : " and ";
        length += (size_t)snprintf(text + length, bytes - length, "%s--%s", link,
                                   names[(i + own) % count]);
    }
}
