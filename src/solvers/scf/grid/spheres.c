/* The spheres around one atom: radii, their weights, and how many points each has. */
#include <math.h>

#include "solvers/scf/grid/grid.h"
#include "solvers/scf/grid/lebedev.h"

/* By atomic number from 1: Bragg's radius in angstrom and the M4 radii's xi. */
static const struct {
    double bragg, xi;
} elements[TSL_SCF_GRID_ELEMENTS] = {
    {0.35, 0.8},  {1.40, 0.9}, {1.45, 1.8},  {1.05, 1.4},  {0.85, 1.3},  {0.70, 1.1},  {0.65, 0.9},
    {0.60, 0.9},  {0.50, 0.9}, {1.50, 0.9},  {1.80, 1.4},  {1.50, 1.3},  {1.25, 1.3},  {1.10, 1.2},
    {1.00, 1.1},  {1.00, 1.0}, {1.00, 1.0},  {1.80, 1.0},  {2.20, 1.5},  {1.80, 1.4},  {1.60, 1.3},
    {1.40, 1.2},  {1.35, 1.2}, {1.40, 1.2},  {1.40, 1.2},  {1.40, 1.2},  {1.35, 1.2},  {1.35, 1.1},
    {1.35, 1.1},  {1.35, 1.1}, {1.30, 1.1},  {1.25, 1.0},  {1.15, 0.9},  {1.15, 0.9},  {1.15, 0.9},
    {1.90, 0.9},  {2.35, 2.0}, {2.00, 1.7},  {1.80, 1.5},  {1.55, 1.5},  {1.45, 1.35}, {1.45, 1.35},
    {1.35, 1.25}, {1.30, 1.2}, {1.35, 1.25}, {1.40, 1.3},  {1.60, 1.5},  {1.55, 1.5},  {1.55, 1.3},
    {1.45, 1.2},  {1.45, 1.2}, {1.40, 1.15}, {1.40, 1.15}, {2.10, 1.15}, {2.60, 2.5},  {2.15, 2.2},
    {1.95, 2.5},  {1.85, 1.5}, {1.85, 1.5},  {1.85, 1.5},  {1.85, 1.5},  {1.85, 1.5},  {1.85, 1.5},
    {1.80, 1.5},  {1.75, 1.5}, {1.75, 1.5},  {1.75, 1.5},  {1.75, 1.5},  {1.75, 1.5},  {1.75, 1.5},
    {1.75, 1.5},  {1.55, 1.5}, {1.45, 1.5},  {1.35, 1.5},  {1.35, 1.5},  {1.30, 1.5},  {1.35, 1.5},
    {1.35, 1.5},  {1.35, 1.5}, {1.50, 1.5},  {1.90, 1.5},  {1.80, 1.5},  {1.60, 1.5},  {1.90, 1.5},
    {1.45, 1.5},  {2.10, 1.5},
};

/* PySCF's levels: radii and points of a sphere by period. */
enum { LEVELS = 10, PERIODS = 7 };
static const short level_radii[LEVELS][PERIODS] = {
    {10, 15, 20, 30, 35, 40, 50},        {30, 40, 50, 60, 65, 70, 75},
    {40, 60, 65, 75, 80, 85, 90},        {50, 75, 80, 90, 95, 100, 105},
    {60, 90, 95, 105, 110, 115, 120},    {70, 105, 110, 120, 125, 130, 135},
    {80, 120, 125, 135, 140, 145, 150},  {90, 135, 140, 150, 155, 160, 165},
    {100, 150, 155, 165, 170, 175, 180}, {200, 200, 200, 200, 200, 200, 200},
};
static const short level_points[LEVELS][PERIODS] = {
    {50, 86, 110, 110, 110, 110, 110},          {110, 194, 194, 194, 194, 194, 194},
    {194, 302, 302, 302, 302, 302, 302},        {302, 302, 434, 434, 434, 434, 434},
    {434, 590, 590, 590, 590, 590, 590},        {590, 770, 770, 770, 770, 770, 770},
    {770, 974, 974, 974, 974, 974, 974},        {974, 1202, 1202, 1202, 1202, 1202, 1202},
    {1202, 1202, 1202, 1202, 1202, 1202, 1202}, {1454, 1454, 1454, 1454, 1454, 1454, 1454},
};

static int period_of(int element)
{
    static const int noble[PERIODS - 1] = {2, 10, 18, 36, 54, 86};
    int period = 0;
    while (period < PERIODS - 1 && element > noble[period]) {
        period++;
    }
    return period;
}

double tsl_scf_bragg(int element)
{
    return elements[element - 1].bragg;
}

/* 1 + x and 1 - x as squares of the half angle's cosine and sine, where they lose no digits. */
void tsl_scf_radii(int element, int n, double *radius, double *dr)
{
    const double scale = elements[element - 1].xi / log(2.0);
    const double step = M_PI / (n + 1);
    for (int i = 1; i <= n; i++) {
        const double half = 0.5 * i * step;
        const double above = 2 * cos(half) * cos(half);
        const double below = 2 * sin(half) * sin(half);
        const double power = scale * pow(above, 0.6);
        const double logarithm = 2 * log(sin(half)); /* of (1 - x) / 2 */
        radius[n - i] = -power * logarithm;
        dr[n - i] =
            step * 2 * sin(half) * cos(half) * power * (-0.6 / above * logarithm + 1 / below);
    }
}

/* Where in the list of rules one of so many points stands. */
static int rule_index(int points)
{
    return (int)(tsl_lebedev_find(points) - tsl_lebedev_rules);
}

/* NWChem's zones: a sphere's points by its radius in units of the atom's. */
static int pruned(int element, double radius, int points)
{
    static const double zones[3][4] = {
        {0.25, 0.5, 1.0, 4.5}, {0.1667, 0.5, 0.9, 3.5}, {0.1, 0.4, 0.8, 2.5}};
    static const double bohr = 0.52917721092; /* angstrom, as PySCF's radii have it */
    const double *limits = zones[element <= 2 ? 0 : element <= 10 ? 1 : 2];
    const double reduced = radius / (tsl_scf_bragg(element) / bohr);
    int zone = 0;
    if (points < 50) {
        return points;
    }
    for (int i = 0; i < 4; i++) {
        zone += reduced > limits[i];
    }
    if (points == 50) {
        static const int few[5] = {50, 74, 74, 74, 50};
        return few[zone];
    }
    const int full = rule_index(points);
    const int rules[5] = {rule_index(50), rule_index(86), full - 1, full, full - 1};
    return tsl_lebedev_rules[rules[zone]].points;
}

int tsl_scf_spheres(tsl_scf_sphere *out, int element, const tsl_scf_grid_options *options)
{
    double radius[TSL_SCF_GRID_MOST_RADII];
    double dr[TSL_SCF_GRID_MOST_RADII];
    const int period = period_of(element);
    const bool by_level = options->level >= 0;
    const int n = by_level ? level_radii[options->level][period] : options->radii;
    const int points = by_level ? level_points[options->level][period] : options->angular;
    tsl_scf_radii(element, n, radius, dr);
    for (int i = 0; i < n; i++) {
        out[i].radius = radius[i];
        out[i].weight = 4 * M_PI * radius[i] * radius[i] * dr[i];
        out[i].points = options->prune ? pruned(element, radius[i], points) : points;
    }
    return n;
}
