/* Decides on a residue that has been read: its kind, the elements of its atoms, and which of them
 * are left out. */
#include <string.h>

#include "io/molecule/builder.h"

/* The atoms of one residue, which are neighbours in the file. */
typedef struct run {
    tsl_record *at;
    int64_t count;
} run;

static bool has_atom(const run *r, const char *name)
{
    for (int64_t i = 0; i < r->count; i++) {
        if (strcmp(r->at[i].atom.name, name) == 0) {
            return true;
        }
    }
    return false;
}

/* Does it have the backbone of an amino acid or a nucleotide, which no ion, water or solvent
 * has? */
static bool is_amino_acid(const run *r)
{
    return has_atom(r, "CA") && (has_atom(r, "N") || has_atom(r, "C"));
}

static bool has_sugar(const run *r)
{
    return has_atom(r, "C1'") || has_atom(r, "C1*");
}

static bool is_nucleotide(const run *r)
{
    return has_sugar(r) && (has_atom(r, "P") || has_atom(r, "O4'") || has_atom(r, "O4*"));
}

static tsl_residue unknown_residue(const run *r)
{
    tsl_residue residue = {.kind = TSL_RESIDUE_UNKNOWN};
    strcpy(residue.parent, r->at[0].atom.residue);
    return residue;
}

/* The kind of a residue whose name amino acids, nucleotides and ligands share: its atoms tell.
 * Where atoms are missing, its name does; but a HETATM group of several atoms without any of the
 * backbone is a ligand. */
static tsl_residue settle_polymer(const run *r, tsl_residue residue)
{
    enum { SEVERAL = 4 };
    const char *name = r->at[0].atom.residue;
    const bool hetero = r->at[0].atom.hetero && r->count >= SEVERAL;
    const bool amino_acid = is_amino_acid(r), nucleotide = is_nucleotide(r);
    if (residue.kind == TSL_RESIDUE_AMINO_ACID && !amino_acid) {
        return nucleotide ? tsl_residue_find_as(name, TSL_RESIDUE_NUCLEOTIDE)
               : hetero && !has_atom(r, "CA") && !has_atom(r, "N") && !has_atom(r, "C")
                   ? unknown_residue(r)
                   : residue;
    }
    if (residue.kind == TSL_RESIDUE_NUCLEOTIDE && !nucleotide) {
        return amino_acid ? tsl_residue_find_as(name, TSL_RESIDUE_AMINO_ACID)
               : hetero && !has_sugar(r) && !has_atom(r, "P") ? unknown_residue(r)
                                                              : residue;
    }
    return residue;
}

/* Is it a ligand or a lipid that shares the name of a water or an ion of simulations? No water has
 * these elements, and no ion atoms of several names. */
static bool is_molecule_of(const run *r, tsl_residue_kind kind)
{
    static const char *const elements[] = {"C", "N", "P", "S"};
    for (int64_t i = 0; i < r->count; i++) {
        const tsl_atom *atom = &r->at[i].atom;
        if (atom->element[0] == '\0') {
            continue;
        }
        for (int k = 0; k < 4 && kind == TSL_RESIDUE_WATER; k++) {
            if (strcmp(atom->element, elements[k]) == 0) {
                return true;
            }
        }
        if (kind == TSL_RESIDUE_ION && strcmp(atom->name, r->at[0].atom.name) != 0) {
            return true;
        }
    }
    return false;
}

/* Is it an ion, whose atoms have one name, the residue's: "ZN" of ZN, "Na+" of Na+? There are
 * several where a file gives them one number. Their element is in that name. */
static bool is_ion(const run *r)
{
    char element[4];
    for (int64_t i = 0; i < r->count; i++) {
        const tsl_atom *atom = &r->at[i].atom;
        if (strcmp(atom->name, r->at[0].atom.name) != 0 ||
            !tsl_residue_is_ion(atom->residue, atom->name, element)) {
            return false;
        }
    }
    for (int64_t i = 0; i < r->count; i++) {
        strcpy(r->at[i].atom.element, element);
    }
    return true;
}

/* Is it one oxygen, two hydrogens and nothing else that has mass, or a lone oxygen that is called
 * as in models of water? */
static bool is_water(const run *r)
{
    int64_t oxygens = 0, hydrogens = 0, others = 0;
    for (int64_t i = 0; i < r->count; i++) {
        const tsl_atom *atom = &r->at[i].atom;
        oxygens += strcmp(atom->element, "O") == 0;
        hydrogens += tsl_element_is_hydrogen(atom->element);
        others += strcmp(atom->element, "O") != 0 && !tsl_element_is_hydrogen(atom->element) &&
                  !(atom->element[0] == '\0' && tsl_atom_is_virtual(atom->name, true));
    }
    const bool alone = r->count == 1 && (has_atom(r, "OW") || has_atom(r, "OH2"));
    return others == 0 && oxygens == 1 && (hydrogens == 2 || alone);
}

/* ---- elements ----------------------------------------------------------------------------- */

/* In a standard residue the name of an atom decides: HG11 is no mercury, CA no calcium. */
static void set_element(tsl_record *record, const tsl_residue *residue)
{
    tsl_atom *atom = &record->atom;
    const bool polymer =
        residue->kind == TSL_RESIDUE_AMINO_ACID || residue->kind == TSL_RESIDUE_NUCLEOTIDE;
    char guess[4];
    if (atom->element[0] == '\0') {
        tsl_element_guess(atom->name, record->columns[0] != '\0' ? record->columns : NULL,
                          atom->residue, polymer && (!atom->hetero || !residue->modified),
                          atom->element);
        return;
    }
    if (!polymer || residue->modified) {
        return;
    }
    tsl_element_guess(atom->name, NULL, atom->residue, true, guess);
    if (tsl_atom_is_virtual(atom->name, true)) {
        atom->element[0] = '\0'; /* it has no mass, whatever the file says */
    } else if (guess[0] != '\0' && strcmp(guess, atom->element) != 0 &&
               !(tsl_element_is_hydrogen(guess) && tsl_element_is_hydrogen(atom->element))) {
        strcpy(atom->element, guess);
        record->by_name = true;
    }
}

/* ---- what is left out --------------------------------------------------------------------- */

/* Count molecules of water: in a run of waters that all have one number, names repeat. */
static int64_t count_molecules(const run *r)
{
    int64_t count = 0;
    for (int64_t i = 0; i < r->count; i++) {
        const char letter = r->at[i].alternate;
        count += strcmp(r->at[i].atom.name, r->at[0].atom.name) == 0 &&
                 (letter == ' ' || letter == r->at[0].alternate);
    }
    return count;
}

/* The counter of an atom that is left out; NULL: the atom is kept. */
static int64_t *counter_of(tsl_builder *builder, const tsl_record *record, int64_t *uncounted)
{
    tsl_molecule_account *account = &builder->account;
    const tsl_atom *atom = &record->atom;
    const bool polymer =
        record->kind == TSL_RESIDUE_AMINO_ACID || record->kind == TSL_RESIDUE_NUCLEOTIDE;
    if (builder->as_it_is && !atom->hetero) {
        return NULL;
    }
    if (record->kind == TSL_RESIDUE_WATER) {
        return uncounted; /* these are counted as molecules */
    }
    if (tsl_element_is_hydrogen(atom->element)) {
        return &account->hydrogens;
    }
    if (atom->element[0] == '\0' && tsl_atom_is_virtual(atom->name, polymer)) {
        return &account->virtual_sites;
    }
    if (builder->hetero == TSL_HETERO_KEEP) {
        return NULL;
    }
    return record->kind == TSL_RESIDUE_ION                       ? &account->ions
           : record->kind == TSL_RESIDUE_SOLVENT                 ? &account->solvent_atoms
           : record->kind == TSL_RESIDUE_UNKNOWN && atom->hetero ? &account->ligand_atoms
                                                                 : NULL;
}

/* Count a residue of which atoms were left out as a ligand, ions or solvent. One with atoms N and
 * CA may be a modified residue that the table does not know, and the hole it leaves is worth a
 * warning. */
static tsl_status note_left_out(tsl_builder *builder, const run *r, int64_t ligand_atoms)
{
    const tsl_record *first = &r->at[0];
    tsl_tally_entry entry = {.neutral = false};
    int64_t times = 1;
    strcpy(entry.name, first->atom.residue);
    if (first->kind == TSL_RESIDUE_ION) {
        times = ligand_atoms;
    } else if (first->kind == TSL_RESIDUE_SOLVENT) {
        builder->account.solvents += times = count_molecules(r);
    } else {
        builder->account.ligands++;
        if (has_atom(r, "N") && has_atom(r, "CA")) {
            builder->gap = builder->gaps == 0 ? first->atom : builder->gap;
            builder->gaps++;
        }
    }
    tsl_status status = TSL_OK;
    for (int64_t i = 0; i < times && status == TSL_OK; i++) {
        status = tsl_tally_add(&builder->left_out, builder->context, &entry);
    }
    return status;
}

/* Move the kept atoms to the front, behind those of earlier residues. */
static tsl_status keep(tsl_builder *builder, const run *r)
{
    const int64_t begin = builder->settled;
    int64_t uncounted = 0, left_out = 0, kept = 0;
    tsl_molecule_account *account = &builder->account;
    if (r->at[0].kind == TSL_RESIDUE_WATER && !(builder->as_it_is && !r->at[0].atom.hetero)) {
        account->waters += count_molecules(r);
    }
    for (int64_t i = 0; i < r->count; i++) {
        int64_t *counter = counter_of(builder, &r->at[i], &uncounted);
        if (counter != NULL) {
            ++*counter;
            left_out += counter == &account->ions || counter == &account->solvent_atoms ||
                        counter == &account->ligand_atoms;
        }
        r->at[i].dropped = counter != NULL;
    }
    const tsl_status status = left_out > 0 ? note_left_out(builder, r, left_out) : TSL_OK;
    for (int64_t i = 0; i < r->count && status == TSL_OK; i++) {
        if (r->at[i].dropped) {
            continue;
        }
        tsl_record *own = &builder->records[begin + kept];
        *own = r->at[i];
        const tsl_record *previous = begin + kept > 0 ? own - 1 : NULL;
        own->order = begin + kept++;
        own->site = previous == NULL                             ? 0
                    : tsl_same_site(&previous->atom, &own->atom) ? previous->site
                                                                 : previous->site + 1;
    }
    builder->settled = builder->count = begin + kept;
    return status;
}

tsl_status tsl_builder_settle(tsl_builder *builder)
{
    if (builder->settled == builder->count) {
        return TSL_OK;
    }
    const run r = {builder->records + builder->settled, builder->count - builder->settled};
    tsl_chain *chain = NULL;
    const char *name = r.at[0].atom.residue;
    char in[8];
    strcpy(in, r.at[0].atom.chain);
    if (strcmp(builder->residue_name, name) != 0 || builder->residue.parent[0] == '\0') {
        strcpy(builder->residue_name, name);
        builder->residue = tsl_residue_find(name);
    }
    tsl_residue residue = settle_polymer(&r, builder->residue);
    for (int64_t i = 0; i < r.count; i++) {
        set_element(&r.at[i], &residue);
    }
    if (residue.kind >= TSL_RESIDUE_WATER &&
        (is_amino_acid(&r) || is_nucleotide(&r) || is_molecule_of(&r, residue.kind))) {
        residue = unknown_residue(&r);
    } else if (residue.kind == TSL_RESIDUE_UNKNOWN && is_ion(&r)) {
        residue.kind = TSL_RESIDUE_ION;
    } else if (residue.kind == TSL_RESIDUE_UNKNOWN && is_water(&r)) {
        residue.kind = TSL_RESIDUE_WATER;
    }
    for (int64_t i = 0; i < r.count; i++) {
        tsl_record *record = &r.at[i];
        record->kind = residue.kind;
        record->neutral = residue.neutral;
        record->foreign = residue.kind == TSL_RESIDUE_AMINO_ACID && !residue.modified &&
                          !tsl_amino_acid_has(record->atom.name);
        strcpy(record->atom.parent, residue.parent);
    }
    const int64_t before = builder->settled;
    tsl_status status = keep(builder, &r);
    if (status == TSL_OK) {
        status = tsl_builder_find_chain(builder, in, &chain);
    }
    if (status == TSL_OK) {
        chain->kept += builder->settled - before;
    }
    return status;
}
