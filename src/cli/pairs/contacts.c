/* `tesela pairs contacts`. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/pairs/command.h"
#include "core/context.h"
#include "io/molecule/molecule.h"
#include "io/report/matrix_plot.h"

typedef struct contact_options {
    cli_common common;
    double cutoff;
    const char *input[2], *output, *figure; /* NULL: none */
} contact_options;

/* Two residues of different molecules whose atoms touch. */
typedef struct contact {
    int32_t residue[2], atom[2]; /* the first atoms found, by which residues are named */
    int64_t count;
    double shortest;
} contact;

typedef struct contact_work {
    pairs_task task;
    const contact_options *options;
    tsl_molecule *molecule[2];
    double *positions; /* of both molecules */
    tsl_neighbors found;
    contact *contacts; /* in the order of residues */
    int64_t pairs, atoms;
    int64_t residues[2]; /* residues of each molecule that touch the other */
    double shortest;
} contact_work;

static const cli_option rows[] = {
    {"cutoff", .value = "R", .kind = CLI_REAL, CLI_FIELD(contact_options, cutoff),
     .range = {0, INFINITY, .above = true}, .help = "atoms closer than this touch, angstrom"},
    {"output", 'o', "C.csv", CLI_FILE, CLI_FIELD(contact_options, output), .written = CLI_RESULT,
     .help = "file for the table: chain, number and name of both residues, number of atoms that "
             "touch, and their shortest distance"},
    {"figure", .value = "FILE", .kind = CLI_FILE, CLI_FIELD(contact_options, figure),
     .written = CLI_FIGURE, .help = "draw a map of contacts, residues by residues"},
    {0}};

static const char command_doc[] =
    "Residues of two molecules that touch: the interface of a complex, such as docking makes. "
    "Files "
    "are PDB, mmCIF or .parsed; hydrogens, ligands and solvent are left out, as in docking."
    "\v"
    "Example:\n"
    "  tesela pairs contacts receptor.pdb ligand.pdb --cutoff 4.5 -o interface.csv --figure "
    "map.svg";

static error_t set_argument(void *parsed, const char *text)
{
    contact_options *options = parsed;
    if (options->input[1] != NULL) {
        cli_error("'%s' is one argument too many: give two files", text);
        return EINVAL;
    }
    options->input[options->input[0] != NULL] = text;
    return 0;
}

static bool check(void *parsed)
{
    const contact_options *const options = parsed;
    if (options->input[1] == NULL) {
        cli_error("two files are wanted: tesela pairs contacts A.pdb B.pdb");
        return false;
    }
    return cli_check_files(&options->common, options->input, 2);
}

/* ---- the run -------------------------------------------------------------------------------- */

static int by_residues(const void *left, const void *right)
{
    const contact *const a = left, *const b = right;
    for (int m = 0; m < 2; m++) {
        if (a->residue[m] != b->residue[m]) {
            return a->residue[m] < b->residue[m] ? -1 : 1;
        }
    }
    return (a->atom[0] > b->atom[0]) - (a->atom[0] < b->atom[0]);
}

/* Find pairs of atoms of different molecules, and sum up those of the same residues. */
static tsl_status collect(contact_work *work)
{
    const tsl_neighbors *const found = &work->found;
    const int64_t first = tsl_molecule_count(work->molecule[0]);
    int64_t most = 0;
    for (int64_t i = 0; i < first; i++) {
        for (int64_t k = found->indptr[i]; k < found->indptr[i + 1]; k++) {
            most += found->indices[k] >= first;
        }
    }
    work->contacts = tsl_allocate((size_t)most * sizeof *work->contacts);
    if (work->contacts == NULL) {
        return tsl_fail_memory(work->task.context, most * (int64_t)sizeof *work->contacts,
                               "contacts");
    }
    work->shortest = INFINITY;
    for (int64_t i = 0; i < first; i++) {
        for (int64_t k = found->indptr[i]; k < found->indptr[i + 1]; k++) {
            const int64_t j = found->indices[k] - first;
            if (j < 0) {
                continue;
            }
            work->contacts[work->atoms++] = (contact){{work->molecule[0]->atoms[i].residue_index,
                                                       work->molecule[1]->atoms[j].residue_index},
                                                      {(int32_t)i, (int32_t)j},
                                                      1,
                                                      ((const double *)found->distances)[k]};
            work->shortest = fmin(work->shortest, ((const double *)found->distances)[k]);
        }
    }
    qsort(work->contacts, (size_t)work->atoms, sizeof *work->contacts, by_residues);
    for (int64_t c = 0; c < work->atoms; c++) {
        const contact *const one = &work->contacts[c];
        contact *const last = work->pairs > 0 ? &work->contacts[work->pairs - 1] : NULL;
        if (last != NULL && last->residue[0] == one->residue[0] &&
            last->residue[1] == one->residue[1]) {
            last->count++;
            last->shortest = fmin(last->shortest, one->shortest);
        } else {
            work->contacts[work->pairs++] = *one;
        }
    }
    return TSL_OK;
}

/* Count the residues of each molecule that touch the other. */
static tsl_status count_residues(contact_work *work)
{
    for (int m = 0; m < 2; m++) {
        char *seen = tsl_allocate_zeroed((size_t)work->molecule[m]->residues + 1, 1);
        if (seen == NULL) {
            return tsl_fail_memory(work->task.context, work->molecule[m]->residues, "residues");
        }
        for (int64_t c = 0; c < work->pairs; c++) {
            work->residues[m] += !seen[work->contacts[c].residue[m]];
            seen[work->contacts[c].residue[m]] = 1;
        }
        tsl_release(seen);
    }
    return TSL_OK;
}

static tsl_status find(contact_work *work)
{
    const int64_t first = tsl_molecule_count(work->molecule[0]);
    const int64_t second = tsl_molecule_count(work->molecule[1]);
    tsl_neighbor_options options = TSL_NEIGHBOR_OPTIONS_INIT;
    options.cutoff = work->options->cutoff;
    options.half = 1;
    options.sorted = 1;
    work->positions = tsl_allocate((size_t)(24 * (first + second)));
    if (work->positions == NULL) {
        return tsl_fail_memory(work->task.context, 24 * (first + second), "atoms");
    }
    memcpy(work->positions, tsl_molecule_positions(work->molecule[0]), (size_t)(24 * first));
    memcpy(work->positions + 3 * first, tsl_molecule_positions(work->molecule[1]),
           (size_t)(24 * second));
    const tsl_points points = {work->positions, first + second, 3, 8, "atoms"};
    return tsl_neighbors_find(&work->found, work->task.context, &options, &points);
}

static void write_rows(FILE *stream, const void *user)
{
    const contact_work *work = user;
    fputs("chain_a,number_a,residue_a,chain_b,number_b,residue_b,contacts,shortest\n", stream);
    for (int64_t c = 0; c < work->pairs; c++) {
        const contact *const one = &work->contacts[c];
        for (int m = 0; m < 2; m++) {
            const tsl_atom *const atom = &work->molecule[m]->atoms[one->atom[m]];
            fprintf(stream, "%s,%d%.*s,%s,", atom->chain, (int)atom->number,
                    atom->insertion != ' ' && atom->insertion != '\0', &atom->insertion,
                    atom->residue);
        }
        fprintf(stream, "%lld,%.4f\n", (long long)one->count, one->shortest);
    }
}

/* Draw the shortest distance of each two residues that touch. */
static tsl_status draw(const contact_work *work)
{
    tsl_context *const context = work->task.context;
    const char *const *input = work->options->input;
    tsl_matrix_plot plot = {.title = "Residues that touch",
                            .what = "residues",
                            .of = {input[0], input[1]},
                            .colours = "shortest, angstrom"};
    tsl_status status = tsl_matrix_plot_begin(&plot, context, work->molecule[0]->residues,
                                              work->molecule[1]->residues);
    for (int64_t c = 0; c < work->pairs && status == TSL_OK; c++) {
        const contact *const one = &work->contacts[c];
        tsl_matrix_plot_add(&plot, one->residue[0], one->residue[1], one->shortest);
    }
    if (status == TSL_OK) {
        status = tsl_matrix_plot_write(context, work->options->figure, &plot);
    }
    tsl_matrix_plot_release(&plot);
    return status;
}

static tsl_status run(contact_work *work)
{
    tsl_status status = TSL_OK;
    double ready;
    for (int m = 0; m < 2; m++) {
        TSL_TRY(tsl_molecule_read(&work->molecule[m], work->task.context, work->options->input[m],
                                  NULL));
    }
    ready = tsl_seconds();
    work->task.setup = ready - work->task.begun;
    TSL_TRY(find(work));
    TSL_TRY(collect(work));
    TSL_TRY(count_residues(work));
    work->task.compute = tsl_seconds() - ready;
    if (work->options->output != NULL) {
        TSL_TRY(cli_csv_write(work->task.context, work->options->output, write_rows, work));
    }
    if (work->options->figure != NULL) {
        TSL_TRY(draw(work));
    }
done:
    return status;
}

/* ---- report --------------------------------------------------------------------------------- */

static void write_body(tsl_json *json, const void *user)
{
    const contact_work *work = user;
    tsl_json_open_object(json, "parameters");
    tsl_json_string(json, "input", work->options->input[0]);
    tsl_json_string(json, "second_input", work->options->input[1]);
    tsl_json_string(json, "output", work->options->output);
    tsl_json_string(json, "figure", work->options->figure);
    tsl_json_number(json, "cutoff", work->options->cutoff);
    tsl_json_integer(json, "threads", tsl_context_threads(work->task.context));
    tsl_json_close_object(json);
    tsl_json_open_object(json, "results");
    tsl_json_integer(json, "atom_contacts", work->atoms);
    tsl_json_integer(json, "residue_contacts", work->pairs);
    tsl_json_integer(json, "residues", work->residues[0]);
    tsl_json_integer(json, "second_residues", work->residues[1]);
    tsl_json_known_number(json, "shortest", work->shortest, work->atoms > 0);
    tsl_json_close_object(json);
}

static void print(FILE *stream, const void *user)
{
    const contact_work *work = user;
    fprintf(stream,
            "%lld pairs of atoms closer than %g angstrom, of %lld pairs of residues: %lld "
            "residues of %s and %lld of %s\n",
            (long long)work->atoms, work->options->cutoff, (long long)work->pairs,
            (long long)work->residues[0], work->options->input[0], (long long)work->residues[1],
            work->options->input[1]);
}

static void init(const cli_command *self, void *options)
{
    (void)self;
    *(contact_options *)options = (contact_options){.cutoff = 5};
}

static int run_command(const cli_command *self, int argc, char **argv)
{
    contact_options options;
    contact_work work = {.options = &options};
    int exit_status;
    if (!cli_parse_options(self, &options, argc, argv, &exit_status)) {
        return exit_status;
    }
    work.task = pairs_begin(NULL, &options);
    tsl_status status = cli_open_context(&work.task.context, &options.common);
    if (status == TSL_OK) {
        status = run(&work);
    }
    if (status == TSL_OK) {
        status = pairs_tell(&work.task, print, write_body, &work);
    }
    exit_status = cli_end(work.task.context, status, false);
    tsl_neighbors_release(&work.found);
    tsl_release(work.contacts);
    tsl_release(work.positions);
    tsl_molecule_destroy(work.molecule[0]);
    tsl_molecule_destroy(work.molecule[1]);
    tsl_context_destroy(work.task.context);
    return exit_status;
}

const cli_command pairs_contacts = {.name = "contacts",
                                    .summary = "residues of two molecules that touch",
                                    .run = run_command,
                                    .doc = command_doc,
                                    .arguments = "A.pdb B.pdb",
                                    .rows = rows,
                                    .size = sizeof(contact_options),
                                    .init = init,
                                    .check = check,
                                    .argument = set_argument,
                                    .places = CLI_ONE_DEVICE};
