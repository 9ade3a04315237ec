/* Lebedev's rules from one point an orbit. */
#include "solvers/scf/grid/lebedev.h"

const tsl_lebedev_rule tsl_lebedev_rules[TSL_LEBEDEV_RULES] = {
#define LEBEDEV_RULE(points, degree, first, orbits) {points, degree, first, orbits},
#include "solvers/scf/grid/generated/lebedev_rules.inc"
#undef LEBEDEV_RULE
};

typedef struct orbit {
    int points;
    double weight;
    double at[3]; /* >= 0 */
} orbit;

static const orbit orbits[] = {
#define LEBEDEV_ORBIT(points, weight, x, y, z) {points, weight, {x, y, z}},
#include "solvers/scf/grid/generated/lebedev_rules.inc"
#undef LEBEDEV_ORBIT
};

const tsl_lebedev_rule *tsl_lebedev_find(int points)
{
    for (int i = 0; i < TSL_LEBEDEV_RULES; i++) {
        if (tsl_lebedev_rules[i].points == points) {
            return &tsl_lebedev_rules[i];
        }
    }
    return NULL;
}

/* All signs of one arrangement of an orbit's coordinates; a coordinate that is zero has one sign.
 * Returns how many points that are. */
static int write_signs(const double at[3], double *points)
{
    int count = 0;
    for (int signs = 0; signs < 8; signs++) {
        bool is_new = true;
        for (int axis = 0; axis < 3; axis++) {
            const bool negative = ((signs >> axis) & 1) != 0;
            is_new = is_new && !(negative && at[axis] == 0);
            points[3 * count + axis] = negative ? -at[axis] : at[axis];
        }
        count += is_new;
    }
    return count;
}

/* All points of an orbit: coordinates in every order that differs, with every sign. */
static int write_orbit(const orbit *o, double *points)
{
    static const int orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                     {1, 0, 2}, {0, 2, 1}, {2, 1, 0}};
    double seen[6][3];
    int arrangements = 0;
    int count = 0;
    for (int i = 0; i < 6; i++) {
        double *const at = seen[arrangements];
        bool is_new = true;
        for (int axis = 0; axis < 3; axis++) {
            at[axis] = o->at[orders[i][axis]];
        }
        for (int k = 0; k < arrangements; k++) {
            is_new = is_new && (seen[k][0] != at[0] || seen[k][1] != at[1] || seen[k][2] != at[2]);
        }
        if (is_new) {
            double signs[8 * 3];
            const int made = write_signs(at, signs);
            for (int k = 0; k < 3 * made; k++) {
                points[3 * count + k] = signs[k];
            }
            count += made;
            arrangements++;
        }
    }
    return count;
}

void tsl_lebedev_expand(const tsl_lebedev_rule *rule, double *points, double *weights)
{
    int count = 0;
    for (int i = 0; i < rule->orbits; i++) {
        const orbit *o = &orbits[rule->first + i];
        const int made = write_orbit(o, points + 3 * (int64_t)count);
        for (int k = 0; k < made; k++) {
            weights[count + k] = o->weight;
        }
        count += made;
    }
}
