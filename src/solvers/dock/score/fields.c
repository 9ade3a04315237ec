/* The receptor's fields and the ligand's values, all of them integers: positions in 2^-10 angstrom,
 * and every sum in whole numbers, so that they are the same whoever makes them. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "solvers/dock/score/score.h"

enum {
    POSITION_BITS = 10,  /* of an angstrom */
    SQUARE_STEPS = 16,   /* entries of the table of potentials for each angstrom^2 */
    SCREENING_BITS = 16, /* of 1 / (eps r) there */
    CONTACT_BITS = 4,    /* of a contact's field before it is rounded */
    FIELDS_OF_SUMS = TSL_TERM_CLASH
};

/* Lengths, angstrom: how far beyond an atom's radius pairs count; contacts; the end of
 * electrostatics. */
static const double pair_reach = 3.6, contact_reach = 6.0, charge_reach = 15.0;

/* A clash is a volume, in cells of this edge, angstrom. */
static const double usual_spacing = 1.2;

/* A clash is 3 in a core's cell and 1 in a surface's, and its product counts 9 times. */
enum { CLASH_CORE = 3, CLASH_SURFACE = 1, CLASH_PRODUCT = 9 };

static int64_t fixed(double length)
{
    return llrint(ldexp(length, POSITION_BITS));
}

/* Squares of lengths in 2^-20 angstrom^2. */
static int64_t fixed_square(double square)
{
    return llrint(ldexp(square, 2 * POSITION_BITS));
}

/* A field that 16 bits do not hold. */
static bool is_beyond(int64_t value)
{
    return value > INT16_MAX || value < -INT16_MAX;
}

static int16_t clamped(int64_t value)
{
    return (int16_t)(value > INT16_MAX ? INT16_MAX : value < -INT16_MAX ? -INT16_MAX : value);
}

/* An atom as the planes see it. */
typedef struct source {
    int64_t at[3];
    int64_t clash, pairs; /* squares within which it clashes, and pairs count */
    int32_t contact[TSL_CONTACT_RANK];
    int clash_value;
    int charge;
    int pair_value;
    bool has_contacts;
} source;

/* What all planes have in common. */
typedef struct making {
    int grid;
    const source *sources;
    int64_t count;
    int64_t *centres;   /* [grid]: of cells along an axis */
    int32_t *screening; /* by square, [charge_reach^2 * SQUARE_STEPS + 1] */
    double charge_factor;
    int clash_factor;
} making;

typedef void (*visit)(const making *m, const source *s, int64_t square, int32_t *cell);

/* All cells of plane x within a square of an atom. */
static void visit_cells(const making *m, const source *s, int x, int64_t largest, visit what,
                        int32_t *plane)
{
    const int n = m->grid;
    const int64_t dx = m->centres[x] - s->at[0];
    if (dx * dx > largest) {
        return;
    }
    const int64_t step = m->centres[1] - m->centres[0];
    const int64_t reach = (int64_t)sqrt((double)(largest - dx * dx)) + step;
    int from[2], to[2];
    for (int axis = 0; axis < 2; axis++) {
        const int64_t low = (s->at[axis + 1] - reach - m->centres[0]) / step;
        const int64_t high = (s->at[axis + 1] + reach - m->centres[0]) / step + 1;
        from[axis] = low < 0 ? 0 : (int)low;
        to[axis] = high >= n ? n - 1 : (int)high;
    }
    for (int y = from[0]; y <= to[0]; y++) {
        const int64_t dy = m->centres[y] - s->at[1];
        const int64_t across = dx * dx + dy * dy;
        for (int z = from[1]; z <= to[1] && across <= largest; z++) {
            const int64_t dz = m->centres[z] - s->at[2];
            if (across + dz * dz <= largest) {
                what(m, s, across + dz * dz, plane + ((int64_t)y * n + z) * TSL_TERMS);
            }
        }
    }
}

static void add_clash(const making *m, const source *s, int64_t square, int32_t *cell)
{
    (void)m;
    (void)square;
    cell[TSL_TERM_CLASH] =
        s->clash_value > cell[TSL_TERM_CLASH] ? s->clash_value : cell[TSL_TERM_CLASH];
}

static void add_pair(const making *m, const source *s, int64_t square, int32_t *cell)
{
    (void)m;
    (void)square;
    cell[TSL_TERM_PAIRS] += cell[TSL_TERM_CLASH] == 0 ? s->pair_value : 0;
}

static void add_charge(const making *m, const source *s, int64_t square, int32_t *cell)
{
    const int shift = 2 * POSITION_BITS - 4; /* 2^4 = SQUARE_STEPS */
    cell[TSL_TERM_CHARGE] +=
        cell[TSL_TERM_CLASH] == 0 ? s->charge * m->screening[square >> shift] : 0;
}

static void add_contact(const making *m, const source *s, int64_t square, int32_t *cell)
{
    (void)m;
    (void)square;
    for (int k = 0; k < TSL_CONTACT_RANK; k++) {
        cell[TSL_TERM_CONTACT + k] += s->contact[k];
    }
}

/* The fields of a cell from its sums. Do they hold them? Pairs do: no protein has 128 atoms within
 * reach of a cell. */
static bool round_cell(const making *m, const int32_t *sums, int16_t *of)
{
    const int64_t charge = llrint(m->charge_factor * sums[TSL_TERM_CHARGE]);
    const int64_t clash = (int64_t)m->clash_factor * sums[TSL_TERM_CLASH];
    bool beyond = is_beyond(charge) || is_beyond(clash);
    of[TSL_TERM_PAIRS] = clamped((int64_t)sums[TSL_TERM_PAIRS] * (1 << TSL_SCORE_BITS));
    of[TSL_TERM_CHARGE] = clamped(charge);
    for (int k = TSL_TERM_CONTACT; k < TSL_TERM_CONTACT + TSL_CONTACT_RANK; k++) {
        const int64_t contact = (sums[k] + (1 << (CONTACT_BITS - 1))) >> CONTACT_BITS;
        of[k] = clamped(contact);
        beyond = beyond || is_beyond(contact);
    }
    of[TSL_TERM_CLASH] = clamped(clash);
    return !beyond;
}

/* The fields of plane x. Returns the number of cells whose fields do not hold their sums. */
static int64_t make_plane(const making *m, int x, int32_t *plane, tsl_terms *fields)
{
    const int64_t cells = (int64_t)m->grid * m->grid;
    const int64_t far = fixed_square(charge_reach * charge_reach);
    const int64_t near = fixed_square(contact_reach * contact_reach);
    memset(plane, 0, (size_t)cells * TSL_TERMS * sizeof *plane);
    for (int64_t i = 0; i < m->count; i++) {
        visit_cells(m, &m->sources[i], x, m->sources[i].clash, add_clash, plane);
    }
    for (int64_t i = 0; i < m->count; i++) {
        const source *s = &m->sources[i];
        visit_cells(m, s, x, s->pairs, add_pair, plane);
        if (s->charge != 0) {
            visit_cells(m, s, x, far, add_charge, plane);
        }
        if (s->has_contacts) {
            visit_cells(m, s, x, near, add_contact, plane);
        }
    }
    int64_t beyond = 0;
    for (int64_t i = 0; i < cells; i++) {
        beyond += !round_cell(m, plane + i * TSL_TERMS, fields[i].of);
    }
    return beyond;
}

/* ---- the receptor -------------------------------------------------------------------------- */

static source source_of(const tsl_score_atom *atom, const tsl_score_weights *weights)
{
    const double reach = (double)atom->radius + pair_reach;
    source s = {.clash = fixed_square((double)atom->clash_square),
                .pairs = fixed_square(reach * reach),
                .clash_value = atom->buried ? CLASH_CORE : CLASH_SURFACE,
                .charge = atom->blocked ? 0 : atom->charge,
                .pair_value = atom->blocked ? -1 : 1,
                .has_contacts = atom->type >= 0 && !atom->blocked};
    for (int axis = 0; axis < 3; axis++) {
        s.at[axis] = fixed((double)atom->position[axis]);
    }
    for (int k = 0; k < TSL_CONTACT_RANK && s.has_contacts; k++) {
        const double unit = (double)(1 << (TSL_SCORE_BITS + CONTACT_BITS)) / TSL_VALUE_UNIT;
        s.contact[k] =
            (int32_t)lrint(-weights->contacts * unit * weights->factors.receptor[k][atom->type]);
    }
    return s;
}

static void tabulate_screening(int32_t *table)
{
    const int entries = (int)(charge_reach * charge_reach) * SQUARE_STEPS;
    for (int i = 0; i <= entries; i++) {
        const double r = sqrt((i + 0.5) / SQUARE_STEPS);
        table[i] = (int32_t)lrint(ldexp(1 / tsl_dock_screening(r), SCREENING_BITS));
    }
}

static void measure_norms(const tsl_terms *fields, int64_t cells, double norms[TSL_TERMS],
                          const making *m, int64_t counts[2])
{
    int64_t squares[TSL_TERMS] = {0};
    counts[0] = counts[1] = 0;
    for (int64_t i = 0; i < cells; i++) {
        for (int t = 0; t < TSL_TERMS; t++) {
            squares[t] += (int64_t)fields[i].of[t] * fields[i].of[t];
        }
        counts[0] += fields[i].of[TSL_TERM_CLASH] == m->clash_factor * CLASH_SURFACE;
        counts[1] += fields[i].of[TSL_TERM_CLASH] == m->clash_factor * CLASH_CORE;
    }
    for (int t = 0; t < TSL_TERMS; t++) {
        norms[t] = sqrt((double)squares[t]);
    }
}

tsl_status tsl_score_fields(tsl_context *context, int grid, float spacing,
                            const tsl_score_atom *atoms, int64_t count,
                            const tsl_score_weights *weights, tsl_terms *fields,
                            double norms[TSL_TERMS], int64_t cells[2])
{
    const int64_t plane = (int64_t)grid * grid;
    const size_t entries = (size_t)(charge_reach * charge_reach) * SQUARE_STEPS + 1;
    source *sources = tsl_allocate((size_t)count * sizeof *sources);
    int64_t *centres = tsl_allocate((size_t)grid * sizeof *centres);
    int32_t *screening = tsl_allocate(entries * sizeof *screening);
    int32_t *planes = tsl_allocate((size_t)(plane * context->threads) * TSL_TERMS * sizeof *planes);
    tsl_status status = TSL_OK;
    if (sources == NULL || centres == NULL || screening == NULL || planes == NULL) {
        status = tsl_fail_memory(context, plane * context->threads * TSL_TERMS * 4,
                                 "the receptor's fields");
    } else {
        const making m = {
            .grid = grid,
            .sources = sources,
            .count = count,
            .centres = centres,
            .screening = screening,
            .charge_factor =
                -weights->electrostatics * TSL_COULOMB *
                ldexp(TSL_SCORE_CHARGE * TSL_SCORE_CHARGE, TSL_SCORE_BITS - SCREENING_BITS),
            .clash_factor = (int)lrint(-weights->clash * CLASH_PRODUCT * (1 << TSL_SCORE_BITS) *
                                       pow((double)spacing / usual_spacing, 3))};
        for (int i = 0; i < grid; i++) {
            centres[i] = fixed((i + 0.5 - grid / 2) * (double)spacing);
        }
        for (int64_t i = 0; i < count; i++) {
            sources[i] = source_of(&atoms[i], weights);
        }
        tabulate_screening(screening);
        int64_t beyond = 0;
#pragma omp parallel for num_threads(context->threads) schedule(static) reduction(+ : beyond)
        for (int part = 0; part < context->threads; part++) {
            for (int x = part; x < grid; x += context->threads) {
                beyond += make_plane(&m, x, planes + part * plane * TSL_TERMS, fields + x * plane);
            }
        }
        if (beyond > 0) {
            status = tsl_fail(context, TSL_E_ARG,
                              "the score's fields have 16 bits, too few for %" PRId64
                              " cells of %g angstrom with weights of clash %g, electrostatics %g "
                              "and contacts %g: give smaller weights or narrower cells",
                              beyond, (double)spacing, weights->clash, weights->electrostatics,
                              weights->contacts);
        }
        measure_norms(fields, plane * grid, norms, &m, cells);
    }
    tsl_release(planes);
    tsl_release(screening);
    tsl_release(centres);
    tsl_release(sources);
    return status;
}

/* ---- the ligand ---------------------------------------------------------------------------- */

void tsl_score_values(const tsl_score_atom *atoms, int64_t count, const tsl_score_weights *weights,
                      tsl_terms *values)
{
    for (int64_t i = 0; i < count; i++) {
        const tsl_score_atom *atom = &atoms[i];
        int16_t *of = values[i].of;
        memset(of, 0, sizeof values[i].of);
        of[TSL_TERM_PAIRS] = atom->blocked ? -1 : 1;
        of[TSL_TERM_CHARGE] = (int16_t)(atom->blocked ? 0 : atom->charge);
        for (int k = 0; k < TSL_CONTACT_RANK && atom->type >= 0 && !atom->blocked; k++) {
            of[TSL_TERM_CONTACT + k] =
                clamped(lrint(TSL_VALUE_UNIT * weights->factors.ligand[k][atom->type]));
        }
        of[TSL_TERM_CLASH] = atom->buried ? CLASH_CORE : CLASH_SURFACE;
    }
}

void tsl_score_value_norms(const tsl_score_atom *atoms, int64_t count, const tsl_terms *values,
                           float spacing, double norms[TSL_TERMS])
{
    /* No two atoms farther apart than a cell's diagonal share a cell. */
    const double reach = 1.001 * sqrt(3.0) * (double)spacing + 1e-3;
    int64_t squares[TSL_TERMS] = {0};
    for (int64_t i = 0; i < count; i++) {
        for (int64_t j = 0; j <= i; j++) {
            double square = 0;
            for (int axis = 0; axis < 3; axis++) {
                const double d = (double)(atoms[i].position[axis] - atoms[j].position[axis]);
                square += d * d;
            }
            for (int t = 0; t < TSL_TERM_CLASH && square < reach * reach; t++) {
                const int product = abs(values[i].of[t] * values[j].of[t]);
                squares[t] += i == j ? product : 2 * product;
            }
        }
    }
    for (int t = 0; t < TSL_TERMS; t++) {
        norms[t] = sqrt((double)squares[t]);
    }
}
