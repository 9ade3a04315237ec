/* A molecule's grid: the spheres of its atoms, and each point's share of space. */
#include "solvers/scf/grid/grid.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/device.h"
#include "solvers/scf/grid/lebedev.h"

/* ---- options ------------------------------------------------------------------------------- */

static tsl_status check(tsl_context *context, const tsl_scf_grid_options *o)
{
    if (o->level > 9) {
        return tsl_fail(context, TSL_E_ARG, "grid of level %d: there are levels 0 to 9", o->level);
    }
    if (o->level >= 0) {
        return TSL_OK;
    }
    if (o->radii < 2 || o->radii > TSL_SCF_GRID_MOST_RADII) {
        return tsl_fail(context, TSL_E_ARG, "a grid of %d radii: give 2 to %d", o->radii,
                        TSL_SCF_GRID_MOST_RADII);
    }
    if (tsl_lebedev_find(o->angular) == NULL) {
        int near = 0;
        for (int i = 1; i < TSL_LEBEDEV_RULES; i++) {
            const int points = tsl_lebedev_rules[i].points;
            near = abs(points - o->angular) < abs(tsl_lebedev_rules[near].points - o->angular)
                       ? i
                       : near;
        }
        return tsl_fail(context, TSL_E_ARG,
                        "a grid of %d points a sphere: Lebedev's rules have 6, 14, 26 … 5810, and "
                        "near that %d",
                        o->angular, tsl_lebedev_rules[near].points);
    }
    return TSL_OK;
}

tsl_status tsl_scf_grid_parse(tsl_scf_grid_options *out, tsl_context *context, const char *text)
{
    static const struct {
        const char *name;
        tsl_scf_grid_options options;
    } names[] = {{"coarse", {1, 0, 0, true, TSL_SCF_BECKE}},
                 {"medium", {3, 0, 0, true, TSL_SCF_BECKE}},
                 {"fine", {-1, 99, 590, false, TSL_SCF_BECKE}}};
    tsl_scf_grid_options o = {-1, 0, 0, false, TSL_SCF_BECKE};
    int end = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(text, names[i].name) == 0) {
            *out = names[i].options;
            return TSL_OK;
        }
    }
    if (strncmp(text, "level", 5) == 0 && sscanf(text + 5, "%2d%n", &o.level, &end) == 1 &&
        text[5 + end] == '\0' && o.level >= 0) {
        o.prune = true;
    } else if (sscanf(text, "%4dx%4d%n", &o.radii, &o.angular, &end) == 2 && text[end] == '\0') {
        o.level = -1;
    } else {
        return tsl_fail(context, TSL_E_ARG,
                        "grid '%s': give coarse, medium, fine, level0 to level9, or radii and "
                        "points of a sphere as in 99x590",
                        text);
    }
    const tsl_status status = check(context, &o);
    if (status == TSL_OK) {
        *out = o;
    }
    return status;
}

/* ---- points -------------------------------------------------------------------------------- */

void tsl_scf_grid_release(tsl_scf_grid *grid)
{
    if (grid != NULL) {
        tsl_release(grid->position[0]);
        tsl_release(grid->weight);
        tsl_release(grid->atom);
        *grid = (tsl_scf_grid){.points = 0};
    }
}

static tsl_status check_atoms(tsl_context *context, const tsl_scf_atoms *atoms)
{
    for (int i = 0; i < atoms->count; i++) {
        const int element = atoms->element[i];
        const double *a = atoms->position + 3 * (int64_t)i;
        if (element < 1 || element > TSL_SCF_GRID_ELEMENTS) {
            return tsl_fail(context, TSL_E_ARG,
                            "atom %d is element %d, of which no radii for a grid are known: there "
                            "are those of 1 to %d",
                            i + 1, element, TSL_SCF_GRID_ELEMENTS);
        }
        for (int j = 0; j < i; j++) {
            const double *b = atoms->position + 3 * (int64_t)j;
            if (a[0] == b[0] && a[1] == b[1] && a[2] == b[2]) {
                return tsl_fail(context, TSL_E_ARG, "atoms %d and %d are in one place", j + 1,
                                i + 1);
            }
        }
    }
    return TSL_OK;
}

int64_t tsl_scf_grid_count(const tsl_scf_atoms *atoms, const tsl_scf_grid_options *options)
{
    tsl_scf_sphere spheres[TSL_SCF_GRID_MOST_RADII];
    int64_t points = 0;
    for (int i = 0; i < atoms->count; i++) {
        const int z = atoms->element[i];
        const int n =
            z >= 1 && z <= TSL_SCF_GRID_ELEMENTS ? tsl_scf_spheres(spheres, z, options) : 0;
        for (int s = 0; s < n; s++) {
            points += spheres[s].points;
        }
    }
    return points;
}

enum { POINT = 36 /* bytes: position, weight, atom */ };

int64_t tsl_scf_grid_bytes(int64_t points, int atoms)
{
    const int64_t tables = 24 * (int64_t)atoms + 20 * (int64_t)atoms * atoms;
    return 2 * (POINT * points + tables) + 32 * (int64_t)TSL_LEBEDEV_MOST_POINTS;
}

static tsl_status take(tsl_scf_grid *grid, tsl_context *context, int64_t points)
{
    const size_t n = (size_t)(points > 0 ? points : 1);
    *grid = (tsl_scf_grid){.points = points};
    grid->position[0] = tsl_allocate(3 * n * sizeof *grid->position[0]);
    grid->weight = tsl_allocate(n * sizeof *grid->weight);
    grid->atom = tsl_allocate(n * sizeof *grid->atom);
    if (grid->position[0] == NULL || grid->weight == NULL || grid->atom == NULL) {
        tsl_scf_grid_release(grid);
        return tsl_fail_memory(context, POINT * points, "the points of a grid");
    }
    grid->position[1] = grid->position[0] + points;
    grid->position[2] = grid->position[1] + points;
    return TSL_OK;
}

/* Points of one atom from `at` on, weights without shares; `rule` has room for the largest rule.
 * Returns where the next atom's points begin. */
static int64_t place_atom(tsl_scf_grid *grid, int64_t at, const tsl_scf_atoms *atoms, int atom,
                          const tsl_scf_grid_options *options, double *rule)
{
    tsl_scf_sphere spheres[TSL_SCF_GRID_MOST_RADII];
    double *const weights = rule + 3 * (int64_t)TSL_LEBEDEV_MOST_POINTS;
    const double *center = atoms->position + 3 * (int64_t)atom;
    const int n = tsl_scf_spheres(spheres, atoms->element[atom], options);
    for (int s = 0; s < n; s++) {
        if (s == 0 || spheres[s].points != spheres[s - 1].points) {
            tsl_lebedev_expand(tsl_lebedev_find(spheres[s].points), rule, weights);
        }
        for (int k = 0; k < spheres[s].points; k++, at++) {
            for (int axis = 0; axis < 3; axis++) {
                grid->position[axis][at] =
                    center[axis] + spheres[s].radius * rule[3 * (int64_t)k + axis];
            }
            grid->weight[at] = spheres[s].weight * weights[k];
            grid->atom[at] = atom;
        }
    }
    return at;
}

/* ---- shares -------------------------------------------------------------------------------- */

/* What the shares of a molecule's atoms depend on: host arrays of a task in one piece of memory. */
typedef struct tables {
    double *center, *inverse, *adjust; /* [3][n], [n][n], [n][n] */
    int32_t *near;                     /* [n][n] */
} tables;

/* Treutler's a of atoms i and j. */
static double adjustment(int element_i, int element_j)
{
    const double ratio = sqrt(tsl_scf_bragg(element_i) / tsl_scf_bragg(element_j));
    const double a = 0.25 * (1 / ratio - ratio);
    return fmax(-0.5, fmin(a, 0.5));
}

/* Atoms by their distance from atom i: an insertion sort, ties in the order of atoms. */
static void sort_near(int32_t *near, const double *inverse, int i, int n)
{
    for (int j = 0; j < n; j++) {
        int k = j;
        while (k > 0 && near[k - 1] != i && (j == i || inverse[j] > inverse[near[k - 1]])) {
            near[k] = near[k - 1];
            k--;
        }
        near[k] = j;
    }
}

static tables lay_out(void *memory, int n)
{
    tables t;
    const int64_t pairs = (int64_t)n * n;
    t.center = memory;
    t.inverse = t.center + 3 * (int64_t)n;
    t.adjust = t.inverse + pairs;
    t.near = (int32_t *)(void *)(t.adjust + pairs);
    return t;
}

static void fill_tables(tables *t, const tsl_scf_atoms *atoms, tsl_scf_partition scheme)
{
    const int n = atoms->count;
    for (int i = 0; i < n; i++) {
        const double *a = atoms->position + 3 * (int64_t)i;
        for (int axis = 0; axis < 3; axis++) {
            t->center[axis * n + i] = a[axis];
        }
        for (int j = 0; j < n; j++) {
            const double *b = atoms->position + 3 * (int64_t)j;
            const double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
            t->inverse[(int64_t)i * n + j] = i == j ? 0 : 1 / sqrt(x * x + y * y + z * z);
            t->adjust[(int64_t)i * n + j] =
                scheme == TSL_SCF_BECKE ? adjustment(atoms->element[i], atoms->element[j]) : 0;
        }
        sort_near(t->near + (int64_t)i * n, t->inverse + (int64_t)i * n, i, n);
    }
}

/* Multiply the weights by shares, on the device. */
static tsl_status share(tsl_scf_grid *grid, tsl_context *context, const tsl_scf_atoms *atoms,
                        tsl_scf_partition scheme)
{
    const int64_t n = grid->points;
    void *device[4] = {NULL};
    tsl_scf_partition_task task;
    void *host = NULL;
    tsl_status status = TSL_OK;
    tables t;
    const int64_t pairs = (int64_t)atoms->count * atoms->count;
    const int64_t bytes = 8 * (3 * (int64_t)atoms->count + 2 * pairs) + 4 * pairs;
    host = tsl_allocate((size_t)bytes);
    if (host == NULL) {
        return tsl_fail_memory(context, bytes, "distances of atoms");
    }
    t = lay_out(host, atoms->count);
    fill_tables(&t, atoms, scheme);
    const struct {
        const void *from;
        int64_t bytes;
    } parts[4] = {
        {host, bytes}, {grid->position[0], 24 * n}, {grid->atom, 4 * n}, {grid->weight, 8 * n}};
    for (int i = 0; i < 4; i++) {
        TSL_TRY(tsl_device_allocate_passing(&device[i], context, parts[i].bytes,
                                            "the points of a grid"));
        TSL_TRY(context->ops->upload(context, device[i], parts[i].from, parts[i].bytes));
    }
    t = lay_out(device[0], atoms->count);
    task = (tsl_scf_partition_task){.scheme = scheme,
                                    .atoms = atoms->count,
                                    .center = t.center,
                                    .inverse = t.inverse,
                                    .adjust = t.adjust,
                                    .near = t.near,
                                    .points = n,
                                    .position = device[1],
                                    .atom = device[2],
                                    .weight = device[3]};
    TSL_TRY(context->ops->scf_grid->partition(context, &task));
    TSL_TRY(context->ops->download(context, grid->weight, device[3], 8 * n));
done:
    for (int i = 0; i < 4; i++) {
        tsl_device_release(context, device[i]);
    }
    tsl_release(host);
    return status;
}

tsl_status tsl_scf_grid_create(tsl_scf_grid *out, tsl_context *context, const tsl_scf_atoms *atoms,
                               const tsl_scf_grid_options *options)
{
    tsl_scf_grid grid = {.points = 0};
    double *rule = NULL;
    int64_t at = 0;
    const double begun = tsl_seconds();
    tsl_status status = check(context, options);
    if (status == TSL_OK) {
        status = check_atoms(context, atoms);
    }
    if (status != TSL_OK) {
        return status;
    }
    const int64_t points = tsl_scf_grid_count(atoms, options);
    TSL_TRY(take(&grid, context, points));
    rule = tsl_allocate(4 * (size_t)TSL_LEBEDEV_MOST_POINTS * sizeof *rule);
    if (rule == NULL) {
        TSL_TRY(
            tsl_fail_memory(context, 32 * (int64_t)TSL_LEBEDEV_MOST_POINTS, "points of a sphere"));
    }
    for (int i = 0; i < atoms->count; i++) {
        at = place_atom(&grid, at, atoms, i, options, rule);
    }
    if (points > 0) {
        TSL_TRY(share(&grid, context, atoms, options->partition));
    }
    tsl_profile_add(context, "grid", begun, 0, 0);
    *out = grid;
    grid = (tsl_scf_grid){.points = 0};
done:
    tsl_release(rule);
    tsl_scf_grid_release(&grid);
    return status;
}
