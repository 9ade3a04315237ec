/* Fuzzes the readers of basis sets, molecules and point charges: whatever the bytes, something that
 * holds together or a one-line error, and nothing lost. The first byte chooses the reader. */
#include "fuzz/fuzz.h"
#include "solvers/scf/scf.h"

static void read_set(tsl_context *context, const char *text, size_t size)
{
    tsl_scf_set set;
    if (tsl_scf_set_parse(&set, context, "fuzz", text, size) != TSL_OK) {
        fuzz_require_error(context);
        return;
    }
    fuzz_require(set.shells > 0);
    for (int s = 0; s < set.shells; s++) {
        const tsl_scf_set_shell *shell = &set.shell[s];
        fuzz_require(shell->element >= 1 && shell->element <= TSL_ELEMENTS);
        fuzz_require(shell->l >= 0 && shell->l <= TSL_SCF_MAX_L && shell->primitives > 0);
        fuzz_require(shell->first >= 0 && shell->first + shell->primitives <= set.primitives);
    }
    for (int k = 0; k < set.primitives; k++) {
        fuzz_require(set.exponent[k] > 0 && isfinite(set.coefficient[k]));
    }
    tsl_scf_set_release(&set);
}

static void read_molecule(tsl_context *context, const char *text, size_t size)
{
    tsl_scf_molecule *molecule;
    if (tsl_scf_molecule_parse(&molecule, context, "fuzz", text, size, 1.9) != TSL_OK) {
        fuzz_require_error(context);
        return;
    }
    for (int64_t a = 0; a < tsl_scf_molecule_count(molecule); a++) {
        fuzz_require(tsl_scf_molecule_elements(molecule)[a] != 0);
        fuzz_require(isfinite(tsl_scf_molecule_positions(molecule)[3 * a]));
    }
    tsl_scf_molecule_destroy(molecule);
}

static void read_charges(tsl_context *context, const char *text, size_t size)
{
    tsl_scf_charges *charges;
    if (tsl_scf_charges_parse(&charges, context, "fuzz", text, size, 1.9) != TSL_OK) {
        fuzz_require_error(context);
        return;
    }
    fuzz_require(isfinite(tsl_scf_charges_total(charges)));
    tsl_scf_charges_destroy(charges);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static void (*const readers[])(tsl_context *, const char *, size_t) = {read_set, read_molecule,
                                                                           read_charges};
    tsl_context context = {.threads = 1};
    if (size > 0) {
        readers[data[0] % 3](&context, (const char *)data + 1, size - 1);
    }
    fuzz_require(tsl_test_live_allocations() == 0);
    return 0;
}
