#include "io/molecule/molecule.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "io/file/format.h"
#include "io/file/text.h"
#include "io/molecule/builder.h"

enum { MAX_CHARGE = 3 };
static const double charge_steps = 1e4; /* steps of a unit charge */

/* Is a text mmCIF? Then its first word begins with "data_", or a line begins with an item of
 * _atom_site. */
static bool is_mmcif(const char *data, size_t size)
{
    tsl_lines lines = tsl_lines_of(data, size);
    const char *line;
    size_t length;
    bool first = true;
    while (tsl_lines_next(&lines, &line, &length)) {
        tsl_trim(&line, &length);
        if (length == 0 || line[0] == '#') {
            continue;
        }
        if (first && length >= 5 && strncasecmp(line, "data_", 5) == 0) {
            return true;
        }
        if (length >= 11 && strncasecmp(line, "_atom_site.", 11) == 0) {
            return true;
        }
        first = false;
    }
    return false;
}

tsl_status tsl_molecule_parse(tsl_molecule **out, tsl_context *context, const char *name,
                              const char *data, size_t size, const tsl_molecule_options *options)
{
    tsl_builder builder;
    if (size >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0) { /* a byte order mark */
        data += 3;
        size -= 3;
    }
    tsl_status status = tsl_builder_start(&builder, context, name, options);
    if (status != TSL_OK) {
        goto done;
    }
    if (size == 0) {
        status = tsl_fail(context, TSL_E_FORMAT, "%s: the file is empty", name);
        goto done;
    }
    if (memchr(data, '\0', size) != NULL) {
        status = tsl_fail(context, TSL_E_FORMAT,
                          "%s: not a text file: give PDB or mmCIF, gzipped or not", name);
        goto done;
    }
    status = is_mmcif(data, size) ? tsl_mmcif_read(&builder, data, size)
                                  : tsl_pdb_read(&builder, data, size);
    if (status == TSL_OK) {
        status = tsl_builder_finish(&builder, out);
    }
done:
    tsl_builder_release(&builder);
    return status;
}

tsl_status tsl_molecule_take(tsl_molecule **out, tsl_input *input,
                             const tsl_molecule_options *options)
{
    tsl_text text = {0};
    tsl_status status = tsl_format_refuse_others(input);
    if (status == TSL_OK) {
        status = tsl_text_take_if(&text, input, TSL_TEXT_LIMIT, tsl_text_is);
    }
    if (status == TSL_OK) {
        status = tsl_molecule_parse(out, tsl_input_context(input), tsl_input_name(input), text.data,
                                    text.size, options);
    }
    tsl_text_release(&text);
    return status;
}

tsl_status tsl_molecule_read(tsl_molecule **out, tsl_context *context, const char *path,
                             const tsl_molecule_options *options)
{
    const tsl_molecule_options defaults = TSL_MOLECULE_OPTIONS_INIT;
    tsl_input *input = NULL;
    if (context == NULL) {
        return TSL_E_ARG;
    }
    if (out == NULL || path == NULL) {
        return tsl_fail(context, TSL_E_ARG, "tsl_molecule_read: %s is NULL",
                        out == NULL ? "out" : "path");
    }
    tsl_status status = tsl_input_open(&input, context, path);
    if (status == TSL_OK) {
        status = tsl_molecule_take(out, input, options != NULL ? options : &defaults);
        tsl_input_close(input);
    }
    return status;
}

static tsl_status check_arrays(tsl_context *context, int64_t count, const double *positions,
                               const double *charges)
{
    for (int64_t i = 0; i < 3 * count; i++) {
        if (!isfinite(positions[i])) {
            return tsl_fail(context, TSL_E_ARG, "coordinate %c of atom %lld is not finite",
                            "xyz"[i % 3], (long long)(i / 3));
        }
    }
    for (int64_t i = 0; charges != NULL && i < count; i++) {
        if (!(fabs(charges[i]) <= MAX_CHARGE)) {
            return tsl_fail(context, TSL_E_ARG,
                            "the charge of atom %lld, %g e, is not within ±%d e", (long long)i,
                            charges[i], MAX_CHARGE);
        }
    }
    return TSL_OK;
}

tsl_status tsl_molecule_create(tsl_molecule **out, tsl_context *context, int64_t count,
                               const double *positions, const double *charges)
{
    if (context == NULL) {
        return TSL_E_ARG;
    }
    if (out == NULL || positions == NULL) {
        return tsl_fail(context, TSL_E_ARG, "tsl_molecule_create: %s is NULL",
                        out == NULL ? "out" : "positions");
    }
    if (count < 1 || count > INT64_MAX / 32) {
        return tsl_fail(context, TSL_E_ARG, "a molecule needs at least 1 atom, not %lld",
                        (long long)count);
    }
    const tsl_status status = check_arrays(context, count, positions, charges);
    if (status != TSL_OK) {
        return status;
    }
    const size_t atoms = (size_t)count;
    tsl_molecule *molecule = tsl_allocate_zeroed(1, sizeof *molecule);
    if (molecule != NULL) {
        molecule->context = context;
        molecule->count = count;
        molecule->positions = tsl_allocate_zeroed(atoms, 3 * sizeof *positions);
        molecule->charges = tsl_allocate_zeroed(atoms, sizeof *charges);
    }
    if (molecule == NULL || molecule->positions == NULL || molecule->charges == NULL) {
        tsl_molecule_destroy(molecule);
        return tsl_fail_memory(context, 4 * count * (int64_t)sizeof(double), "a molecule");
    }
    memcpy(molecule->positions, positions, 3 * atoms * sizeof *positions);
    for (int64_t i = 0; charges != NULL && i < count; i++) {
        molecule->charges[i] = round(charges[i] * charge_steps) / charge_steps;
    }
    *out = molecule;
    return TSL_OK;
}

void tsl_molecule_destroy(tsl_molecule *molecule)
{
    if (molecule != NULL) {
        tsl_release(molecule->atoms);
        tsl_release(molecule->positions);
        tsl_release(molecule->charges);
        tsl_tally_free(&molecule->left_out);
        tsl_tally_free(&molecule->taken_for);
        tsl_tally_free(&molecule->uncharged);
        tsl_tally_free(&molecule->foreign);
        tsl_release(molecule);
    }
}

int64_t tsl_molecule_count(const tsl_molecule *molecule)
{
    return molecule->count;
}

const double *tsl_molecule_positions(const tsl_molecule *molecule)
{
    return molecule->positions;
}

const double *tsl_molecule_charges(const tsl_molecule *molecule)
{
    return molecule->charges;
}

void tsl_molecule_account_of(const tsl_molecule *molecule, tsl_molecule_account *out)
{
    *out = molecule->account;
}
