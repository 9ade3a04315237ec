/* Atoms as the score of complementarity takes them: radius, charge, type, and whether a solvent
 * molecule reaches them. */
#include <math.h>
#include <string.h>

#include "core/context.h"
#include "io/molecule/molecule.h"
#include "solvers/dock/plan.h"
#include "solvers/dock/score/score.h"

/* The eighteen types of Zhang, Vasmatzis, Cornette & DeLisi (1997), table 1, by residue and atom.
 * Atoms of the backbone come last, under no residue. */
typedef struct atom_type {
    const char *residue, *names;
    int type;
} atom_type;

static const atom_type types[] = {
    {"GLY", "CA", 4},
    {"ARG", "CD", 11},
    {"ARG", "CG", 15},
    {"ARG", "NE", 11},
    {"ARG", "CZ NH1 NH2", 9},
    {"ASN", "CG OD1 ND2", 10},
    {"ASP", "CG OD1 OD2", 8},
    {"CYS", "SG", 17},
    {"GLN", "CG", 15},
    {"GLN", "CD OE1 NE2", 10},
    {"GLU", "CG", 15},
    {"GLU", "CD OE1 OE2", 8},
    {"HIS", "CG CD2 CE1 ND1 NE2", 13},
    {"ILE", "CD1 CG2", 16},
    {"ILE", "CG1", 15},
    {"LEU", "CD1 CD2", 16},
    {"LEU", "CG", 15},
    {"LYS", "CG", 15},
    {"LYS", "CD", 7},
    {"LYS", "CE NZ", 6},
    {"MET", "CE", 16},
    {"MET", "CG SD", 15},
    {"PHE", "CG CD1 CD2 CE1 CE2 CZ", 15},
    {"PRO", "CD CG", 5},
    {"SER", "CB OG", 12},
    {"THR", "OG1", 12},
    {"THR", "CG2", 15},
    {"TRP", "CG CD1 CD2 CE2 CE3 CH2 CZ2 CZ3", 15},
    {"TRP", "NE1", 13},
    {"TYR", "CG CD1 CD2", 15},
    {"TYR", "CE1 CE2 CZ", 14},
    {"TYR", "OH", 12},
    {"VAL", "CG1 CG2", 16},
    {"", "N", 0},
    {"", "CA", 1},
    {"", "C", 2},
    {"", "O OXT", 3},
    {"", "CB", 5},
};

/* Charges in TSL_SCORE_CHARGE: those of side chains whole, of the backbone the larger ones. */
static const struct {
    const char *residue, *names;
    int charge;
} charges[] = {
    {"ARG", "NH1 NH2", 10}, {"LYS", "NZ", 20}, {"ASP", "OD1 OD2", -10}, {"GLU", "OE1 OE2", -10},
    {"PRO", "N", 0},        {"", "N", 6},      {"", "O", -6},
};

static const char amino_acids[] = "ALA ARG ASN ASP CYS GLN GLU GLY HIS ILE LEU LYS MET PHE PRO SER "
                                  "THR TRP TYR VAL";

/* Is a word one of those that blanks part? */
static bool is_among(const char *words, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = words; length > 0 && (at = strstr(at, word)) != NULL; at += length) {
        if ((at == words || at[-1] == ' ') && (at[length] == '\0' || at[length] == ' ')) {
            return true;
        }
    }
    return false;
}

int tsl_score_type_of(const tsl_atom *atom)
{
    if (!is_among(amino_acids, atom->parent)) {
        return -1;
    }
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        const bool fits =
            types[i].residue[0] == '\0' || strcmp(types[i].residue, atom->parent) == 0;
        if (fits && is_among(types[i].names, atom->name)) {
            return types[i].type;
        }
    }
    return -1;
}

static int charge_of(const tsl_atom *atom)
{
    if (!is_among(amino_acids, atom->parent)) {
        return 0;
    }
    for (size_t i = 0; i < sizeof charges / sizeof *charges; i++) {
        const bool fits =
            charges[i].residue[0] == '\0' || strcmp(charges[i].residue, atom->parent) == 0;
        if (fits && is_among(charges[i].names, atom->name)) {
            return charges[i].charge;
        }
    }
    return 0;
}

/* Radii of atoms with their hydrogens, angstrom. */
static float radius_of(const char *element)
{
    static const struct {
        const char *element;
        float radius;
    } radii[] = {{"N", 1.65F}, {"O", 1.5F}, {"S", 1.9F}, {"C", 1.88F}};
    for (size_t i = 0; i < sizeof radii / sizeof *radii; i++) {
        if (strcmp(radii[i].element, element) == 0) {
            return radii[i].radius;
        }
    }
    return 1.88F;
}

/* ---- the surface --------------------------------------------------------------------------- */

enum { SPOTS = 92 };

/* Radius of a molecule of water, and the least area that makes an atom one of the surface. */
static const double probe = 1.4, least_area = 1.0;

/* Spots spread over a sphere of radius 1. */
static void spread_spots(double spots[SPOTS][3])
{
    for (int i = 0; i < SPOTS; i++) {
        const double z = 1 - 2 * (i + 0.5) / SPOTS;
        const double across = sqrt(1 - z * z);
        spots[i][0] = across * cos(2.399963 * i);
        spots[i][1] = across * sin(2.399963 * i);
        spots[i][2] = z;
    }
}

static double square_between(const float a[3], const double b[3])
{
    const double x = (double)a[0] - b[0], y = (double)a[1] - b[1], z = (double)a[2] - b[2];
    return x * x + y * y + z * z;
}

/* Neighbours whose solvent shell can reach an atom's; returns how many. */
static int neighbours_of(const tsl_score_atom *atoms, int64_t count, int64_t of, int *near)
{
    const double at[3] = {(double)atoms[of].position[0], (double)atoms[of].position[1],
                          (double)atoms[of].position[2]};
    int found = 0;
    for (int64_t j = 0; j < count; j++) {
        const double reach = (double)(atoms[of].radius + atoms[j].radius) + 2 * probe;
        const float along = atoms[j].position[0] - atoms[of].position[0];
        if (j != of && (double)fabsf(along) < reach &&
            square_between(atoms[j].position, at) < reach * reach) {
            near[found++] = (int)j;
        }
    }
    return found;
}

/* Area of an atom that a solvent molecule's middle reaches, angstrom^2. */
static double area_of(const tsl_score_atom *atoms, int64_t of, const int *near, int count,
                      double spots[SPOTS][3])
{
    const double radius = (double)atoms[of].radius + probe;
    int open = 0;
    for (int s = 0; s < SPOTS; s++) {
        double spot[3];
        bool covered = false;
        for (int axis = 0; axis < 3; axis++) {
            spot[axis] = (double)atoms[of].position[axis] + radius * spots[s][axis];
        }
        for (int j = 0; j < count && !covered; j++) {
            const double reach = (double)atoms[near[j]].radius + probe;
            covered = square_between(atoms[near[j]].position, spot) < reach * reach;
        }
        open += !covered;
    }
    return open * 4 * 3.14159265358979 * radius * radius / SPOTS;
}

static tsl_status find_surface(tsl_score_atom *atoms, int64_t count, tsl_context *context)
{
    double spots[SPOTS][3];
    int *near = tsl_allocate((size_t)(count * context->threads) * sizeof *near);
    if (near == NULL) {
        return tsl_fail_memory(context, count * (int64_t)sizeof *near, "a molecule's surface");
    }
    spread_spots(spots);
#pragma omp parallel for num_threads(context->threads) schedule(static)
    for (int part = 0; part < context->threads; part++) {
        int *own = near + part * count;
        for (int64_t i = part; i < count; i += context->threads) {
            const int found = neighbours_of(atoms, count, i, own);
            atoms[i].buried = area_of(atoms, i, own, found, spots) <= least_area;
        }
    }
    tsl_release(near);
    return TSL_OK;
}

tsl_status tsl_score_atoms(tsl_score_atom **out, tsl_context *context, const tsl_molecule *molecule,
                           const uint8_t *blocked)
{
    const int64_t count = molecule->count;
    double centre[3];
    tsl_score_atom *atoms = tsl_allocate_zeroed((size_t)count, sizeof *atoms);
    *out = atoms;
    if (atoms == NULL) {
        return tsl_fail_memory(context, count * (int64_t)sizeof *atoms, "a molecule's atoms");
    }
    tsl_dock_centre(molecule, centre);
    for (int64_t i = 0; i < count; i++) {
        tsl_score_atom *atom = &atoms[i];
        for (int axis = 0; axis < 3; axis++) {
            atom->position[axis] =
                (float)((float)molecule->positions[3 * i + axis] - (float)centre[axis]);
        }
        const tsl_atom *as_read = molecule->atoms != NULL ? &molecule->atoms[i] : NULL;
        atom->radius = radius_of(as_read != NULL ? as_read->element : "C");
        atom->type = as_read != NULL ? tsl_score_type_of(as_read) : -1;
        atom->charge = as_read != NULL ? charge_of(as_read)
                                       : (int)lrint(molecule->charges[i] / TSL_SCORE_CHARGE);
        atom->blocked = blocked != NULL && blocked[i];
    }
    const tsl_status status = find_surface(atoms, count, context);
    for (int64_t i = 0; i < count; i++) {
        atoms[i].clash_square = (float)((double)atoms[i].radius * (double)atoms[i].radius *
                                        (atoms[i].buried ? 1.5 : 0.8));
    }
    return status;
}
