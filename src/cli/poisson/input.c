/* Checks of options against the file's content. */
#include <math.h>
#include <string.h>

#include "cli/poisson/command.h"

/* Note lengths on the command line that replace the file's. */
static void note_lengths(const poisson_work *work)
{
    const double *own = work->field.lengths, *given = work->options->poisson.lengths;
    double off = 0;
    for (int axis = 0; axis < 3; axis++) {
        off = fmax(off, fabs(given[axis] / own[axis] - 1));
    }
    if (off > 1e-12) {
        cli_note(
            "%s: '%s' has an attribute with its lengths, %.12g,%.12g,%.12g: those of --lengths "
            "are taken",
            work->field.path, work->field.dataset, own[0], own[1], own[2]);
    }
}

static tsl_status check_lengths(const poisson_work *work)
{
    const poisson_field *field = &work->field;
    const bool given = work->options->poisson.lengths[0] > 0;
    const bool own = field->lengths[0] > 0;
    if (field->format == POISSON_CUBE && given) {
        return tsl_fail(work->context, TSL_E_ARG, "--lengths: %s says them itself: leave them out",
                        field->path);
    }
    if (!own && !given) {
        return tsl_fail(work->context, TSL_E_ARG,
                        "--lengths is missing: give the edges of the box of %s, e.g. --lengths "
                        "10,10,12.5",
                        field->path);
    }
    if (own && given) {
        note_lengths(work);
    }
    return TSL_OK;
}

tsl_status poisson_check_input(const poisson_work *work)
{
    const poisson_options *options = work->options;
    const char *path = work->field.path;
    const bool cube = work->field.format == POISSON_CUBE;
    if (options->dataset != NULL && !work->field.has_datasets) {
        return tsl_fail(work->context, TSL_E_ARG,
                        "--dataset goes with an HDF5 or .npz input, which %s is not: leave it out",
                        path);
    }
    if (options->output != NULL && poisson_format_of(options->output) == POISSON_CUBE && !cube) {
        return tsl_fail(work->context, TSL_E_ARG,
                        "-o %s: a cube has atoms, which %s has not: write .npy or .h5",
                        options->output, path);
    }
    if (options->nuclei && !cube) {
        return tsl_fail(work->context, TSL_E_ARG, "--nuclei add: %s has no atoms: give a cube",
                        path);
    }
    if (options->electrons != NULL && !cube && options->sign != POISSON_SIGN_ELECTRONS) {
        return tsl_fail(work->context, TSL_E_ARG,
                        "--electrons scales a density of electrons: say --sign electrons");
    }
    return check_lengths(work);
}
