/* Notes and warnings on the residues and atoms of a molecule. */
#include <string.h>

#include "io/molecule/builder.h"

/* Note a residue that goes by another name than its parent's, or has no charges. */
static tsl_status note_residue(const tsl_builder *builder, tsl_molecule *molecule,
                               const tsl_record *record)
{
    const tsl_atom *atom = &record->atom;
    tsl_tally_entry entry = {.neutral = record->neutral};
    strcpy(entry.name, atom->residue);
    if (record->kind != TSL_RESIDUE_AMINO_ACID) {
        molecule->uncharged_residues++;
        return tsl_tally_add(&molecule->uncharged, builder->context, &entry);
    }
    if (strcmp(atom->residue, atom->parent) == 0) {
        return TSL_OK;
    }
    strcpy(entry.parent, atom->parent);
    return tsl_tally_add(&molecule->taken_for, builder->context, &entry);
}

/* Note an atom whose name its amino acid does not have. */
static tsl_status note_atom(const tsl_builder *builder, tsl_molecule *molecule,
                            const tsl_record *record)
{
    tsl_tally_entry entry = {.neutral = false};
    strcpy(entry.name, record->atom.name);
    return record->foreign ? tsl_tally_add(&molecule->foreign, builder->context, &entry) : TSL_OK;
}

/* Number the residues and count those without charges, with a warning. */
tsl_status tsl_builder_number_residues(tsl_builder *builder, tsl_molecule *molecule)
{
    for (int64_t i = 0; i < builder->count; i++) {
        tsl_record *record = &builder->records[i];
        tsl_status status = note_atom(builder, molecule, record);
        if (status == TSL_OK && (i == 0 || !tsl_same_residue(&record[-1].atom, &record->atom))) {
            molecule->residues++;
            status = note_residue(builder, molecule, record);
        }
        if (status != TSL_OK) {
            return status;
        }
        record->atom.residue_index = molecule->residues - 1;
    }
    if (molecule->uncharged_residues > 0) {
        const int32_t count = molecule->uncharged_residues;
        char names[TSL_TALLY_TEXT];
        tsl_message(builder->context, TSL_MESSAGE_WARNING,
                    "%s: %d of %d residues %s and stay%s uncharged: %s", builder->name, (int)count,
                    (int)molecule->residues,
                    count == 1 ? "is no known amino acid" : "are no known amino acids",
                    count == 1 ? "s" : "", tsl_tally_print(names, &molecule->uncharged));
    }
    return TSL_OK;
}

void tsl_builder_warn_of_gaps(const tsl_builder *builder)
{
    if (builder->gaps > 0) {
        char where[TSL_WHERE_TEXT];
        tsl_describe_residue(&builder->gap, where);
        tsl_message(builder->context, TSL_MESSAGE_WARNING,
                    "%s: %lld HETATM residue%s of no known parent left out though a backbone is "
                    "there; the first is %s",
                    builder->name, (long long)builder->gaps, builder->gaps == 1 ? "" : "s", where);
    }
}
