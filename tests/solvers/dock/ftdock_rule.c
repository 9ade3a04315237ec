#include "solvers/dock/ftdock_rule.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- molecules ---------------------------------------------------------------------------- */

static rule_molecule make(int64_t count)
{
    rule_molecule m = {.count = count};
    m.positions = calloc((size_t)count, sizeof *m.positions);
    m.charges = calloc((size_t)count, sizeof *m.charges);
    return m;
}

static float radius_of(const rule_molecule *m)
{
    float largest = 0;
    for (int64_t i = 0; i < m->count; i++) {
        const float *p = m->positions[i];
        const float xx = p[0] * p[0];
        const float yy = p[1] * p[1];
        const float zz = p[2] * p[2];
        const float xy = xx + yy;
        const float square = xy + zz;
        largest = square > largest ? square : largest;
    }
    return (float)sqrt((double)largest);
}

rule_molecule rule_read(const tsl_molecule *molecule)
{
    rule_molecule m = make(tsl_molecule_count(molecule));
    for (int axis = 0; axis < 3; axis++) {
        float sum = 0;
        for (int64_t i = 0; i < m.count; i++) {
            m.positions[i][axis] = (float)tsl_molecule_positions(molecule)[3 * i + axis];
            sum += m.positions[i][axis];
        }
        const float mean = sum / (float)m.count;
        for (int64_t i = 0; i < m.count; i++) {
            m.positions[i][axis] -= mean;
        }
    }
    for (int64_t i = 0; i < m.count; i++) {
        m.charges[i] = (float)tsl_molecule_charges(molecule)[i];
    }
    m.radius = radius_of(&m);
    return m;
}

/* Turn (u, v) by an angle. The cosine, the sine and the sum are in double precision. */
static void turn(float *u, float *v, int degrees)
{
    const double c = cos(0.017453293 * degrees);
    const double s = sin(0.017453293 * degrees);
    const float turned_u = (float)((double)*u * c - (double)*v * s);
    const float turned_v = (float)((double)*u * s + (double)*v * c);
    *u = turned_u;
    *v = turned_v;
}

rule_molecule rule_turn(const rule_molecule *molecule, int twist, int theta, int phi)
{
    rule_molecule m = make(molecule->count);
    m.radius = molecule->radius;
    for (int64_t i = 0; i < m.count; i++) {
        float *p = m.positions[i];
        memcpy(p, molecule->positions[i], sizeof m.positions[i]);
        m.charges[i] = molecule->charges[i];
        turn(&p[0], &p[1], twist);
        turn(&p[2], &p[0], theta);
        turn(&p[0], &p[1], phi);
    }
    return m;
}

void rule_free(rule_molecule *molecule)
{
    free(molecule->positions);
    free(molecule->charges);
    *molecule = (rule_molecule){0};
}

/* ---- grids -------------------------------------------------------------------------------- */

float rule_span(const rule_molecule *receptor, const rule_molecule *ligand)
{
    const float both = receptor->radius + ligand->radius;
    const float twice = both * 2;
    return 1 + twice;
}

static float edge_of_cell(const rule_grid *g)
{
    return g->span / (float)g->n;
}

float rule_centre(const rule_grid *g, int cell)
{
    const float half = g->span / 2;
    return (float)(((double)cell + .5) * (double)edge_of_cell(g) - (double)half);
}

static int cell_of(const rule_grid *g, float position)
{
    const float cells = position / edge_of_cell(g);
    const int cell = (int)cells + g->n / 2;
    return position < 0 ? cell - 1 : cell;
}

static float distance(const float a[3], const float b[3])
{
    const float x = a[0] - b[0];
    const float y = a[1] - b[1];
    const float z = a[2] - b[2];
    const float xx = x * x;
    const float yy = y * y;
    const float zz = z * z;
    const float xy = xx + yy;
    const float square = xy + zz;
    return (float)sqrt((double)square);
}

/* Cells to either side of one that are looked at. */
static int steps(const rule_grid *g, float length)
{
    const float cells = length / edge_of_cell(g);
    return (int)((double)cells + 1.5);
}

static int at_least(int a, int bound)
{
    return a < bound ? bound : a;
}

static int at_most(int a, int bound)
{
    return a > bound ? bound : a;
}

static int64_t place(const rule_grid *g, int x, int y, int z)
{
    return ((int64_t)x * g->n + y) * g->n + z;
}

void rule_fill(uint8_t *cells, const rule_grid *g, const rule_molecule *molecule)
{
    const float radius = 1.8F;
    const int around = steps(g, radius);
    memset(cells, 0, (size_t)(place(g, g->n, 0, 0)));
    for (int64_t i = 0; i < molecule->count; i++) {
        const float *p = molecule->positions[i];
        int low[3], high[3];
        for (int axis = 0; axis < 3; axis++) {
            const int own = cell_of(g, p[axis]);
            low[axis] = at_least(own - around, 0);
            high[axis] = at_most(own + around, g->n - 1);
        }
        for (int x = low[0]; x <= high[0]; x++) {
            for (int y = low[1]; y <= high[1]; y++) {
                for (int z = low[2]; z <= high[2]; z++) {
                    const float centre[3] = {rule_centre(g, x), rule_centre(g, y),
                                             rule_centre(g, z)};
                    if (distance(p, centre) < radius) {
                        cells[place(g, x, y, z)] = 1;
                    }
                }
            }
        }
    }
}

/* Is an empty cell of the grid nearer than `surface` to this one? */
static bool sees_an_empty_cell(const rule_grid *g, const uint8_t *cells, float surface, int x,
                               int y, int z)
{
    const int n = g->n;
    const int around = steps(g, surface);
    const float edge = edge_of_cell(g);
    const float limit = surface * surface;
    for (int u = at_least(x - around, 0); u <= at_most(x + around, n - 1); u++) {
        for (int v = at_least(y - around, 0); v <= at_most(y + around, n - 1); v++) {
            for (int w = at_least(z - around, 0); w <= at_most(z + around, n - 1); w++) {
                const int square = (u - x) * (u - x) + (v - y) * (v - y) + (w - z) * (w - z);
                const float once = (float)square * edge;
                const float twice = once * edge;
                if (cells[place(g, u, v, w)] == 0 && twice < limit) {
                    return true;
                }
            }
        }
    }
    return false;
}

void rule_surface(int *shape, const rule_grid *g, const uint8_t *cells, float surface, int core)
{
    for (int x = 0; x < g->n; x++) {
        for (int y = 0; y < g->n; y++) {
            for (int z = 0; z < g->n; z++) {
                const int64_t at = place(g, x, y, z);
                const bool filled = cells[at] != 0;
                const bool outer = filled && sees_an_empty_cell(g, cells, surface, x, y, z);
                shape[at] = !filled ? 0 : outer ? 1 : core;
            }
        }
    }
}

int64_t rule_score(const rule_grid *g, const int *shape, const uint8_t *cells, const int shift[3])
{
    int64_t score = 0;
    const int n = g->n;
    for (int x = 0; x < n; x++) {
        for (int y = 0; y < n; y++) {
            for (int z = 0; z < n; z++) {
                if (cells[place(g, x, y, z)] != 0) {
                    score += shape[place(g, (x + shift[0] + n) % n, (y + shift[1] + n) % n,
                                         (z + shift[2] + n) % n)];
                }
            }
        }
    }
    return score;
}

/* ---- electrostatics ----------------------------------------------------------------------- */

static float permittivity(float r)
{
    const float slope = 38 * r;
    const float between = slope - 224;
    return r >= 8 ? 80 : r <= 6 ? 4 : between;
}

void rule_potential(float *potential, const rule_grid *g, const rule_molecule *molecule,
                    const int *shape, int core)
{
    for (int x = 0; x < g->n; x++) {
        for (int y = 0; y < g->n; y++) {
            for (int z = 0; z < g->n; z++) {
                const float centre[3] = {rule_centre(g, x), rule_centre(g, y), rule_centre(g, z)};
                float phi = 0;
                for (int64_t i = 0; i < molecule->count; i++) {
                    if (molecule->charges[i] != 0) {
                        float r = distance(molecule->positions[i], centre);
                        r = r < 2 ? 2 : r;
                        const float screening = permittivity(r) * r;
                        const float term = molecule->charges[i] / screening;
                        phi += term;
                    }
                }
                const int64_t at = place(g, x, y, z);
                potential[at] = shape[at] == core ? 0 : phi;
            }
        }
    }
}

double rule_energy(const rule_grid *g, const float *potential, const rule_molecule *ligand,
                   const int shift[3])
{
    const int n = g->n;
    const float edge = edge_of_cell(g);
    const float half_edge = edge / 2;
    const float half_span = g->span / 2;
    double energy = 0;
    for (int64_t i = 0; i < ligand->count; i++) {
        const float *p = ligand->positions[i];
        int low[3];
        float offset[3];
        if (ligand->charges[i] == 0) {
            continue;
        }
        for (int axis = 0; axis < 3; axis++) {
            low[axis] = cell_of(g, p[axis] - half_edge);
            /* half the span is taken away, where it should be added */
            offset[axis] = (float)((double)p[axis] - ((double)low[axis] + .5) * (double)edge -
                                   (double)half_span - (double)half_edge);
        }
        for (int corner = 0; corner < 8; corner++) {
            int at[3];
            float side[3], arm[3];
            for (int axis = 0; axis < 3; axis++) {
                const int high = corner >> (2 - axis) & 1;
                at[axis] = (low[axis] + high + shift[axis] + n) % n;
                side[axis] = high ? half_edge : -half_edge;
                arm[axis] = side[axis] + offset[axis];
            }
            const float two = arm[0] * arm[1];
            const float three = two * arm[2];
            const float weight = (float)((double)three / (8.0 * (double)side[0] * (double)side[1] *
                                                          (double)side[2]));
            const float charge = weight * ligand->charges[i];
            energy += (double)charge * (double)potential[place(g, at[0], at[1], at[2])];
        }
    }
    return energy;
}
