/* The figure of `tesela poisson`: slices of a file's field. */
#include <stdio.h>
#include <string.h>

#include "cli/poisson/command.h"
#include "solvers/poisson/figure.h"

static void describe(char out[256], const poisson_work *work)
{
    const tsl_poisson_options *o = &work->poisson;
    snprintf(out, 256, "%lld x %lld x %lld cells, box %.5g x %.5g x %.5g%s, boundaries %s, %s, %s",
             (long long)o->n[0], (long long)o->n[1], (long long)o->n[2], o->lengths[0],
             o->lengths[1], o->lengths[2], work->field.format == POISSON_CUBE ? " bohr" : "",
             poisson_boundary_names[o->boundary[0]], poisson_boundary_names[o->boundary[1]],
             poisson_boundary_names[o->boundary[2]]);
}

tsl_status poisson_figure_write(const poisson_work *work, const void *potential)
{
    const bool cube = work->field.format == POISSON_CUBE;
    const bool plain = work->poisson.equation == TSL_POISSON_PLAIN;
    const bool nuclei = work->points.count > 0;
    char subtitle[256], answer[128];
    describe(subtitle, work);
    snprintf(answer, sizeof answer, "%s%s",
             plain    ? "Solution"
             : nuclei ? "Potential of density and nuclei, hartree / e"
             : cube   ? "Potential, hartree / e"
                      : "Potential",
             work->options->quantity == POISSON_FIELD ? " (the field is minus its gradient)" : "");
    tsl_poisson_slices slices = {
        .name = work->field.path,
        .subtitle = subtitle,
        .labels = {plain  ? "Right-hand side"
                   : cube ? "Charge density without the nuclei, e / bohr\xc2\xb3"
                          : "Charge density",
                   answer},
        .precision = work->poisson.precision,
        .values = {work->field.data, potential},
        .count = work->field.cube.atoms};
    memcpy(slices.n, work->poisson.n, sizeof slices.n);
    memcpy(slices.lengths, work->poisson.lengths, sizeof slices.lengths);
    for (int axis = 0; axis < 3; axis++) {
        const double step = slices.lengths[axis] / (double)slices.n[axis];
        slices.first[axis] =
            work->field.cube.origin[axis] + (work->options->centres ? 0.5 * step : 0);
    }
    tsl_slices_mark *marks = tsl_allocate_zeroed((size_t)slices.count + 1, sizeof *marks);
    if (marks == NULL) {
        return tsl_fail_memory(work->context, slices.count * (int64_t)sizeof *marks, "a figure");
    }
    for (int64_t i = 0; i < slices.count; i++) {
        const tsl_cube_atom *atom = &work->field.cube.atom[i];
        marks[i].name = tsl_element_symbol(atom->number);
        memcpy(marks[i].at, atom->at, sizeof atom->at);
    }
    slices.marks = marks;
    const tsl_status status = tsl_poisson_figure(work->context, work->options->figure, &slices);
    tsl_release(marks);
    return status;
}
