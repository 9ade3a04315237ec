/* The score of complementarity: a sum of products of the receptor's fields with the ligand's atoms.
 *
 *     S = P - w_c C - w_e E - w_d D
 *
 * P counts pairs of atoms near each other, C is the clash, E the electrostatic energy in kcal/mol,
 * D the sum of contact potentials; tesela/dock.h has the formulas. Each is linear in the ligand, so
 * that S is a correlation of several terms (blocks/convolve). All numbers are integers:
 *
 *     2^8 S = sum over atoms of sum_t field_t(cell of the atom) value_t(atom)
 *           + sum over cells of the ligand's clash of field_CLASH(cell) value(cell)
 *
 * and a pose's score is this over 2^3, rounded. The transform only says which cells are worth
 * summing: rank.c.
 */
#ifndef TSL_DOCK_SCORE_H
#define TSL_DOCK_SCORE_H

#include "solvers/dock/dock_point.h"
#include "tesela/context.h"
#include "tesela/molecule.h"

enum {
    TSL_TERM_PAIRS = 0,   /* value 1, or -1 of a blocked atom */
    TSL_TERM_CHARGE = 1,  /* value: charge in TSL_SCORE_CHARGE */
    TSL_TERM_CONTACT = 2, /* and the next ones: TSL_CONTACT_RANK products */
    TSL_CONTACT_RANK = 5,
    TSL_TERM_CLASH = 7, /* value 1 or 3 of a cell */
    TSL_TERMS = 8,
    TSL_CONTACT_TYPES = 18,
    TSL_SCORE_BITS = 8,  /* of S in a sum */
    TSL_SCORE_SHIFT = 3, /* from a sum to a score */
    /* The least score of a pose. It is above a transform's error, so that a transform takes all
     * cells that reach it for more than 0. */
    TSL_SCORE_LEAST = 4096,
    TSL_VALUE_UNIT = 64 /* of a contact's value */
};

#define TSL_SCORE_CHARGE 0.05 /* e */

/* Where the clash of an atom ends: of a buried one at sqrt(3/2) of its radius, of one at the
 * surface at sqrt(4/5). The largest, of sulphur, angstrom. */
#define TSL_CLASH_LARGEST 2.3271

/* One number of each term: a cell's fields, or an atom's values; of the latter the last is the
 * clash of its cells. */
typedef struct tsl_terms {
    int16_t of[TSL_TERMS];
} tsl_terms;

/* What an atom is to the score. */
typedef struct tsl_score_atom {
    float position[3]; /* from the molecule's centre, angstrom */
    float radius;
    float clash_square; /* of the distance within which it clashes, angstrom^2 */
    int charge;         /* TSL_SCORE_CHARGE */
    int type;           /* 0 to 17; -1: none */
    int buried;
    int blocked;
} tsl_score_atom;

/* A ligand on the device. */
typedef struct tsl_score_ligand {
    int64_t count;
    float *positions;        /* [count][3] */
    float *squares;          /* [count]: clash_square */
    tsl_terms *values;       /* [count] */
    int reach;               /* cells to either side of its own in which an atom clashes */
    double norms[TSL_TERMS]; /* bounds on the boxes' norms; that of the clash is found each time */
} tsl_score_ligand;

/* What a batch of rotations has on the device besides what all scores have. */
typedef struct tsl_score_batch {
    void *memory;
    int64_t bytes;
    int given;         /* terms whose boxes are made: all, or the clash alone and lists of points */
    int32_t *boxes;    /* [batch][given][box]^3 */
    int32_t *heads;    /* [batch][box]^2: the first atom of a row of the box, -1: none; NULL: all
                          terms have boxes */
    int32_t *next;     /* [batch][atoms]: the next atom of its row, -1: none; NULL with `heads` */
    int32_t *places;   /* [batch][atoms]: tsl_place_of() */
    int32_t *clashes;  /* [batch][box^3]: tsl_place_of() of clashing cells, with TSL_PLACE_TRIPLE */
    int *clash_counts; /* [batch] */
    int64_t *squares;  /* [batch]: of the clash box's norm */
    int64_t *scores;   /* [candidates] */
    int64_t *energies; /* [candidates]: the term TSL_TERM_CHARGE alone */
} tsl_score_batch;

/* A cell of a box of at most 1024 cells a side as one number, and the mark of a value of 3. */
enum { TSL_PLACE_TRIPLE = 1 << 30 };

TSL_FN int32_t tsl_place_of(int x, int y, int z)
{
    return x << 20 | y << 10 | z;
}

/* Where a cell of the box is in the grid, moved by a translation. */
TSL_FN int64_t tsl_place_moved(int32_t place, int first, int grid, const int shift[3])
{
    const int x = tsl_dock_wrap(first + (place >> 20 & 1023) + shift[0], grid);
    const int y = tsl_dock_wrap(first + (place >> 10 & 1023) + shift[1], grid);
    const int z = tsl_dock_wrap(first + (place & 1023) + shift[2], grid);
    return ((int64_t)x * grid + y) * grid + z;
}

/* An atom's share of a sum; *charge receives that of the electrostatic term. */
TSL_FN int64_t tsl_terms_product(const tsl_terms *field, const tsl_terms *value, int64_t *charge)
{
    int64_t sum = 0;
    TSL_UNROLL
    for (int t = 0; t < TSL_TERM_CLASH; t++) {
        const int product = field->of[t] * value->of[t];
        sum += product;
        *charge += t == TSL_TERM_CHARGE ? product : 0;
    }
    return sum;
}

/* A sum as a score. */
TSL_FN int64_t tsl_score_of_sum(int64_t sum)
{
    return (sum + (1 << (TSL_SCORE_SHIFT - 1))) >> TSL_SCORE_SHIFT;
}

/* ---- molecules (atoms.c) ------------------------------------------------------------------- */

/* Atoms as the score takes them, [tsl_molecule_count()]. `blocked`: per atom, or NULL. The caller
 * releases them. */
tsl_status tsl_score_atoms(tsl_score_atom **out, tsl_context *context, const tsl_molecule *molecule,
                           const uint8_t *blocked);

struct tsl_atom;
/* An atom's type, 0 to 17; -1: none. */
int tsl_score_type_of(const struct tsl_atom *atom);

/* ---- contact potentials (contacts.c) ------------------------------------------------------- */

/* A table as products: table[i][j] = sum_k receptor[k][i] ligand[k][j] as nearly as that many
 * products can. */
typedef struct tsl_contact_factors {
    double receptor[TSL_CONTACT_RANK][TSL_CONTACT_TYPES];
    double ligand[TSL_CONTACT_RANK][TSL_CONTACT_TYPES];
} tsl_contact_factors;

extern const double tsl_contact_table[TSL_CONTACT_TYPES][TSL_CONTACT_TYPES];
tsl_contact_factors tsl_contact_factorise(const double *table);

/* ---- fields (fields.c) --------------------------------------------------------------------- */

/* Weights of the terms. */
typedef struct tsl_score_weights {
    double clash, electrostatics, contacts;
    tsl_contact_factors factors;
} tsl_score_weights;

/* The receptor's fields, [grid]^3, and their norms. `cells` receives the numbers of surface and
 * core cells. */
tsl_status tsl_score_fields(tsl_context *context, int grid, float spacing,
                            const tsl_score_atom *atoms, int64_t count,
                            const tsl_score_weights *weights, tsl_terms *fields,
                            double norms[TSL_TERMS], int64_t cells[2]);

/* The ligand's values. */
void tsl_score_values(const tsl_score_atom *atoms, int64_t count, const tsl_score_weights *weights,
                      tsl_terms *values);

/* Bounds on the norms of the boxes that values make in any orientation. */
void tsl_score_value_norms(const tsl_score_atom *atoms, int64_t count, const tsl_terms *values,
                           float spacing, double norms[TSL_TERMS]);

/* kcal/mol angstrom / e^2 */
#define TSL_COULOMB 332.0

#endif
