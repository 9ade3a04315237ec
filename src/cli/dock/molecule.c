/* The molecules of `tesela dock`: reading them, and notes on what was left out and assumed. */
#include <stdio.h>
#include <string.h>

#include "cli/dock/command.h"
#include "comm/comm.h"
#include "io/molecule/molecule.h"

dock_input dock_input_of(const dock_options *options, int role, const char *path)
{
    return (dock_input){.path = path,
                        .chains = role == 0 ? options->receptor_chains : options->ligand_chains,
                        .model = options->models[role],
                        .option = role == 0 ? "--receptor-chains" : "--ligand-chains"};
}

void dock_input_free(dock_input *input)
{
    tsl_molecule_destroy(input->molecule);
    tsl_spool_close(&input->file);
    input->molecule = NULL;
}

tsl_status dock_refuse_pipe(tsl_context *context, const char *path)
{
    return tsl_spool_is_needed(path)
               ? tsl_fail(context, TSL_E_ARG,
                          "%s: a pipe or device cannot be read twice; save it to a file first",
                          strcmp(path, "-") == 0 ? "standard input" : path)
               : TSL_OK;
}

tsl_status dock_refuse_shared_pipe(tsl_context *context, const char *path)
{
    return context->comm->size > 1 ? dock_refuse_pipe(context, path) : TSL_OK;
}

/* An input is read twice, for its digest and for its atoms. */
tsl_status dock_input_digest(dock_input *input, tsl_context *context)
{
    if (input->digest[0] != '\0') {
        return TSL_OK;
    }
    tsl_status status = input->of_list ? dock_refuse_pipe(context, input->path)
                                       : dock_refuse_shared_pipe(context, input->path);
    if (status == TSL_OK) {
        status = tsl_spool_open(&input->file, context, input->path);
    }
    return status == TSL_OK ? tsl_spool_digest(&input->file, context, input->digest) : status;
}

/* ---- what was left out and assumed -------------------------------------------------------- */

/* A count that is told if it is not 0. */
typedef struct item {
    int64_t count;
    const char *one, *several;
} item;

enum { LINE_TEXT = 800 };

/* "1 further model (--model all), 120 waters"; "" if all counts are 0. */
static const char *list_items(char out[LINE_TEXT], const item *items, size_t count)
{
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < count && used < LINE_TEXT; i++) {
        if (items[i].count > 0) {
            used += (size_t)snprintf(out + used, LINE_TEXT - used, "%s%lld %s",
                                     used > 0 ? ", " : "", (long long)items[i].count,
                                     items[i].count == 1 ? items[i].one : items[i].several);
        }
    }
    return out;
}

static void say_left_out(const char *path, const tsl_molecule *molecule)
{
    const tsl_molecule_account *a = &molecule->account;
    const item items[] = {
        {a->models, "further model (--model all)", "further models (--model all)"},
        {a->blocks, "further data block", "further data blocks"},
        {a->ligand_atoms, "atom of a ligand (--hetero keep)", "atoms of ligands (--hetero keep)"},
        {a->ions, "ion (--hetero keep)", "ions (--hetero keep)"},
        {a->solvents, "molecule of solvent (--hetero keep)",
         "molecules of solvent (--hetero keep)"},
        {a->waters, "water", "waters"},
        {a->hydrogens, "hydrogen", "hydrogens"},
        {a->alternates, "atom of an alternate location", "atoms of alternate locations"},
        {a->virtual_sites, "virtual site (of no mass)", "virtual sites (of no mass)"}};
    char text[LINE_TEXT], names[TSL_TALLY_TEXT];
    if (list_items(text, items, sizeof items / sizeof *items)[0] != '\0') {
        tsl_tally_print(names, &molecule->left_out);
        cli_note("%s: left out: %s%s%s", path, text, names[0] != '\0' ? "; residues: " : "", names);
    }
}

static void say_assumed(const char *path, const tsl_molecule *molecule)
{
    const tsl_molecule_account *a = &molecule->account;
    int64_t neutral = 0;
    for (int64_t i = 0; i < molecule->taken_for.count; i++) {
        const tsl_tally_entry *entry = &molecule->taken_for.at[i];
        neutral += entry->neutral ? entry->count : 0;
    }
    const item items[] = {{neutral, "of them has a side chain without charge, by its name",
                           "of them have side chains without charge, by their names"}};
    const item doubts[] = {
        {a->elements, "atom has the element of its name, which the file's contradicts",
         "atoms have the elements of their names, which the file's contradict"},
        {a->occupancies, "occupancy is no number: taken for 1",
         "occupancies are no numbers: taken for 1"},
        {a->residue_numbers, "residue number is asterisks: taken for 0",
         "atoms have asterisks for residue numbers: taken for 0"},
        {a->odd_records,
         "record of an atom begins with blanks, is in lower case or has no blank after ATOM: read "
         "all the same",
         "records of atoms begin with blanks, are in lower case or have no blank after ATOM: read "
         "all the same"},
        {a->overlaps,
         "atom stands where another does: are models or records alternatives (--model)?",
         "atoms stand where others do: are models or records alternatives (--model)?"}};
    char text[LINE_TEXT], names[TSL_TALLY_TEXT];
    if (molecule->taken_for.count > 0) {
        list_items(text, items, 1);
        cli_note("%s: residues taken for others: %s%s%s", path,
                 tsl_tally_print(names, &molecule->taken_for), text[0] != '\0' ? "; " : "", text);
    }
    if (a->foreign_names > 0) {
        cli_note("%s: %lld atom%s of names that amino acids do not have, docked as any other: %s",
                 path, (long long)a->foreign_names, a->foreign_names == 1 ? " is" : "s are",
                 tsl_tally_print(names, &molecule->foreign));
    }
    if (list_items(text, doubts, sizeof doubts / sizeof *doubts)[0] != '\0') {
        cli_note("%s: %s", path, text);
    }
}

tsl_status dock_input_read(dock_input *input, tsl_context *context, tsl_hetero hetero)
{
    if (input->molecule != NULL) {
        return TSL_OK;
    }
    tsl_molecule_options options = TSL_MOLECULE_OPTIONS_INIT;
    options.chains = input->chains;
    options.hetero = hetero;
    options.model = input->model;
    tsl_input *file = NULL;
    tsl_status status = tsl_spool_input(&file, context, &input->file);
    if (status == TSL_OK) {
        status = tsl_molecule_take(&input->molecule, file, &options);
        tsl_input_close(file);
    }
    if (status == TSL_E_ARG) { /* the chains are the only argument that can be at fault */
        tsl_error_prefix(context, input->option);
    }
    if (status == TSL_OK) {
        say_left_out(input->path, input->molecule);
        say_assumed(input->path, input->molecule);
    }
    return status;
}

/* ---- report ------------------------------------------------------------------------------- */

/* Write the entries of a tally; each one's name is the member `what`. */
static void write_tally(tsl_json *json, const char *name, const char *what, const tsl_tally *tally)
{
    tsl_json_open_array(json, name);
    for (int64_t i = 0; i < tally->count; i++) {
        const tsl_tally_entry *entry = &tally->at[i];
        tsl_json_open_object(json, NULL);
        tsl_json_string(json, what, entry->name);
        if (entry->parent[0] != '\0') {
            tsl_json_string(json, "parent", entry->parent);
            tsl_json_bool(json, "neutral", entry->neutral);
        }
        tsl_json_integer(json, "count", entry->count);
        tsl_json_close_object(json);
    }
    tsl_json_close_array(json);
}

static void write_counts(tsl_json *json, const tsl_molecule *molecule)
{
    const tsl_molecule_account *a = &molecule->account;
    const struct {
        const char *name;
        int64_t count;
    } left_out[] = {{"models", a->models},
                    {"model_atoms", a->model_atoms},
                    {"blocks", a->blocks},
                    {"ligands", a->ligands},
                    {"ligand_atoms", a->ligand_atoms},
                    {"ions", a->ions},
                    {"solvents", a->solvents},
                    {"solvent_atoms", a->solvent_atoms},
                    {"waters", a->waters},
                    {"hydrogens", a->hydrogens},
                    {"alternates", a->alternates},
                    {"virtual_sites", a->virtual_sites}},
      assumed[] = {{"elements", a->elements},
                   {"occupancies", a->occupancies},
                   {"residue_numbers", a->residue_numbers},
                   {"odd_records", a->odd_records},
                   {"overlaps", a->overlaps},
                   {"foreign_names", a->foreign_names}};
    tsl_json_open_object(json, "left_out");
    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++) {
        tsl_json_integer(json, left_out[i].name, left_out[i].count);
    }
    write_tally(json, "names", "residue", &molecule->left_out);
    tsl_json_close_object(json);
    tsl_json_open_object(json, "assumed");
    for (size_t i = 0; i < sizeof assumed / sizeof *assumed; i++) {
        tsl_json_integer(json, assumed[i].name, assumed[i].count);
    }
    write_tally(json, "taken_for", "residue", &molecule->taken_for);
    write_tally(json, "uncharged", "residue", &molecule->uncharged);
    write_tally(json, "atom_names", "atom", &molecule->foreign);
    tsl_json_close_object(json);
}

void dock_input_report(tsl_json *json, const char *name, const dock_input *input)
{
    char model[16] = "first";
    if (input->model != TSL_MODEL_FIRST) {
        snprintf(model, sizeof model, input->model == TSL_MODEL_ALL ? "all" : "%d", input->model);
    }
    tsl_json_open_object(json, name);
    tsl_json_string(json, "path", input->path);
    tsl_json_string(json, "sha256", input->digest);
    tsl_json_string(json, "chains", input->chains);
    tsl_json_string(json, "model", model);
    if (input->molecule != NULL) {
        tsl_json_integer(json, "atoms", tsl_molecule_count(input->molecule));
        write_counts(json, input->molecule);
    } else {
        tsl_json_null(json, "atoms");
        tsl_json_null(json, "left_out");
        tsl_json_null(json, "assumed");
    }
    tsl_json_close_object(json);
}
