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
    if (options->hetero != TSL_HETERO_DROP && options->hetero != TSL_HETERO_KEEP) {
        return tsl_fail(context, TSL_E_ARG, "hetero is %d: give TSL_HETERO_DROP or TSL_HETERO_KEEP",
                        (int)options->hetero);
    }
    builder->hetero = options->hetero;
    return options->chains != NULL ? parse_selection(builder, options->chains) : TSL_OK;
}

void tsl_builder_release(tsl_builder *builder)
{
    tsl_release(builder->selected);
    tsl_release(builder->chains);
    tsl_release(builder->records);
    *builder = (tsl_builder){0};
}

/* ---- adding atoms ------------------------------------------------------------------------- */

/* Room for one more element of an array. */
static tsl_status make_room(tsl_context *context, void **array, int64_t count, int64_t *capacity,
                            size_t bytes_each)
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

/* The entry of the atom's chain, new if it is the chain's first atom. */
static tsl_status find_chain(tsl_builder *builder, const char *name, tsl_chain **out)
{
    const int64_t last = builder->chain_last;
    if (builder->chain_count > 0 && strcmp(builder->chains[last].name, name) == 0) {
        *out = &builder->chains[last];
        return TSL_OK;
    }
    int64_t i = 0;
    while (i < builder->chain_count && strcmp(builder->chains[i].name, name) != 0) {
        i++;
    }
    if (i == builder->chain_count) {
        void *array = builder->chains;
        const tsl_status status = make_room(builder->context, &array, builder->chain_count,
                                            &builder->chain_capacity, sizeof *builder->chains);
        if (status != TSL_OK) {
            return status;
        }
        builder->chains = array;
        builder->chains[i] = (tsl_chain){0};
        strcpy(builder->chains[i].name, name);
        builder->chain_count++;
    }
    builder->chain_last = i;
    *out = &builder->chains[i];
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

static bool same_site(const tsl_atom *a, const tsl_atom *b)
{
    return a->number == b->number && a->insertion == b->insertion &&
           strcmp(a->chain, b->chain) == 0;
}

static bool same_residue(const tsl_atom *a, const tsl_atom *b)
{
    return same_site(a, b) && strcmp(a->residue, b->residue) == 0;
}

/* A ligand with atoms N and CA may be a modified residue that the table does not know: the hole it
 * leaves is worth a warning. */
static void note_gap(tsl_builder *builder, const tsl_atom *atom)
{
    tsl_atom *nitrogen = &builder->nitrogen;
    if (strcmp(atom->name, "N") == 0) {
        *nitrogen = *atom;
    } else if (nitrogen->name[0] != '\0' && strcmp(atom->name, "CA") == 0 &&
               same_residue(nitrogen, atom)) {
        builder->gap = builder->gaps == 0 ? *atom : builder->gap;
        builder->gaps++;
        nitrogen->name[0] = '\0';
    }
}

/* Whether an atom is of a kind that is left out; counts those. */
static bool is_left_out(tsl_builder *builder, const tsl_record *record)
{
    if (builder->as_it_is && !record->atom.hetero) {
        return false;
    }
    int64_t *counter = NULL;
    if (record->kind == TSL_RESIDUE_WATER) {
        counter = &builder->waters;
    } else if (tsl_element_is_hydrogen(record->atom.element)) {
        counter = &builder->hydrogens;
    } else if (record->kind == TSL_RESIDUE_UNKNOWN && record->atom.hetero &&
               builder->hetero == TSL_HETERO_DROP) {
        counter = &builder->ligands;
        note_gap(builder, &record->atom);
    }
    if (counter != NULL) {
        ++*counter;
    }
    return counter != NULL;
}

tsl_status tsl_builder_add(tsl_builder *builder, const tsl_record *record)
{
    tsl_chain *chain = NULL;
    tsl_status status = find_chain(builder, record->atom.chain, &chain);
    if (status != TSL_OK) {
        return status;
    }
    builder->added++;
    if (!is_selected(builder, record->atom.chain)) {
        return TSL_OK;
    }
    void *array = builder->records;
    status = make_room(builder->context, &array, builder->count, &builder->capacity,
                       sizeof *builder->records);
    if (status != TSL_OK) {
        return status;
    }
    builder->records = array;
    tsl_record *own = &builder->records[builder->count];
    const tsl_record *previous = builder->count > 0 ? own - 1 : NULL;
    *own = *record;
    tsl_atom *atom = &own->atom;
    if (previous != NULL && strcmp(previous->atom.residue, atom->residue) == 0) {
        own->kind = previous->kind;
        memcpy(atom->parent, previous->atom.parent, sizeof atom->parent);
    } else {
        own->kind = tsl_residue_find(atom->residue, atom->parent);
    }
    if (atom->element[0] == '\0') {
        const bool polymer = !atom->hetero && (own->kind == TSL_RESIDUE_AMINO_ACID ||
                                               own->kind == TSL_RESIDUE_NUCLEOTIDE);
        tsl_element_guess(atom->name, own->columns[0] != '\0' ? own->columns : NULL, atom->residue,
                          polymer, atom->element);
    }
    if (!is_left_out(builder, own)) {
        own->order = builder->count;
        own->site = previous == NULL                         ? 0
                    : same_site(&previous->atom, &own->atom) ? previous->site
                                                             : previous->site + 1;
        chain->kept++;
        builder->count++;
    }
    return TSL_OK;
}

enum { WHERE_TEXT = 80 };

/* "ALA A 31" */
static void describe_residue(const tsl_atom *atom, char out[WHERE_TEXT])
{
    snprintf(out, WHERE_TEXT, "%s %s%s%d%.1s", atom->residue, atom->chain,
             atom->chain[0] != '\0' ? " " : "", (int)atom->number,
             atom->insertion != ' ' ? &atom->insertion : "");
}

tsl_status tsl_builder_coordinate(tsl_builder *builder, int64_t line, const tsl_atom *atom,
                                  int axis, const char *field, size_t length, double *out)
{
    char where[WHERE_TEXT];
    describe_residue(atom, where);
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

tsl_status tsl_builder_occupancy(tsl_builder *builder, int64_t line, tsl_atom *atom,
                                 const char *field, size_t length)
{
    double value = 1.0;
    tsl_trim(&field, &length);
    if (length > 0 &&
        (!tsl_parse_decimal(field, length, &value) || fabs(value) > TSL_MAX_COORDINATE)) {
        char where[WHERE_TEXT];
        char quoted[TSL_QUOTE_TEXT];
        describe_residue(atom, where);
        return tsl_fail(builder->context, TSL_E_FORMAT,
                        "%s:%lld: the occupancy of atom %s of %s, \"%s\", is not a number",
                        builder->name, (long long)line, atom->name, where,
                        tsl_quote(quoted, field, length));
    }
    atom->occupancy = (float)value;
    return TSL_OK;
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

/* Every chain asked for must be there, and something of it be kept. */
static tsl_status check_chains(tsl_builder *builder)
{
    for (int64_t i = 0; i < builder->selected_count; i++) {
        const char *wanted = builder->selected[i].name;
        bool found = false;
        int64_t kept = 0;
        for (int64_t k = 0; k < builder->chain_count; k++) {
            if (names_chain(wanted, builder->chains[k].name)) {
                found = true;
                kept += builder->chains[k].kept;
            }
        }
        if (!found) {
            char list[256];
            list_chains(builder, list, sizeof list);
            return tsl_fail(builder->context, TSL_E_FORMAT, "%s: no chain %s: the file has %s %s",
                            builder->name, wanted, builder->chain_count == 1 ? "chain" : "chains",
                            list);
        }
        if (kept == 0) {
            return tsl_fail(builder->context, TSL_E_FORMAT,
                            "%s: chain %s holds nothing but waters, hydrogens and ligands",
                            builder->name, wanted);
        }
    }
    return TSL_OK;
}

static tsl_status check_atoms(tsl_builder *builder)
{
    if (builder->added == 0) {
        return tsl_fail(builder->context, TSL_E_FORMAT,
                        "%s: no atoms: neither ATOM or HETATM records (PDB) nor an _atom_site loop "
                        "(mmCIF)",
                        builder->name);
    }
    const tsl_status status = check_chains(builder);
    if (status == TSL_OK && builder->count == 0) {
        return tsl_fail(builder->context, TSL_E_FORMAT,
                        "%s: no atoms left of %lld: %lld of waters, %lld hydrogens and %lld of "
                        "ligands and ions are not docked",
                        builder->name, (long long)builder->added, (long long)builder->waters,
                        (long long)builder->hydrogens, (long long)builder->ligands);
    }
    return status;
}

/* Squeeze out the dropped records. */
static void compact(tsl_builder *builder)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < builder->count; i++) {
        if (!builder->records[i].dropped) {
            builder->records[kept++] = builder->records[i];
        }
    }
    builder->count = kept;
}

/* Ligands kept on request are no part of the chain, so they never are its first or last residue. */
static bool is_chain_part(const tsl_record *record)
{
    return !(record->atom.hetero && record->kind == TSL_RESIDUE_UNKNOWN);
}

/* Number the residues and count those without charges; warn of these. */
static void number_residues(tsl_builder *builder, tsl_molecule *molecule)
{
    const tsl_atom *example = NULL;
    for (int64_t i = 0; i < builder->count; i++) {
        tsl_record *record = &builder->records[i];
        if (i == 0 || !same_residue(&record[-1].atom, &record->atom)) {
            molecule->residues++;
            if (record->kind != TSL_RESIDUE_AMINO_ACID) {
                molecule->uncharged_residues++;
                example = example == NULL ? &record->atom : example;
            }
        }
        record->atom.residue_index = molecule->residues - 1;
    }
    if (example != NULL) {
        const int32_t count = molecule->uncharged_residues;
        char where[WHERE_TEXT];
        describe_residue(example, where);
        tsl_message(builder->context, TSL_MESSAGE_WARNING,
                    "%s: %d of %d residues %s and stay%s uncharged; the first is %s", builder->name,
                    (int)count, (int)molecule->residues,
                    count == 1 ? "is no known amino acid" : "are no known amino acids",
                    count == 1 ? "s" : "", where);
    }
}

static void warn_of_gaps(const tsl_builder *builder)
{
    if (builder->gaps > 0) {
        char where[WHERE_TEXT];
        describe_residue(&builder->gap, where);
        tsl_message(builder->context, TSL_MESSAGE_WARNING,
                    "%s: %lld HETATM residue%s of no known parent left out though a backbone is "
                    "there; the first is %s",
                    builder->name, (long long)builder->gaps, builder->gaps == 1 ? "" : "s", where);
    }
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
                : tsl_ftdock_charge(atom->parent, atom->name, atom->residue_index == first,
                                    atom->residue_index == last);
    }
}

tsl_status tsl_builder_finish(tsl_builder *builder, tsl_molecule **out)
{
    tsl_status status = check_atoms(builder);
    if (status == TSL_OK) {
        status = tsl_builder_choose_alternates(builder);
    }
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
    number_residues(builder, molecule);
    warn_of_gaps(builder);
    fill(builder, molecule);
    *out = molecule;
    return TSL_OK;
}
