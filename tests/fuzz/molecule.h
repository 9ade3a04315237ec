/* What the harnesses of the molecule readers share. */
#ifndef TESTS_FUZZ_MOLECULE_H
#define TESTS_FUZZ_MOLECULE_H

#include "fuzz/fuzz.h"
#include "io/molecule/builder.h"

static inline void fuzz_message(void *user, tsl_message_kind kind, const char *line)
{
    (void)user;
    (void)kind;
    fuzz_require(strchr(line, '\n') == NULL);
}

/* What every molecule that was read must satisfy. */
static inline void fuzz_check(const tsl_molecule *molecule)
{
    fuzz_require(molecule->count >= 1 && molecule->residues >= 1);
    fuzz_require(molecule->uncharged_residues <= molecule->residues);
    int32_t residue = 0;
    for (int64_t i = 0; i < molecule->count; i++) {
        const tsl_atom *atom = &molecule->atoms[i];
        fuzz_require(atom->residue_index == residue || atom->residue_index == residue + 1);
        residue = atom->residue_index;
        fuzz_require(memchr(atom->name, '\0', sizeof atom->name) != NULL);
        fuzz_require(memchr(atom->residue, '\0', sizeof atom->residue) != NULL);
        fuzz_require(memchr(atom->parent, '\0', sizeof atom->parent) != NULL);
        fuzz_require(memchr(atom->chain, '\0', sizeof atom->chain) != NULL);
        fuzz_require(memchr(atom->element, '\0', sizeof atom->element) != NULL);
        fuzz_require(fabs(molecule->charges[i]) <= 1.0);
        for (int axis = 0; axis < 3; axis++) {
            fuzz_require(fabs(molecule->positions[3 * i + axis]) <= TSL_MAX_COORDINATE);
        }
    }
    fuzz_require(residue == molecule->residues - 1);
}

/* Read the bytes by `reader`, and once more as a user's file, with a selection and ligands. */
static inline int fuzz_molecule(const uint8_t *data, size_t size,
                                tsl_status (*reader)(tsl_builder *, const char *, size_t))
{
    tsl_context context = {.message = fuzz_message};
    tsl_molecule_options options = TSL_MOLECULE_OPTIONS_INIT;
    options.hetero = TSL_HETERO_KEEP;
    tsl_builder builder;
    tsl_molecule *molecule = NULL;
    tsl_status status = tsl_builder_start(&builder, &context, "fuzz", &options);
    if (status == TSL_OK) {
        status = reader(&builder, (const char *)data, size);
    }
    if (status == TSL_OK) {
        status = tsl_builder_finish(&builder, &molecule);
    }
    tsl_builder_release(&builder);
    if (status == TSL_OK) {
        fuzz_check(molecule);
    } else {
        fuzz_require_error(&context);
    }
    tsl_molecule_destroy(molecule);

    options = (tsl_molecule_options)TSL_MOLECULE_OPTIONS_INIT;
    options.chains = "A,_";
    molecule = NULL;
    status = tsl_molecule_parse(&molecule, &context, "fuzz", (const char *)data, size, &options);
    if (status == TSL_OK) {
        fuzz_check(molecule);
    }
    tsl_molecule_destroy(molecule);
    fuzz_require(tsl_test_live_allocations() == 0);
    return 0;
}

#endif
