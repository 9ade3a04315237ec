#include "io/molecule/builder.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/file/text.h"
#include "io/molecule/charges.h"

/* ---- selection of chains ------------------------------------------------------------------ */

static tsl_status bad_selection(tsl_context *context, const char *chains, const char *why)
{
    char quoted[TSL_QUOTE_TEXT];
    return tsl_fail(context, TSL_E_ARG,
                    "chains \"%s\": %s: give identifiers with commas between, as in A,B (_ is the "
                    "blank one)",
                    tsl_quote(quoted, chains, strlen(chains)), why);
}

static tsl_status parse_selection(tsl_builder *builder, const char *chains)
{
    int64_t count = 1;
    for (const char *p = chains; *p != '\0'; p++) {
        count += *p == ',';
    }
    builder->select = true;
    builder->selected = tsl_allocate_zeroed((size_t)count, sizeof *builder->selected);
    if (builder->selected == NULL) {
        return tsl_fail_memory(builder->context, count * (int64_t)sizeof *builder->selected,
                               "the selection of chains");
    }
    for (const char *p = chains; builder->selected_count < count;) {
        const size_t whole = strcspn(p, ",");
        const char *item = p;
        size_t length = whole;
        tsl_trim(&item, &length);
        tsl_chain *chain = &builder->selected[builder->selected_count++];
        if (length == 0) {
            return bad_selection(builder->context, chains, "an identifier is empty");
        }
        if (length >= sizeof chain->name) {
            return bad_selection(builder->context, chains,
                                 "an identifier is longer than 7 characters");
        }
        memcpy(chain->name, item, length);
        p += whole + 1;
    }
    return TSL_OK;
}

tsl_status tsl_builder_start(tsl_builder *builder, tsl_context *context, const char *name,
                             const tsl_molecule_options *options)
{
    *builder = (tsl_builder){.context = context, .name = name};
    if (options->size != sizeof *options) {
        return tsl_fail(context, TSL_E_ARG,
                        "molecule options: size is %zu, not %zu: initialise them with "
                        "TSL_MOLECULE_OPTIONS_INIT",
                        options->size, sizeof *options);
    }
    if (options->model < TSL_MODEL_ALL) {
        return tsl_fail(context, TSL_E_ARG,
                        "model is %d: give TSL_MODEL_FIRST, TSL_MODEL_ALL or a model's number",
                        options->model);
    }
    if (options->hetero != TSL_HETERO_DROP && options->hetero != TSL_HETERO_KEEP) {
        return tsl_fail(context, TSL_E_ARG, "hetero is %d: give TSL_HETERO_DROP or TSL_HETERO_KEEP",
                        (int)options->hetero);
    }
    builder->hetero = options->hetero;
    builder->model = options->model;
    builder->renamed_in = -1;
    return options->chains != NULL ? parse_selection(builder, options->chains) : TSL_OK;
}

void tsl_builder_release(tsl_builder *builder)
{
    tsl_release(builder->selected);
    tsl_release(builder->chains);
    tsl_release(builder->records);
    tsl_release(builder->models);
    tsl_tally_free(&builder->left_out);
    *builder = (tsl_builder){0};
}

/* ---- models ------------------------------------------------------------------------------- */

tsl_status tsl_builder_make_room(tsl_context *context, void **array, int64_t count,
                                 int64_t *capacity, size_t bytes_each)
{
    if (count < *capacity) {
        return TSL_OK;
    }
    const int64_t wanted = *capacity > 0 ? 2 * *capacity : 64;
    void *moved = tsl_reallocate(*array, (size_t)count * bytes_each, (size_t)wanted * bytes_each);
    if (moved == NULL) {
        return tsl_fail_memory(context, wanted * (int64_t)bytes_each, "the atoms of a molecule");
    }
    *array = moved;
    *capacity = wanted;
    return TSL_OK;
}

tsl_status tsl_builder_begin_model(tsl_builder *builder, int32_t number)
{
    void *array = builder->models;
    tsl_status status = tsl_builder_settle(builder);
    if (status != TSL_OK) {
        return status;
    }
    status = tsl_builder_make_room(builder->context, &array, builder->model_count,
                                   &builder->model_capacity, sizeof *builder->models);
    if (status != TSL_OK) {
        return status;
    }
    builder->models = array;
    builder->model_now = builder->model_count++;
    tsl_model *model = &builder->models[builder->model_now];
    *model = (tsl_model){.number = number > 0 ? number : (int32_t)builder->model_count};
    model->is_taken = builder->model == TSL_MODEL_ALL ? true
                      : builder->model == TSL_MODEL_FIRST
                          ? builder->model_count == 1
                          : model->number == builder->model && !builder->has_model;
    builder->has_model = builder->has_model || model->is_taken;
    builder->account.models += !model->is_taken;
    return TSL_OK;
}

tsl_status tsl_builder_go_to_model(tsl_builder *builder, int32_t number)
{
    if (builder->model_count > 0 && builder->models[builder->model_now].number == number) {
        return TSL_OK;
    }
    for (int64_t i = 0; i < builder->model_count; i++) {
        if (builder->models[i].number == number) {
            const tsl_status status = tsl_builder_settle(builder);
            builder->model_now = i;
            return status;
        }
    }
    return tsl_builder_begin_model(builder, number);
}

bool tsl_builder_wants_model(const tsl_builder *builder)
{
    return builder->models[builder->model_now].is_taken;
}

void tsl_builder_skip(tsl_builder *builder)
{
    builder->account.model_atoms++;
}

/* ---- adding atoms ------------------------------------------------------------------------- */

static int64_t look_up_chain(const tsl_builder *builder, const char *name)
{
    const int64_t last = builder->chain_last;
    if (last < builder->chain_count && strcmp(builder->chains[last].name, name) == 0) {
        return last;
    }
    int64_t i = 0;
    while (i < builder->chain_count && strcmp(builder->chains[i].name, name) != 0) {
        i++;
    }
    return i;
}

tsl_status tsl_builder_find_chain(tsl_builder *builder, const char *name, tsl_chain **out)
{
    const int64_t i = look_up_chain(builder, name);
    if (i == builder->chain_count) {
        void *array = builder->chains;
        const tsl_status status =
            tsl_builder_make_room(builder->context, &array, builder->chain_count,
                                  &builder->chain_capacity, sizeof *builder->chains);
        if (status != TSL_OK) {
            return status;
        }
        builder->chains = array;
        builder->chains[i] = (tsl_chain){.model = builder->model_now};
        strcpy(builder->chains[i].name, name);
        builder->chain_count++;
    }
    builder->chain_last = i;
    *out = &builder->chains[i];
    return TSL_OK;
}

/* Give a chain that an earlier model has too the model's number: "A-2". The same chain gets the
 * same name in all of a model. */
static tsl_status rename_chain(tsl_builder *builder, tsl_atom *atom)
{
    if (builder->renamed_in == builder->model_now && strcmp(builder->original, atom->chain) == 0) {
        strcpy(atom->chain, builder->given);
        return TSL_OK;
    }
    strcpy(builder->original, atom->chain);
    strcpy(builder->given, atom->chain);
    builder->renamed_in = builder->model_now;
    int64_t suffix = builder->model_now + 1;
    for (int64_t i = look_up_chain(builder, builder->given);
         i < builder->chain_count && builder->chains[i].model != builder->model_now;
         i = look_up_chain(builder, builder->given)) {
        char name[40];
        snprintf(name, sizeof name, "%s-%lld", builder->original, (long long)suffix++);
        if (strlen(name) >= sizeof builder->given) {
            builder->renamed_in = -1;
            return tsl_fail(builder->context, TSL_E_FORMAT,
                            "%s: chain %s of model %d needs a name of its own, and %s is longer "
                            "than 7 characters: read fewer models, or give chains shorter names",
                            builder->name, builder->original,
                            (int)builder->models[builder->model_now].number, name);
        }
        strcpy(builder->given, name);
    }
    strcpy(atom->chain, builder->given);
    return TSL_OK;
}

static bool names_chain(const char *selected, const char *chain)
{
    return strcmp(selected, chain) == 0 || (chain[0] == '\0' && strcmp(selected, "_") == 0);
}

static bool is_selected(const tsl_builder *builder, const char *chain)
{
    for (int64_t i = 0; i < builder->selected_count; i++) {
        if (names_chain(builder->selected[i].name, chain)) {
            return true;
        }
    }
    return !builder->select;
}

bool tsl_same_site(const tsl_atom *a, const tsl_atom *b)
{
    return a->number == b->number && a->insertion == b->insertion &&
           strcmp(a->chain, b->chain) == 0;
}

bool tsl_same_residue(const tsl_atom *a, const tsl_atom *b)
{
    return tsl_same_site(a, b) && strcmp(a->residue, b->residue) == 0;
}

tsl_status tsl_builder_add(tsl_builder *builder, const tsl_record *record)
{
    tsl_record named = *record;
    tsl_chain *chain = NULL;
    tsl_status status = builder->model_now > 0 ? rename_chain(builder, &named.atom) : TSL_OK;
    if (status == TSL_OK) {
        status = tsl_builder_find_chain(builder, named.atom.chain, &chain);
    }
    if (status != TSL_OK) {
        return status;
    }
    builder->added++;
    if (!is_selected(builder, named.atom.chain) && !is_selected(builder, record->atom.chain)) {
        return TSL_OK;
    }
    if (builder->count > builder->settled &&
        !tsl_same_residue(&builder->records[builder->count - 1].atom, &named.atom)) {
        status = tsl_builder_settle(builder);
    }
    void *array = builder->records;
    if (status == TSL_OK) {
        status = tsl_builder_make_room(builder->context, &array, builder->count, &builder->capacity,
                                       sizeof *builder->records);
    }
    if (status != TSL_OK) {
        return status;
    }
    builder->records = array;
    builder->records[builder->count++] = named;
    return TSL_OK;
}

void tsl_describe_residue(const tsl_atom *atom, char out[TSL_WHERE_TEXT])
{
    snprintf(out, TSL_WHERE_TEXT, "%s %s%s%d%.1s", atom->residue, atom->chain,
             atom->chain[0] != '\0' ? " " : "", (int)atom->number,
             atom->insertion != ' ' ? &atom->insertion : "");
}

tsl_status tsl_builder_coordinate(tsl_builder *builder, int64_t line, const tsl_atom *atom,
                                  int axis, const char *field, size_t length, double *out)
{
    char where[TSL_WHERE_TEXT];
    tsl_describe_residue(atom, where);
    tsl_trim(&field, &length);
    if (length == 0) {
        return tsl_fail(builder->context, TSL_E_FORMAT,
                        "%s:%lld: atom %s of %s has no coordinate %c", builder->name,
                        (long long)line, atom->name, where, axis);
    }
    char quoted[TSL_QUOTE_TEXT];
    tsl_quote(quoted, field, length);
    if (!tsl_parse_decimal(field, length, out)) {
        return tsl_fail(builder->context, TSL_E_FORMAT,
                        "%s:%lld: coordinate %c of atom %s of %s, \"%s\", is not a number",
                        builder->name, (long long)line, axis, atom->name, where, quoted);
    }
    if (fabs(*out) > TSL_MAX_COORDINATE) {
        return tsl_fail(builder->context, TSL_E_FORMAT,
                        "%s:%lld: coordinate %c of atom %s of %s, %s, is beyond %.3f angstrom",
                        builder->name, (long long)line, axis, atom->name, where, quoted,
                        TSL_MAX_COORDINATE);
    }
    return TSL_OK;
}

void tsl_builder_occupancy(tsl_record *record, const char *field, size_t length)
{
    double value = 1.0;
    tsl_trim(&field, &length);
    if (length > 0 &&
        (!tsl_parse_decimal(field, length, &value) || fabs(value) > TSL_MAX_COORDINATE)) {
        record->occupancy = field;
        record->occupancy_length = length;
        value = 1.0;
    }
    record->atom.occupancy = (float)value;
}

void tsl_builder_temperature(tsl_atom *atom, const char *field, size_t length)
{
    double value = 0.0;
    const bool usable =
        tsl_parse_decimal(field, length, &value) && fabs(value) <= TSL_MAX_COORDINATE;
    atom->temperature = usable ? (float)value : 0.0F;
}

/* ---- the molecule ------------------------------------------------------------------------- */

/* The chains of the file as "A, B and 3 more" into `out`. */
static void list_chains(const tsl_builder *builder, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (int64_t i = 0; i < builder->chain_count; i++) {
        const char *name = builder->chains[i].name;
        if (used + 48 > size) {
            snprintf(out + used, size - used, " and %lld more",
                     (long long)(builder->chain_count - i));
            return;
        }
        used += (size_t)snprintf(out + used, size - used, "%s%s", i > 0 ? ", " : "",
                                 name[0] != '\0' ? name : "_ (blank)");
    }
}

/* Does a chain go by the name that was asked for: its own, or the name it had before models were
 * put together? */
static bool answers(const char *wanted, const tsl_chain *chain)
{
    const size_t length = strlen(wanted);
    const char *end = chain->model > 0 ? strrchr(chain->name, '-') : NULL;
    return names_chain(wanted, chain->name) ||
           (end != NULL &&
            (((size_t)(end - chain->name) == length && memcmp(chain->name, wanted, length) == 0) ||
             (end == chain->name && strcmp(wanted, "_") == 0)));
}

/* The remedy where only ligands, waters and ions would be left. */
static const char *keep_remedy(const tsl_builder *builder)
{
    const tsl_molecule_account *account = &builder->account;
    return account->ligand_atoms + account->ions + account->solvent_atoms > 0
               ? "; --hetero keep (TSL_HETERO_KEEP) docks ligands, ions and solvent"
               : "";
}

/* Check that every chain asked for is there, and that some of it is kept. */
static tsl_status check_chains(tsl_builder *builder)
{
    for (int64_t i = 0; i < builder->selected_count; i++) {
        const char *wanted = builder->selected[i].name;
        const char *shown = strcmp(wanted, "_") == 0 ? "_ (blank)" : wanted;
        bool found = false;
        int64_t kept = 0;
        for (int64_t k = 0; k < builder->chain_count; k++) {
            if (answers(wanted, &builder->chains[k])) {
                found = true;
                kept += builder->chains[k].kept;
            }
        }
        if (!found) {
            char list[256];
            list_chains(builder, list, sizeof list);
            return tsl_fail(builder->context, TSL_E_FORMAT, "%s: no chain %s: the file has %s %s",
                            builder->name, shown, builder->chain_count == 1 ? "chain" : "chains",
                            list);
        }
        if (kept == 0) {
            return tsl_fail(builder->context, TSL_E_FORMAT,
                            "%s: chain %s holds nothing but waters, hydrogens, ligands, ions and "
                            "solvent%s",
                            builder->name, shown, keep_remedy(builder));
        }
    }
    return TSL_OK;
}

static tsl_status fail_without_model(const tsl_builder *builder)
{
    const tsl_model *models = builder->models;
    const int64_t count = builder->model_count;
    char text[64];
    snprintf(text, sizeof text, count == 1 ? "only model %d" : "%d and others",
             (int)models[0].number);
    if (count > 1) {
        snprintf(text, sizeof text, "%lld models, from %d to %d", (long long)count,
                 (int)models[0].number, (int)models[count - 1].number);
    }
    return tsl_fail(builder->context, TSL_E_FORMAT, "%s: no model %d: the file has %s",
                    builder->name, builder->model, text);
}

static tsl_status check_atoms(tsl_builder *builder)
{
    const tsl_molecule_account *account = &builder->account;
    if (builder->model_count > 0 && !builder->has_model) {
        return fail_without_model(builder);
    }
    if (builder->added == 0) {
        return tsl_fail(builder->context, TSL_E_FORMAT,
                        "%s: no atoms: neither ATOM or HETATM records (PDB) nor an _atom_site loop "
                        "(mmCIF)",
                        builder->name);
    }
    const tsl_status status = check_chains(builder);
    if (status == TSL_OK && builder->count == 0) {
        return tsl_fail(
            builder->context, TSL_E_FORMAT,
            "%s: no atoms left of %lld: %lld water%s, %lld hydrogens, %lld virtual sites and "
            "%lld atoms of ligands, ions and solvent are not docked%s",
            builder->name, (long long)builder->added, (long long)account->waters,
            account->waters == 1 ? "" : "s", (long long)account->hydrogens,
            (long long)account->virtual_sites,
            (long long)(account->ligand_atoms + account->ions + account->solvent_atoms),
            keep_remedy(builder));
    }
    return status;
}

/* Remove the dropped records. */
static void compact(tsl_builder *builder)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < builder->count; i++) {
        const tsl_record *record = &builder->records[i];
        if (!record->dropped) {
            builder->account.elements += record->by_name;
            builder->account.foreign_names += record->foreign;
            builder->account.occupancies += record->occupancy != NULL;
            builder->account.residue_numbers += record->no_number;
            builder->account.odd_records += record->is_odd;
            builder->records[kept++] = *record;
        }
    }
    builder->account.alternates = builder->count - kept;
    builder->count = kept;
}

/* Is a record part of its chain? Ligands kept on request are not, so they never are its first or
 * last residue. */
static bool is_chain_part(const tsl_record *record)
{
    return record->kind == TSL_RESIDUE_AMINO_ACID || record->kind == TSL_RESIDUE_NUCLEOTIDE ||
           (record->kind == TSL_RESIDUE_UNKNOWN && !record->atom.hetero);
}

static void fill(const tsl_builder *builder, tsl_molecule *molecule)
{
    int32_t first = -1;
    int32_t last = -1;
    for (int64_t i = 0; i < builder->count; i++) {
        if (is_chain_part(&builder->records[i])) {
            last = builder->records[i].atom.residue_index;
            first = first < 0 ? last : first;
        }
    }
    for (int64_t i = 0; i < builder->count; i++) {
        const tsl_record *record = &builder->records[i];
        const tsl_atom *atom = &record->atom;
        molecule->atoms[i] = *atom;
        memcpy(&molecule->positions[3 * i], record->position, sizeof record->position);
        molecule->charges[i] =
            record->kind != TSL_RESIDUE_AMINO_ACID
                ? 0.0
                : tsl_ftdock_charge(atom->parent, atom->name, record->neutral,
                                    atom->residue_index == first, atom->residue_index == last);
    }
}

tsl_status tsl_builder_finish(tsl_builder *builder, tsl_molecule **out)
{
    tsl_status status = TSL_OK;
    TSL_TRY(tsl_builder_settle(builder));
    TSL_TRY(check_atoms(builder));
    TSL_TRY(tsl_builder_choose_alternates(builder));
done:
    if (status != TSL_OK) {
        return status;
    }
    compact(builder);
    const size_t count = (size_t)builder->count;
    tsl_molecule *molecule = tsl_allocate_zeroed(1, sizeof *molecule);
    if (molecule != NULL) {
        molecule->context = builder->context;
        molecule->count = builder->count;
        molecule->atoms = tsl_allocate_zeroed(count, sizeof *molecule->atoms);
        molecule->positions = tsl_allocate_zeroed(count, 3 * sizeof *molecule->positions);
        molecule->charges = tsl_allocate_zeroed(count, sizeof *molecule->charges);
    }
    if (molecule == NULL || molecule->atoms == NULL || molecule->positions == NULL ||
        molecule->charges == NULL) {
        tsl_molecule_destroy(molecule);
        return tsl_fail_memory(builder->context,
                               (int64_t)(count * (sizeof(tsl_atom) + 4 * sizeof(double))),
                               "a molecule");
    }
    status = tsl_builder_number_residues(builder, molecule);
    if (status == TSL_OK) {
        status = tsl_builder_count_overlaps(builder);
    }
    if (status != TSL_OK) {
        tsl_molecule_destroy(molecule);
        return status;
    }
    tsl_builder_warn_of_gaps(builder);
    fill(builder, molecule);
    molecule->account = builder->account;
    molecule->left_out = builder->left_out;
    builder->left_out = (tsl_tally){0};
    *out = molecule;
    return TSL_OK;
}
