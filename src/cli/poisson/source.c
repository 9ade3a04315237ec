/* Makes the source of the numbers that `tesela poisson` read, with notes on numbers that may not be
 * what is meant. */
#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "cli/poisson/command.h"

bool poisson_is_periodic(const poisson_work *work)
{
    const tsl_boundary *boundary = work->poisson.boundary;
    return boundary[0] == TSL_BOUNDARY_PERIODIC && boundary[1] == TSL_BOUNDARY_PERIODIC &&
           boundary[2] == TSL_BOUNDARY_PERIODIC;
}

/* ---- sums ----------------------------------------------------------------------------------- */

/* Sums over the numbers that were read. Integrals are multiplied by a cell's volume. */
typedef struct sums {
    double sum, absolute;
    double below; /* sum of the sizes of numbers below zero */
    double faces; /* sum of the sizes of numbers at free faces */
    double largest, least;
} sums;

/* Does a plane of an axis lie at a free face? */
static bool is_face(const poisson_work *work, int axis, int64_t i)
{
    return work->poisson.boundary[axis] == TSL_BOUNDARY_FREE &&
           (i == 0 || i == work->field.n[axis] - 1);
}

static void add_plane(sums *s, const poisson_work *work, int64_t x)
{
    const int64_t *n = work->field.n;
    sums plane = {.sum = 0};
    for (int64_t y = 0; y < n[1]; y++) {
        const bool face = is_face(work, 0, x) || is_face(work, 1, y);
        for (int64_t z = 0; z < n[2]; z++) {
            const double value = poisson_field_value(&work->field, (x * n[1] + y) * n[2] + z);
            const double size = fabs(value);
            plane.sum += value;
            plane.absolute += size;
            plane.below += value < 0 ? size : 0;
            plane.faces += face || is_face(work, 2, z) ? size : 0;
            s->largest = fmax(s->largest, size);
            s->least = fmin(s->least, value);
        }
    }
    s->sum += plane.sum;
    s->absolute += plane.absolute;
    s->below += plane.below;
    s->faces += plane.faces;
}

static double cell_volume(const poisson_work *work)
{
    double volume = 1;
    for (int axis = 0; axis < 3; axis++) {
        volume *= work->poisson.lengths[axis] / (double)work->field.n[axis];
    }
    return volume;
}

static sums integrate(const poisson_work *work)
{
    const double volume = cell_volume(work);
    sums s = {.sum = 0};
    for (int64_t x = 0; x < work->field.n[0]; x++) {
        add_plane(&s, work, x);
    }
    s.sum *= volume;
    s.absolute *= volume;
    s.below *= volume;
    s.faces *= volume;
    return s;
}

/* ---- what may not be meant ------------------------------------------------------------------ */

/* Does a text hold these words, in any case of letters, and not within longer words? */
static bool has_words(const char *text, const char *words)
{
    const size_t length = strlen(words);
    for (size_t i = 0; text[i] != '\0'; i++) {
        const bool begins = i == 0 || !isalpha((unsigned char)text[i - 1]);
        if (begins && strncasecmp(text + i, words, length) == 0 &&
            !isalpha((unsigned char)text[i + length])) {
            return true;
        }
    }
    return false;
}

/* Words of a cube's comment by which its numbers are no density of electrons; NULL: there are
 * none. */
static const char *telling_words(const tsl_cube *cube)
{
    static const char *const words[] = {"potential",
                                        "orbital",
                                        "orbitals",
                                        "wavefunction",
                                        "wave function",
                                        "spin density",
                                        "spin SCF density",
                                        "MO coefficients",
                                        "gradient",
                                        "laplacian",
                                        "localization function",
                                        "ELF",
                                        "LOL",
                                        "RDG",
                                        "HOMO",
                                        "LUMO",
                                        "ESP",
                                        "MEP",
                                        "v_hartree",
                                        "Fukui",
                                        "difference density",
                                        "density difference"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (has_words(cube->title[0], words[i]) || has_words(cube->title[1], words[i])) {
            return words[i];
        }
    }
    return NULL;
}

/* Electrons of all atoms in the header, by their elements. */
static double electrons_of_atoms(const tsl_cube *cube)
{
    double electrons = 0;
    for (int64_t i = 0; i < cube->atoms; i++) {
        const int32_t number = cube->atom[i].number;
        electrons += number >= 1 && number <= TSL_ELEMENTS ? fmax(number, cube->atom[i].charge)
                                                           : fabs(cube->atom[i].charge);
    }
    return electrons;
}

/* Note numbers below zero in a density of electrons, beyond what rounding and plane waves leave. */
static void note_electrons(const poisson_work *work, const sums *s)
{
    static const double least_share = 1e-3;
    static const char remedy[] =
        "an orbital, a spin density or a potential is none; --sign charge, "
        "if it is one of charges";
    const tsl_cube *cube = &work->field.cube;
    const char *path = work->field.path;
    const char *words = telling_words(cube);
    const double most = 1.1 * electrons_of_atoms(cube) + 2;
    if (!work->electrons) {
        return;
    }
    if (s->below > least_share * s->absolute) {
        cli_note(
            "%s: read as a density of electrons, with values below zero, down to %.3g, %.3g %% "
            "of all: %s",
            path, s->least, 100 * s->below / s->absolute, remedy);
    } else if (cube->has_id) {
        cli_note("%s: read as a density of electrons, and its header has an id, %d, as those of "
                 "orbitals have: %s",
                 path, (int)cube->id, remedy);
    } else if (words != NULL) {
        cli_note("%s: read as a density of electrons, and its comment says '%s': %s", path, words,
                 remedy);
    } else if (cube->atoms > 0 && s->sum > most) {
        cli_note(
            "%s: read as a density of electrons, it holds %.6g, and its atoms have %.6g: is it "
            "a potential, or in another unit?",
            path, s->sum, electrons_of_atoms(cube));
    }
}

/* Note a charge of electrons and nuclei together that is not that of an ion. */
static void note_charge(const poisson_work *work)
{
    const double net = work->charge + poisson_nuclei_charge(work);
    if (work->points.count == 0 || fabs(net) <= 0.005) {
        return;
    }
    cli_note("%s: a net charge of %.4f e%s are core electrons left out (--valence), or is the grid "
             "coarse (--electrons)?",
             work->field.path, net,
             fabs(net - round(net)) > 0.005 ? " is no whole number:" : ": is it an ion, or");
}

/* Note sources that have not fallen off at free faces, which the truncated kernel needs, and cells
 * that are much longer than wide, for which the point kernel is not made. */
static void note_faces(const poisson_work *work, const sums *s)
{
    static const double least_share = 1e-4, widest = 2.01; /* docs/accuracy/poisson.md */
    const tsl_poisson_options *o = &work->poisson;
    bool all_free = true;
    double longest = 0, shortest = INFINITY;
    for (int axis = 0; axis < 3; axis++) {
        const double edge = o->lengths[axis] / (double)o->n[axis];
        all_free = all_free && o->boundary[axis] == TSL_BOUNDARY_FREE;
        longest = fmax(longest, edge);
        shortest = fmin(shortest, edge);
    }
    if (o->kernel == TSL_POISSON_TRUNCATED && s->faces > least_share * s->absolute) {
        cli_note("%s: %.2g %% of the source, by size, lies in the cells at free faces, where the "
                 "truncated kernel takes it for 0 beyond: take a larger box%s",
                 work->field.path, 100 * s->faces / s->absolute,
                 all_free && o->screening == 0 ? ", or --kernel integrated" : "");
    }
    if (o->kernel == TSL_POISSON_POINT && longest > widest * shortest) {
        cli_note("%s: its cells are %.3g times as long as wide, and point charges stand for them "
                 "badly: take --kernel integrated",
                 work->field.path, longest / shortest);
    }
}

/* ---- the source ----------------------------------------------------------------------------- */

/* Choose the factor by which the density holds as many electrons as asked for. */
static tsl_status choose_scale(poisson_work *work, double held)
{
    const char *wanted = work->options->electrons;
    double electrons = poisson_nuclei_charge(work);
    work->scale = 1;
    if (wanted == NULL) {
        return TSL_OK;
    }
    if (strcmp(wanted, "neutral") != 0) {
        cli_parse_real(wanted, &electrons);
    }
    if (!(held > 0 && electrons > 0)) {
        return tsl_fail(work->context, TSL_E_ARG,
                        "%s: its density holds %.6g electrons, which no factor makes %.6g",
                        work->field.path, held, electrons);
    }
    work->scale = electrons / held;
    return TSL_OK;
}

/* Uncertainty of the net charge, from the rounding of each number to the digits of the file. The
 * roundings add up like a walk of random steps, unless most numbers are the same. */
static double charge_uncertainty(const poisson_work *work, const sums *s)
{
    static const double half_epsilon = 1.0 / 2048, deviations = 6, alike = 1e-5, most = 1e-3;
    const double volume = cell_volume(work);
    const double walk = deviations * sqrt(work->field.open_squares / 3) * volume;
    const double sum = fmin(work->field.open_digits * volume, alike * s->absolute);
    return work->field.half ? half_epsilon * s->absolute
                            : fmin(fmax(walk, sum), most * s->absolute);
}

/* Check that a periodic box holds no net charge. */
static tsl_status check_charge(const poisson_work *work, const sums *s)
{
    const double nuclei = poisson_nuclei_charge(work);
    const double net = work->charge + nuclei;
    const bool wide = work->poisson.precision == 8 && work->field.precision == 8;
    const double all = work->scale * s->absolute + fabs(nuclei);
    const double tolerance = (wide ? 1e-9 : 1e-5) * all + work->scale * charge_uncertainty(work, s);
    if (!poisson_is_periodic(work) || work->poisson.screening > 0 ||
        work->options->poisson.background) {
        return TSL_OK;
    }
    if (fabs(net) <= tolerance) {
        if (fabs(net) > 1e-6 * all) {
            cli_note("%s: a net charge of %.3g, within the %.2g that the digits of its numbers "
                     "leave open, is taken for 0",
                     work->field.path, net, tolerance);
        }
        return TSL_OK;
    }
    return tsl_fail(
        work->context, TSL_E_ARG,
        "%s: %s %.6g, which a periodic box cannot hold: %s--background, or make an "
        "axis free (--boundary)",
        work->field.path,
        work->poisson.equation == TSL_POISSON_PLAIN ? "has an integral of" : "has a net charge of",
        net,
        work->points.count > 0
            ? "give the nuclei's charges where core electrons are left out (--valence), "
              "scale the density (--electrons neutral), neutralise it with "
            : "neutralise it with ");
}

/* Check that the numbers, and their potentials, are neither so small that they would count as 0,
 * nor too large. */
static tsl_status check_range(const poisson_work *work, double largest)
{
    const bool single = work->poisson.precision == 4;
    const double *edges = work->poisson.lengths;
    const double longest = fmax(edges[0], fmax(edges[1], edges[2]));
    const double least = single ? FLT_MIN : DBL_MIN;
    const char *more = single ? ", or --precision double" : "";
    if (largest > (single ? FLT_MAX : DBL_MAX)) {
        return tsl_fail(work->context, TSL_E_FORMAT,
                        "%s: its numbers, %.2g at most, are beyond what %s precision holds: take "
                        "another unit%s",
                        work->field.path, largest, single ? "single" : "double", more);
    }
    if (largest == 0 || (largest >= least && largest * longest * longest >= least)) {
        return TSL_OK;
    }
    return tsl_fail(work->context, TSL_E_FORMAT,
                    "%s: its numbers, %.2g at most, or their potential are below what %s precision "
                    "holds: take another unit%s",
                    work->field.path, largest, single ? "single" : "double", more);
}

tsl_status poisson_make_source(poisson_work *work)
{
    const sums s = integrate(work);
    if (!isfinite(s.absolute)) {
        return tsl_fail(work->context, TSL_E_FORMAT,
                        "%s: the integral of its numbers is beyond any number: take another unit",
                        work->field.path);
    }
    tsl_status status = choose_scale(work, s.sum);
    if (status != TSL_OK) {
        return status;
    }
    const double factor = (work->electrons ? -1 : 1) * work->scale;
    work->charge = s.sum != 0 ? factor * s.sum : 0; /* no -0 */
    note_electrons(work, &s);
    status = check_charge(work, &s);
    if (status == TSL_OK) {
        status = check_range(work, work->scale * s.largest);
    }
    if (status == TSL_OK) {
        note_charge(work);
        note_faces(work, &s);
        status =
            poisson_field_convert(&work->field, work->context, work->poisson.precision, factor);
    }
    return status;
}
