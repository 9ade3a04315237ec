/* The nuclei of a cube's header, as point charges. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "cli/poisson/command.h"

/* Read one "O=6" of `length` characters. `twice` becomes the element if it was there before. */
static bool set_one(poisson_options *options, const char *text, size_t length, int32_t *twice)
{
    char symbol[4] = "";
    char number[32] = "";
    const char *equals = memchr(text, '=', length);
    const size_t before = equals != NULL ? (size_t)(equals - text) : 0;
    if (before < 1 || before >= sizeof symbol || length - before > sizeof number) {
        return false;
    }
    memcpy(symbol, text, before);
    memcpy(number, equals + 1, length - before - 1);
    const int32_t element = tsl_element_number(symbol);
    double charge = 0;
    if (element == 0 || !cli_parse_real(number, &charge) || charge <= 0) {
        return false;
    }
    *twice = options->valence[element] > 0 ? element : 0;
    options->valence[element] = charge;
    return *twice == 0;
}

error_t poisson_set_valence(const cli_option *row, const char *text, void *parsed)
{
    poisson_options *options = parsed;
    for (const char *at = text;; at++) {
        const size_t length = strcspn(at, ",");
        int32_t twice = 0;
        if (!set_one(options, at, length, &twice)) {
            return twice > 0 ? cli_refuse_value(row, text,
                                                "gives %s a second charge: give each element one",
                                                tsl_element_symbol(twice))
                             : cli_refuse_value(row, text,
                                                "give elements with charges above 0, e.g. O=6,H=1");
        }
        at += length;
        if (*at == '\0') {
            return 0;
        }
    }
}

/* Check that the cube has the elements that --valence names. */
static tsl_status check_valence(const poisson_work *work)
{
    const tsl_cube *cube = &work->field.cube;
    for (int32_t element = 1; element <= TSL_ELEMENTS; element++) {
        bool there = work->options->valence[element] == 0;
        for (int64_t i = 0; i < cube->atoms && !there; i++) {
            there = cube->atom[i].number == element;
        }
        if (!there) {
            return tsl_fail(work->context, TSL_E_ARG, "%s: has no atom of %s: mend --valence",
                            work->field.path, tsl_element_symbol(element));
        }
    }
    return TSL_OK;
}

/* The charge of atom i: --valence's, else the header's. */
static tsl_status charge_of(tsl_point_charge *out, const poisson_work *work, int64_t i)
{
    const tsl_cube_atom *atom = &work->field.cube.atom[i];
    const bool is_element = atom->number >= 1 && atom->number <= TSL_ELEMENTS;
    const double valence = is_element ? work->options->valence[atom->number] : 0;
    out->charge = valence > 0 ? valence : atom->charge;
    if (is_element && out->charge == 0) { /* some programs leave the charge 0 */
        return tsl_fail(work->context, TSL_E_ARG,
                        "%s: its header gives atom %lld, %s, no charge: say --valence %s=...",
                        work->field.path, (long long)i + 1, tsl_element_symbol(atom->number),
                        tsl_element_symbol(atom->number));
    }
    for (int axis = 0; axis < 3; axis++) {
        const double half = work->options->centres ? 0.5 * work->field.cube.step[axis] : 0;
        out->at[axis] = atom->at[axis] - work->field.cube.origin[axis] - half;
    }
    return TSL_OK;
}

/* Check that atom i, a Gaussian on the grid where an axis is periodic, ends within free axes. */
static tsl_status check_inside(const poisson_work *work, int64_t i)
{
    const tsl_points *points = &work->points;
    const double margin = tsl_points_margin(points);
    for (int axis = 0; axis < 3 && margin > 0; axis++) {
        const double at = points->charge[i].at[axis];
        const double last = (double)(points->n[axis] - 1) * points->step[axis];
        const double distance = fmin(at, last - at);
        if (!points->periodic[axis] && distance < margin) {
            return tsl_fail(
                work->context, TSL_E_ARG,
                "%s: atom %lld is %.4g bohr within the grid along the free axis %c, and "
                "nuclei of slabs and wires need %.4g, 19.1 of the widest steps: give the "
                "grid more room there, or smaller steps along all axes",
                work->field.path, (long long)i + 1, distance, 'x' + axis, margin);
        }
    }
    return TSL_OK;
}

/* Check that atom i is not too far from the box: the image in the box is known to the digits that
 * its position has behind those of the distance. */
static tsl_status check_near(const poisson_work *work, int64_t i)
{
    static const double farthest = 1000; /* edges of the box: 13 digits are left of 16 */
    const tsl_points *points = &work->points;
    for (int axis = 0; axis < 3; axis++) {
        const double length = (double)points->n[axis] * points->step[axis];
        if (points->periodic[axis] && !(fabs(points->charge[i].at[axis]) <= farthest * length)) {
            return tsl_fail(work->context, TSL_E_FORMAT,
                            "%s: atom %lld is %.4g bohr from the box's origin along the periodic "
                            "axis %c, more than %g of its edges: mend its position",
                            work->field.path, (long long)i + 1, fabs(points->charge[i].at[axis]),
                            'x' + axis, farthest);
        }
    }
    return TSL_OK;
}

/* Note headers with atoms that no program would mean. They are read all the same. */
static void note_atoms(const poisson_work *work)
{
    const tsl_points *points = &work->points;
    const char *path = work->field.path;
    bool unknown = false, outside = false, negative = false;
    for (int64_t i = 0; i < points->count; i++) {
        const int32_t number = work->field.cube.atom[i].number;
        if (!unknown && (number < 1 || number > TSL_ELEMENTS)) {
            unknown = true;
            cli_note(
                "%s: atom %lld has number %d, which is no element's: its charge is taken as it "
                "stands, %g",
                path, (long long)i + 1, (int)number, points->charge[i].charge);
        }
        if (!negative && points->charge[i].charge < 0) {
            negative = true;
            cli_note("%s: atom %lld has a negative charge, %g: it is taken as it stands", path,
                     (long long)i + 1, points->charge[i].charge);
        }
        for (int axis = 0; axis < 3 && !outside; axis++) {
            const double at = points->charge[i].at[axis];
            /* for either sampling the first cell is within */
            const double step = points->step[axis];
            if (at < -step || at > (double)points->n[axis] * step) {
                outside = true;
                cli_note("%s: atom %lld is outside the box along %c: its charge is taken %s", path,
                         (long long)i + 1, 'x' + axis,
                         points->periodic[axis] ? "at its image within" : "where it stands");
            }
        }
    }
}

/* Do two charges stand at one place, or one and an image of the other along periodic axes? */
static bool are_two_at_one_place(const tsl_points *points)
{
    for (int64_t i = 0; i < points->count; i++) {
        for (int64_t j = 0; j < i; j++) {
            bool apart = false;
            for (int axis = 0; axis < 3; axis++) {
                const double length = (double)points->n[axis] * points->step[axis];
                const double d = points->charge[i].at[axis] - points->charge[j].at[axis];
                apart =
                    apart || (points->periodic[axis] ? d - nearbyint(d / length) * length : d) != 0;
            }
            if (!apart) {
                return true;
            }
        }
    }
    return false;
}

static tsl_status take_energy(poisson_work *work)
{
    work->energy_nuclei = tsl_points_energy(&work->points);
    if (isfinite(work->energy_nuclei)) {
        return TSL_OK;
    }
    return tsl_fail(work->context, TSL_E_FORMAT, "%s: %s", work->field.path,
                    are_two_at_one_place(&work->points)
                        ? "two of its atoms are at one place"
                        : "the energy of its nuclei is beyond any number: mend their charges or "
                          "positions");
}

tsl_status poisson_nuclei_take(poisson_work *work)
{
    const tsl_cube *cube = &work->field.cube;
    tsl_status status = check_valence(work);
    if (status == TSL_OK && cube->atoms == 0) {
        status = tsl_fail(work->context, TSL_E_ARG, "%s: has no atoms: leave --nuclei add out",
                          work->field.path);
    }
    if (status != TSL_OK) {
        return status;
    }
    tsl_point_charge *charges = tsl_allocate_zeroed((size_t)cube->atoms, sizeof *charges);
    if (charges == NULL) {
        return tsl_fail_memory(work->context, cube->atoms * (int64_t)sizeof *charges, "the nuclei");
    }
    work->points = (tsl_points){.count = cube->atoms, .charge = charges};
    for (int axis = 0; axis < 3; axis++) {
        work->points.periodic[axis] = work->poisson.boundary[axis] == TSL_BOUNDARY_PERIODIC;
    }
    memcpy(work->points.n, cube->n, sizeof cube->n);
    memcpy(work->points.step, cube->step, sizeof cube->step);
    for (int64_t i = 0; i < cube->atoms && status == TSL_OK; i++) {
        status = charge_of(&charges[i], work, i);
        status = status == TSL_OK ? check_near(work, i) : status;
        status = status == TSL_OK ? check_inside(work, i) : status;
    }
    if (status == TSL_OK) {
        note_atoms(work);
        status = take_energy(work);
    }
    return status;
}

double poisson_nuclei_charge(const poisson_work *work)
{
    double charge = 0;
    for (int64_t i = 0; i < work->points.count; i++) {
        charge += work->points.charge[i].charge;
    }
    return charge;
}
