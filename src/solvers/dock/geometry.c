/* From molecules to the grid: its size, and atoms in its units. */
#include <math.h>
#include <stdio.h>

#include "io/molecule/molecule.h"
#include "solvers/dock/plan.h"

/* A coordinate from the centre, in single precision as FTDock 2.0 keeps it. */
static float centred(const tsl_molecule *molecule, int64_t i, int axis, const double centre[3])
{
    return (float)((float)molecule->positions[3 * i + axis] - (float)centre[axis]);
}

float tsl_dock_centre(const tsl_molecule *molecule, double centre[3])
{
    for (int axis = 0; axis < 3; axis++) {
        float sum = 0;
        for (int64_t i = 0; i < molecule->count; i++) {
            sum = (float)(sum + (float)molecule->positions[3 * i + axis]);
        }
        centre[axis] = (double)(float)(sum / (float)molecule->count);
    }
    float largest = 0;
    for (int64_t i = 0; i < molecule->count; i++) {
        float square = tsl_dock_square(centred(molecule, i, 0, centre), 0);
        for (int axis = 1; axis < 3; axis++) {
            square = tsl_dock_sum(square, tsl_dock_square(centred(molecule, i, axis, centre), 0));
        }
        largest = fmaxf(largest, square);
    }
    return (float)sqrt((double)largest);
}

float tsl_dock_span(float receptor_radius, float ligand_radius)
{
    const float radii = (float)(receptor_radius + ligand_radius);
    return (float)(1 + (double)(2 * radii));
}

static bool smooth(int n)
{
    static const int primes[] = {2, 3, 5, 7};
    for (int i = 0; i < 4; i++) {
        while (n % primes[i] == 0) {
            n /= primes[i];
        }
    }
    return n == 1;
}

/* FTDock's automatic size, from its cell of 0.7 angstrom. */
static int64_t ftdock_grid(float span)
{
    const int64_t n = (int64_t)(float)(span / 0.7F);
    return n + n % 2;
}

static bool has_terms(const tsl_dock_options *options)
{
    return options->score == TSL_SCORE_COMPLEMENTARITY;
}

/* The spacing that was asked for, or that the score has by itself; 0: none. */
static double asked_spacing(const tsl_dock_options *options)
{
    return options->spacing > 0                       ? options->spacing
           : has_terms(options) && options->grid <= 0 ? 1.2
                                                      : 0;
}

/* Edge of the grid for the score of complementarity: the receptor, whose orientation is fixed, the
 * ligand on either side of it, and room for pairs between. */
static float terms_span(const tsl_molecule *receptor, const double centre[3], float ligand_radius)
{
    float largest = 0;
    for (int64_t i = 0; i < 3 * receptor->count; i++) {
        largest = fmaxf(largest, fabsf((float)(receptor->positions[i] - centre[i % 3])));
    }
    return (float)(2 * (largest + ligand_radius) + 8);
}

/* Grid size for the options; may be out of range. */
static int64_t choose_size(const tsl_dock_options *options, float span)
{
    if (options->grid > 0) {
        return options->grid;
    }
    int64_t n = ftdock_grid(span);
    const double spacing = asked_spacing(options);
    if (spacing > 0) {
        const double cells = ceil((double)span / spacing);
        n = cells < 1e6 ? (int64_t)cells : 1000000;
        n += n % 2;
    }
    n = n < TSL_GRID_SMALLEST ? TSL_GRID_SMALLEST : n;
    while (options->grid == TSL_GRID_SMOOTH && n <= TSL_GRID_LARGEST && !smooth((int)n)) {
        n += 2;
    }
    return n;
}

/* "a grid of at least 128, " or, where that is beyond the largest, nothing. */
static const char *advise_grid(char out[64], double least)
{
    out[0] = '\0';
    if (least <= TSL_GRID_LARGEST) {
        snprintf(out, 64, "a grid of at least %.0f or ", least);
    }
    return out;
}

/* A finer grid helps unless the spacing was given, which alone decides then. */
static tsl_status fail_coarse(tsl_context *context, const tsl_dock_options *options, double spacing,
                              double needed)
{
    const double least = 2 * (floor(needed / options->surface / 2) + 1);
    char grid[64] = "";
    if (options->spacing == 0) {
        advise_grid(grid, least);
    }
    if (options->spacing == 0 && grid[0] == '\0') {
        return tsl_fail(
            context, TSL_E_ARG,
            "cells of %.2f angstrom are wider than the surface of %.2f, so there would "
            "be no surface layer, and a grid of %.0f cells would be needed, where %d is "
            "the largest: give a thicker surface, or smaller molecules",
            spacing, options->surface, least, TSL_GRID_LARGEST);
    }
    return tsl_fail(context, TSL_E_ARG,
                    "cells of %.2f angstrom are wider than the surface of %.2f, so there would be "
                    "no surface layer: give %s%sa thicker surface",
                    spacing, options->surface, grid,
                    options->spacing > 0 ? "a smaller spacing or " : "");
}

/* No grid holds the molecules. */
static tsl_status fail_large(tsl_context *context, const tsl_dock_options *options, int64_t n,
                             double needed)
{
    const double spacing = ceil(100 * needed / TSL_GRID_LARGEST) / 100;
    char remedy[160];
    if (options->spacing > 0) {
        snprintf(remedy, sizeof remedy, "a larger spacing, of at least %.2f", spacing);
    } else {
        snprintf(remedy, sizeof remedy,
                 "a grid of %d and a surface thicker than its cells, which are %.2f angstrom wide",
                 TSL_GRID_LARGEST, spacing);
    }
    return tsl_fail(context, TSL_E_ARG,
                    "the molecules need %.1f angstrom, a grid of %lld cells%s: the largest is %d; "
                    "give %s",
                    needed, (long long)n, n >= 1000000 ? " or more" : "", TSL_GRID_LARGEST, remedy);
}

float tsl_dock_span_of(tsl_dock_score score, const tsl_molecule *receptor,
                       const tsl_molecule *ligand)
{
    double centres[2][3];
    const float receptor_radius = tsl_dock_centre(receptor, centres[0]);
    const float ligand_radius = tsl_dock_centre(ligand, centres[1]);
    return score == TSL_SCORE_COMPLEMENTARITY ? terms_span(receptor, centres[0], ligand_radius)
                                              : tsl_dock_span(receptor_radius, ligand_radius);
}

tsl_status tsl_dock_choose_grid(tsl_context *context, const tsl_dock_options *options,
                                const tsl_molecule *receptor, const tsl_molecule *ligand,
                                tsl_dock_geometry *geometry, tsl_dock_summary *summary)
{
    const float receptor_radius = tsl_dock_centre(receptor, summary->receptor_centre);
    const float ligand_radius = tsl_dock_centre(ligand, summary->ligand_centre);
    const float least = tsl_dock_span_of(options->score, receptor, ligand);
    const double asked = asked_spacing(options);
    /* A grid that was asked for, as that of a list, may have no room for pairs. */
    const float smallest = tsl_dock_span(receptor_radius, ligand_radius);
    const double needed = (double)fminf(least, smallest);
    const int64_t n = choose_size(options, least);
    if (n > TSL_GRID_LARGEST) {
        return fail_large(context, options, n, needed);
    }
    const float span = asked > 0 ? (float)((float)asked * (float)n) : least;
    const float cell = (float)(span / (float)n);
    const double spacing = (double)cell;
    if ((double)span < needed * (1 - 1e-6)) {
        char grid[64];
        return tsl_fail(
            context, TSL_E_ARG,
            "a grid of %lld cells of %g angstrom spans %.1f angstrom, but the molecules "
            "need %.1f: give %sa larger spacing, of at least %.2f",
            (long long)n, spacing, (double)span, needed,
            advise_grid(grid, 2 * ceil(needed / spacing / 2)),
            ceil(100 * needed / (double)n) / 100);
    }
    if (!has_terms(options) && !tsl_dock_is_near(1, cell, (float)options->surface)) {
        return fail_coarse(context, options, spacing, needed);
    }
    /* cells whose centres may be filled, to either side of the middle; the rest is for rounding */
    const double filled = has_terms(options) ? TSL_CLASH_LARGEST : (double)TSL_ATOM_RADIUS;
    const int half = (int)ceil(((double)ligand_radius + filled) / spacing + 0.501);
    *geometry = (tsl_dock_geometry){
        .grid = (int)n,
        .box = 2 * half < n ? 2 * half : (int)n,
        .slip = options->electrostatics == TSL_ELECTROSTATICS_FTDOCK ? (int)n : 0,
        .reach = tsl_dock_reach(TSL_ATOM_RADIUS, cell),
        .span = span,
        .spacing = cell};
    summary->grid = (int)n;
    summary->spacing = spacing;
    summary->span = (double)span;
    return TSL_OK;
}

int64_t tsl_dock_count_charged(const tsl_molecule *molecule)
{
    int64_t charged = 0;
    for (int64_t i = 0; i < molecule->count; i++) {
        charged += molecule->charges[i] != 0;
    }
    return charged;
}

/* Positions from the centre, and the charged atoms once more with their charges. */
static void centre_atoms(const tsl_molecule *molecule, float *positions, float *charge_positions,
                         int32_t *charges)
{
    double centre[3];
    tsl_dock_centre(molecule, centre);
    int64_t charged = 0;
    for (int64_t i = 0; i < molecule->count; i++) {
        for (int axis = 0; axis < 3; axis++) {
            positions[3 * i + axis] = centred(molecule, i, axis, centre);
        }
        if (molecule->charges[i] != 0) {
            for (int axis = 0; axis < 3; axis++) {
                charge_positions[3 * charged + axis] = positions[3 * i + axis];
            }
            charges[charged++] = (int32_t)lrint(molecule->charges[i] / TSL_CHARGE_UNIT);
        }
    }
}

void tsl_dock_free_atoms(tsl_context *context, tsl_dock_atoms *atoms)
{
    tsl_device_release(context, atoms->positions);
    tsl_device_release(context, atoms->charge_positions);
    tsl_device_release(context, atoms->charges);
    *atoms = (tsl_dock_atoms){0};
}

int64_t tsl_dock_atoms_bytes(const tsl_molecule *molecule)
{
    return 12 * molecule->count + 16 * tsl_dock_count_charged(molecule);
}

tsl_status tsl_dock_upload_atoms(tsl_context *context, const tsl_molecule *molecule,
                                 tsl_dock_atoms *atoms)
{
    tsl_dock_free_atoms(context, atoms);
    const int64_t charged = tsl_dock_count_charged(molecule);
    const int64_t bytes[3] = {12 * molecule->count, 12 * charged, 4 * charged};
    void **const targets[3] = {(void **)&atoms->positions, (void **)&atoms->charge_positions,
                               (void **)&atoms->charges};
    char *host = tsl_allocate((size_t)(bytes[0] + bytes[1] + bytes[2]));
    if (host == NULL) {
        return tsl_fail_memory(context, bytes[0] + bytes[1] + bytes[2], "a molecule's atoms");
    }
    atoms->count = molecule->count;
    atoms->charged = charged;
    centre_atoms(molecule, (float *)(void *)host, (float *)(void *)(host + bytes[0]),
                 (int32_t *)(void *)(host + bytes[0] + bytes[1]));
    tsl_status status = TSL_OK;
    const char *from = host;
    for (int i = 0; i < 3 && status == TSL_OK; i++) {
        status = tsl_device_allocate(targets[i], context, bytes[i] > 0 ? bytes[i] : 4,
                                     "a molecule's atoms");
        if (status == TSL_OK) {
            status = context->ops->upload(context, *targets[i], from, bytes[i]);
        }
        from += bytes[i];
    }
    tsl_release(host);
    if (status != TSL_OK) {
        tsl_dock_free_atoms(context, atoms);
    }
    return status;
}
