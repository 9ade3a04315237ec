/* Many pairs in one process: `tesela dock --list`. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/dock/command.h"
#include "comm/comm.h"
#include "io/file/output.h"
#include "io/file/sha256.h"
#include "io/file/text.h"

typedef enum list_outcome { NOT_REACHED, DOCKED, WAS_COMPLETE, FAILED } list_outcome;

typedef struct list_entry {
    const char *receptor;
    const char *ligand;
    const char *name;
    int64_t line;
    list_outcome outcome;
    char *error;
    int64_t poses;
    int best_score;
    double seconds;
} list_entry;

typedef struct pair_list {
    char *text; /* the file; entries point into it */
    list_entry *entries;
    int64_t count;
    dock_input *inputs[2]; /* receptors, ligands, each sorted by path */
    int64_t input_count[2];
    int64_t counts[FAILED + 1]; /* of each outcome */
    bool unverified;
} pair_list;

/* ---- reading ------------------------------------------------------------------------------ */

enum { COLUMNS = 3, LONGEST_NAME = 200, LONGEST_PATH = 4096 };

/* Cut a line at its tabs and its fields free of blanks. Returns the number of columns. */
static int split_columns(char *line, char *fields[COLUMNS])
{
    int count = 0;
    for (char *next = line; next != NULL; count++) {
        char *field = strsep(&next, "\t");
        while (*field == ' ') {
            field++;
        }
        for (size_t n = strlen(field); n > 0 && field[n - 1] == ' '; n--) {
            field[n - 1] = '\0';
        }
        if (count < COLUMNS) {
            fields[count] = field;
        }
    }
    return count;
}

/* What makes a name unfit for a folder; NULL: nothing. */
static const char *name_fault(const char *name)
{
    if (strchr(name, '/') != NULL) {
        return "has a slash";
    }
    if (name[0] == '.') {
        return "begins with a dot";
    }
    if (strlen(name) > LONGEST_NAME) {
        return "is longer than 200 bytes";
    }
    return strcmp(name, "list.json") == 0 ? "is the report's" : NULL;
}

static tsl_status read_entry(list_entry *entry, tsl_context *context, const char *path, char *line,
                             int64_t number)
{
    char *fields[COLUMNS];
    const long long at = number;
    for (const char *c = line; *c != '\0'; c++) {
        if ((unsigned char)*c < ' ' && *c != '\t') {
            return tsl_fail(context, TSL_E_FORMAT, "%s:%lld: is not text", path, at);
        }
    }
    const int columns = split_columns(line, fields);
    if (columns != COLUMNS) {
        return tsl_fail(context, TSL_E_FORMAT,
                        "%s:%lld: %d column%s: give receptor, ligand and name, separated by tabs",
                        path, at, columns, columns == 1 ? "" : "s");
    }
    for (int i = 0; i < COLUMNS; i++) {
        if (fields[i][0] == '\0' || strlen(fields[i]) > LONGEST_PATH) {
            return tsl_fail(context, TSL_E_FORMAT,
                            "%s:%lld: column %d is %s: give receptor, ligand and name, separated "
                            "by tabs",
                            path, at, i + 1, fields[i][0] == '\0' ? "empty" : "too long");
        }
    }
    const char *fault = name_fault(fields[2]);
    if (fault != NULL) {
        return tsl_fail(context, TSL_E_FORMAT,
                        "%s:%lld: the name '%.200s' %s: choose another for the folder", path, at,
                        fields[2], fault);
    }
    *entry =
        (list_entry){.receptor = fields[0], .ligand = fields[1], .name = fields[2], .line = number};
    return TSL_OK;
}

static int by_name(const void *left, const void *right)
{
    const list_entry *const *a = left;
    const list_entry *const *b = right;
    const int order = strcmp((*a)->name, (*b)->name);
    return order != 0 ? order : ((*a)->line > (*b)->line) - ((*a)->line < (*b)->line);
}

static tsl_status check_names(const pair_list *list, tsl_context *context, const char *path)
{
    const size_t bytes = (size_t)list->count * sizeof(list_entry *);
    list_entry **sorted = tsl_allocate(bytes);
    if (sorted == NULL) {
        return tsl_fail_memory(context, (int64_t)bytes, "the list of pairs");
    }
    for (int64_t i = 0; i < list->count; i++) {
        sorted[i] = &list->entries[i];
    }
    qsort(sorted, (size_t)list->count, sizeof *sorted, by_name);
    tsl_status status = TSL_OK;
    for (int64_t i = 1; i < list->count && status == TSL_OK; i++) {
        if (strcmp(sorted[i]->name, sorted[i - 1]->name) == 0) {
            status = tsl_fail(context, TSL_E_FORMAT,
                              "%s:%lld: the name '%s' is line %lld's already: choose another", path,
                              (long long)sorted[i]->line, sorted[i]->name,
                              (long long)sorted[i - 1]->line);
        }
    }
    tsl_release(sorted);
    return status;
}

static tsl_status split_lines(pair_list *list, tsl_context *context, const char *path, size_t size)
{
    tsl_lines lines = tsl_lines_of(list->text, size);
    const char *start;
    size_t length;
    tsl_status status = TSL_OK;
    while (status == TSL_OK && tsl_lines_next(&lines, &start, &length)) {
        char *line = list->text + (start - list->text);
        const size_t blanks = strspn(line, " \t");
        if (blanks < length && line[blanks] != '#') {
            line[length] = '\0'; /* in place of the line's end */
            status =
                memchr(line, '\0', length) != NULL
                    ? tsl_fail(context, TSL_E_FORMAT, "%s:%lld: is not text", path,
                               (long long)lines.number)
                    : read_entry(&list->entries[list->count], context, path, line, lines.number);
            list->count += status == TSL_OK;
        }
    }
    return status;
}

static tsl_status read_pairs(pair_list *list, tsl_context *context, const char *path)
{
    tsl_text text;
    tsl_status status = dock_refuse_shared_pipe(context, path);
    if (status == TSL_OK) {
        status = tsl_text_read_if(&text, context, path, (size_t)64 << 20, tsl_text_is);
    }
    if (status != TSL_OK) {
        return status;
    }
    size_t most = 1;
    for (size_t i = 0; i < text.size; i++) {
        most += text.data[i] == '\n' || text.data[i] == '\r';
    }
    list->text = tsl_allocate_zeroed(text.size + 1, 1);
    list->entries = tsl_allocate_zeroed(most, sizeof *list->entries);
    if (list->text == NULL || list->entries == NULL) {
        status = tsl_fail_memory(context, (int64_t)(text.size + most * sizeof *list->entries),
                                 "the list of pairs");
    } else {
        memcpy(list->text, text.data, text.size);
        status = split_lines(list, context, path, text.size);
    }
    tsl_text_release(&text);
    if (status == TSL_OK && list->count == 0) {
        status = tsl_fail(context, TSL_E_FORMAT,
                          "%s: lists no pair: give a line of receptor, ligand and name, separated "
                          "by tabs, for each",
                          path);
    }
    return status == TSL_OK ? check_names(list, context, path) : status;
}

/* ---- molecules ---------------------------------------------------------------------------- */

static int by_path(const void *left, const void *right)
{
    const dock_input *a = left;
    const dock_input *b = right;
    return strcmp(a->path, b->path);
}

static dock_input *find_input(const pair_list *list, int role, const list_entry *entry)
{
    const dock_input key = {.path = role == 0 ? entry->receptor : entry->ligand};
    return bsearch(&key, list->inputs[role], (size_t)list->input_count[role], sizeof key, by_path);
}

/* Collect each file once, with the last entry that uses it. */
static tsl_status collect_inputs(pair_list *list, tsl_context *context, int role,
                                 const dock_options *options)
{
    dock_input *inputs = tsl_allocate_zeroed((size_t)list->count, sizeof *inputs);
    if (inputs == NULL) {
        return tsl_fail_memory(context, list->count * (int64_t)sizeof *inputs,
                               "the list of molecules");
    }
    for (int64_t i = 0; i < list->count; i++) {
        const list_entry *entry = &list->entries[i];
        inputs[i] = dock_input_of(options, role, role == 0 ? entry->receptor : entry->ligand);
        inputs[i].of_list = true;
    }
    qsort(inputs, (size_t)list->count, sizeof *inputs, by_path);
    int64_t count = 0;
    for (int64_t i = 0; i < list->count; i++) {
        if (count == 0 || by_path(&inputs[count - 1], &inputs[i]) != 0) {
            inputs[count++] = inputs[i];
        }
    }
    list->inputs[role] = inputs;
    list->input_count[role] = count;
    for (int64_t i = 0; i < list->count; i++) {
        find_input(list, role, &list->entries[i])->last_use = i;
    }
    return TSL_OK;
}

/* ---- docking ------------------------------------------------------------------------------ */

static void print_outcome(const dock_work *work, const list_entry *entry, const dock_pair *pair)
{
    FILE *stream = cli_summary_stream(&work->options->common);
    if (cli_is_quiet()) {
        return;
    }
    cli_progress_clear();
    if (entry->outcome == DOCKED) {
        fprintf(stream, "%8d %9.3f %9.1f  %s\n", entry->best_score,
                pair->list.count > 0 ? dock_es_ratio(pair, &pair->list.poses[0]) : 0.0,
                entry->seconds, entry->name);
    } else {
        fprintf(stream, "%8s %9s %9s  %s: %s\n", "-", "-", "-", entry->name,
                entry->outcome == FAILED ? "failed" : "was complete");
    }
    cli_flush(stream);
}

static tsl_status dock_entry(dock_work *work, pair_list *list, int64_t i)
{
    char folder[DOCK_PATH];
    list_entry *entry = &list->entries[i];
    dock_path(folder, work->options->folder, entry->name);
    dock_pair pair = {.folder = folder,
                      .receptor = find_input(list, 0, entry),
                      .ligand = find_input(list, 1, entry)};
    cli_note("pair %lld of %lld: %s", (long long)i + 1, (long long)list->count, entry->name);
    const tsl_status status = dock_pair_run(work, &pair);
    entry->seconds = tsl_seconds() - pair.begun;
    if (status == TSL_E_CANCELLED || tsl_comm_failure(work->comm, NULL, NULL) != NULL) {
        dock_pair_free(&pair);
        return status;
    }
    if (status != TSL_OK) {
        entry->outcome = FAILED;
        entry->error = tsl_duplicate_string(tsl_last_error(work->context));
        cli_error("%s: %s", entry->name, tsl_last_error(work->context));
        cli_tell_signals(true); /* signals are told, since the list goes on */
    } else if (pair.was_complete) {
        entry->outcome = WAS_COMPLETE;
    } else {
        entry->outcome = DOCKED;
        entry->poses = pair.list.count;
        entry->best_score = pair.list.count > 0 ? pair.list.poses[0].score : 0;
        list->unverified |= dock_pair_verified(&pair) == 0;
    }
    list->counts[entry->outcome]++;
    print_outcome(work, entry, &pair);
    dock_pair_free(&pair);
    return TSL_OK;
}

/* Release a molecule that no entry after `i` needs, unless the plan borrows it. */
static void free_used(const dock_work *work, dock_input *input, int64_t i)
{
    if (input != NULL && input->last_use <= i && input != work->held[0] && input != work->held[1]) {
        dock_input_free(input);
    }
}

/* ---- report ------------------------------------------------------------------------------- */

static void write_entry(tsl_json *json, const dock_work *work, const list_entry *entry)
{
    static const char *const outcomes[] = {[NOT_REACHED] = "not reached",
                                           [DOCKED] = "docked",
                                           [WAS_COMPLETE] = "was complete",
                                           [FAILED] = "failed"};
    char folder[DOCK_PATH];
    tsl_json_open_object(json, NULL);
    tsl_json_string(json, "name", entry->name);
    tsl_json_string(json, "receptor", entry->receptor);
    tsl_json_string(json, "ligand", entry->ligand);
    tsl_json_string(json, "output", dock_path(folder, work->options->folder, entry->name));
    tsl_json_string(json, "outcome", outcomes[entry->outcome]);
    tsl_json_string(json, "error", entry->error);
    tsl_json_known_integer(json, "poses", entry->poses, entry->outcome == DOCKED);
    tsl_json_known_integer(json, "best_score", entry->best_score, entry->outcome == DOCKED);
    tsl_json_number(json, "seconds", entry->seconds);
    tsl_json_close_object(json);
}

/* What the report is about. */
typedef struct report_work {
    const dock_work *work;
    const pair_list *list;
} report_work;

static void write_body(tsl_json *json, const void *work)
{
    const report_work *w = work;
    const pair_list *list = w->list;
    dock_report_parameters(json, w->work, NULL);
    tsl_json_open_object(json, "results");
    tsl_json_integer(json, "docked", list->counts[DOCKED]);
    tsl_json_integer(json, "were_complete", list->counts[WAS_COMPLETE]);
    tsl_json_integer(json, "failed", list->counts[FAILED]);
    tsl_json_open_array(json, "pairs");
    for (int64_t i = 0; i < list->count; i++) {
        write_entry(json, w->work, &list->entries[i]);
    }
    tsl_json_close_array(json);
    tsl_json_close_object(json);
}

static tsl_status write_report(const dock_work *work, const pair_list *list, const char *path)
{
    double compute = 0;
    for (int64_t i = 0; i < list->count; i++) {
        compute += list->entries[i].seconds;
    }
    const double total = tsl_seconds() - work->begun;
    const cli_report report = {.command = "dock",
                               .device = work->devices,
                               .ranks = work->ranks,
                               .verified = list->counts[DOCKED] > 0 ? !list->unverified : -1,
                               .total = total,
                               .setup = total - compute,
                               .compute = compute};
    const report_work body = {work, list};
    return cli_report_write(work->context, path, &report, write_body, &body);
}

static tsl_status write_reports(const dock_work *work, const pair_list *list)
{
    char path[DOCK_PATH];
    const dock_options *options = work->options;
    tsl_status status = tsl_make_folder(work->context, options->folder);
    if (status == TSL_OK) {
        status = write_report(work, list, dock_path(path, options->folder, "list.json"));
    }
    if (status == TSL_OK && options->common.json != NULL) {
        status = write_report(work, list, options->common.json);
    }
    return status;
}

/* ---- all of it ---------------------------------------------------------------------------- */

static tsl_status prepare(dock_work *work, pair_list *list)
{
    const dock_options *options = work->options;
    tsl_status status = TSL_OK;
    TSL_TRY(read_pairs(list, work->context, options->list));
    TSL_TRY(collect_inputs(list, work->context, 0, options));
    TSL_TRY(collect_inputs(list, work->context, 1, options));
done:
    return status;
}

/* Is this rank's list the same as rank 0's? */
static tsl_status compare_list(const dock_work *work)
{
    const char *path = work->options->list;
    char digest[65];
    bool same;
    if (tsl_comm_size(work->comm) == 1) {
        return TSL_OK; /* a pipe can be read only once */
    }
    tsl_status status = cli_agree(work->context, tsl_sha256_file(work->context, path, digest));
    if (status == TSL_OK) {
        status = cli_compare(work->comm, digest, &same);
    }
    return status == TSL_OK && !same
               ? tsl_fail(work->context, TSL_E_ARG,
                          "%s: not what rank 0 has: give all ranks the same list", path)
               : status;
}

static tsl_status check_signal(const dock_work *work, int64_t done, int64_t count)
{
    tsl_context *context = work->context;
    const tsl_status status =
        cli_signal() == 0 ? TSL_OK : tsl_fail(context, TSL_E_CANCELLED, "interrupted");
    return cli_agree(context, status) == TSL_E_CANCELLED
               ? tsl_fail(context, TSL_E_CANCELLED,
                          "interrupted after %lld of %lld pairs: the same command with --resume "
                          "goes on from there",
                          (long long)done, (long long)count)
               : status;
}

static tsl_status dock_all(dock_work *work, pair_list *list)
{
    tsl_status status = TSL_OK;
    for (int64_t i = 0; i < list->count && status == TSL_OK; i++) {
        dock_input *const held_before[2] = {work->held[0], work->held[1]};
        status = dock_entry(work, list, i);
        if (status == TSL_OK && i + 1 < list->count) {
            status = check_signal(work, i + 1, list->count);
        }
        for (int role = 0; role < 2; role++) {
            free_used(work, held_before[role], i);
            free_used(work, find_input(list, role, &list->entries[i]), i);
        }
    }
    return status == TSL_OK
               ? cli_agree(work->context, work->rank == 0 ? write_reports(work, list) : TSL_OK)
               : status;
}

static void free_list(dock_work *work, pair_list *list)
{
    tsl_dock_plan_destroy(work->plan); /* before the molecules it borrows */
    work->plan = NULL;
    for (int role = 0; role < 2; role++) {
        for (int64_t i = 0; i < list->input_count[role]; i++) {
            dock_input_free(&list->inputs[role][i]);
        }
        tsl_release(list->inputs[role]);
    }
    for (int64_t i = 0; i < list->count; i++) {
        tsl_release(list->entries[i].error);
    }
    tsl_release(list->entries);
    tsl_release(list->text);
}

int dock_list_run(dock_work *work)
{
    pair_list list = {0};
    tsl_status status = cli_agree(work->context, prepare(work, &list));
    if (status == TSL_OK) {
        status = cli_agree(work->context, compare_list(work));
    }
    if (status == TSL_OK) {
        if (!cli_is_quiet()) {
            fprintf(cli_summary_stream(&work->options->common), "%8s %9s %9s  %s\n", "score",
                    "ES ratio", "seconds", "name");
        }
        status = dock_all(work, &list);
    }
    int exit_status = dock_end(work, status);
    if (status == TSL_OK && list.counts[FAILED] > 0) {
        cli_error("%lld of %lld pairs failed: see %s/list.json", (long long)list.counts[FAILED],
                  (long long)list.count, work->options->folder);
        exit_status = CLI_CHECK_FAILED;
    } else if (status == TSL_OK && list.unverified) {
        cli_error("a transform is off by more than its bound: scores may be wrong");
        exit_status = CLI_CHECK_FAILED;
    }
    free_list(work, &list);
    return exit_status;
}
