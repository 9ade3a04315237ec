/* Contact potentials between types of atoms, and their low-rank form. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "solvers/dock/score/score.h"

/* -ln of the share of a pair of types among contacts of native complexes over its share among those
 * of decoys, as `bench/dock/rank.py fit` prints it (table.all.txt): 115 complexes of the docking
 * benchmark 5 (Vreven et al., J. Mol. Biol. 427 (2015) 3031), 16 decoys of each, docked by shape
 * alone. The types are those of Zhang, Vasmatzis, Cornette & DeLisi, J. Mol. Biol. 267 (1997) 707:
 * 0 N, 1 CA, 2 C, 3 O, 4 CA of glycine, 5 CB, 6 NZ of lysine, 7 CD of lysine, 8 OD of aspartate, 9
 * NH of arginine, 10 ND of asparagine, 11 NE of arginine, 12 OG of serine, 13 NE of histidine, 14
 * CZ of tyrosine, 15 CZ of phenylalanine, 16 CD of leucine, 17 SG of cysteine, each with its like.
 */
const double tsl_contact_table[TSL_CONTACT_TYPES][TSL_CONTACT_TYPES] = {
    {0.091, 0.114, 0.098, 0.165, 0.254, 0.162, 0.561, 0.571, 0.660, -0.069, 0.362, -0.050, 0.028,
     -0.321, -0.885, -0.437, -0.601, -0.830},
    {0.114, 0.107, 0.142, 0.198, 0.208, 0.155, 0.581, 0.561, 0.692, -0.023, 0.280, 0.053, -0.002,
     -0.316, -0.891, -0.414, -0.571, -0.740},
    {0.098, 0.142, 0.112, 0.175, 0.172, 0.156, 0.569, 0.571, 0.635, -0.109, 0.337, -0.046, 0.039,
     -0.269, -0.861, -0.439, -0.609, -0.667},
    {0.165, 0.198, 0.175, 0.191, 0.154, 0.148, 0.526, 0.449, 0.629, -0.144, 0.290, -0.125, 0.035,
     -0.242, -0.820, -0.414, -0.567, -0.602},
    {0.254, 0.208, 0.172, 0.154, -0.070, 0.114, 0.445, 0.416, 0.353, -0.253, 0.491, -0.183, 0.267,
     -0.111, -0.685, -0.419, -0.491, -0.243},
    {0.162, 0.155, 0.156, 0.148, 0.114, 0.091, 0.557, 0.687, 0.583, 0.009, 0.227, 0.103, -0.051,
     -0.372, -0.939, -0.421, -0.524, -0.330},
    {0.561, 0.581, 0.569, 0.526, 0.445, 0.557, 1.451, 2.054, 0.348, 1.241, 0.757, 1.377, 0.446,
     0.483, -0.362, 0.314, 0.177, 0.462},
    {0.571, 0.561, 0.571, 0.449, 0.416, 0.687, 2.054, 2.784, 0.452, 1.638, 1.065, 1.947, 0.330,
     0.434, -0.341, 0.256, 0.087, -0.364},
    {0.660, 0.692, 0.635, 0.629, 0.353, 0.583, 0.348, 0.452, 0.988, -0.241, 0.497, -0.136, 0.114,
     -0.003, -0.357, 0.246, 0.271, 0.806},
    {-0.069, -0.023, -0.109, -0.144, -0.253, 0.009, 1.241, 1.638, -0.241, 0.827, 0.249, 0.912,
     0.052, -0.226, -0.630, -0.301, -0.239, 0.117},
    {0.362, 0.280, 0.337, 0.290, 0.491, 0.227, 0.757, 1.065, 0.497, 0.249, 0.531, 0.355, 0.144,
     0.646, -0.811, -0.110, -0.311, 0.844},
    {-0.050, 0.053, -0.046, -0.125, -0.183, 0.103, 1.377, 1.947, -0.136, 0.912, 0.355, 0.901, 0.136,
     -0.305, -0.779, -0.423, -0.148, 0.397},
    {0.028, -0.002, 0.039, 0.035, 0.267, -0.051, 0.446, 0.330, 0.114, 0.052, 0.144, 0.136, 0.115,
     -0.209, -0.558, -0.276, -0.477, -0.011},
    {-0.321, -0.316, -0.269, -0.242, -0.111, -0.372, 0.483, 0.434, -0.003, -0.226, 0.646, -0.305,
     -0.209, -0.412, -0.466, -0.523, -0.842, -0.715},
    {-0.885, -0.891, -0.861, -0.820, -0.685, -0.939, -0.362, -0.341, -0.357, -0.630, -0.811, -0.779,
     -0.558, -0.466, -0.826, -1.035, -1.442, -0.537},
    {-0.437, -0.414, -0.439, -0.414, -0.419, -0.421, 0.314, 0.256, 0.246, -0.301, -0.110, -0.423,
     -0.276, -0.523, -1.035, -0.729, -1.061, -0.475},
    {-0.601, -0.571, -0.609, -0.567, -0.491, -0.524, 0.177, 0.087, 0.271, -0.239, -0.311, -0.148,
     -0.477, -0.842, -1.442, -1.061, -1.377, -0.472},
    {-0.830, -0.740, -0.667, -0.602, -0.243, -0.330, 0.462, -0.364, 0.806, 0.117, 0.844, 0.397,
     -0.011, -0.715, -0.537, -0.475, -0.472, 0.000},
};

enum { TYPES = TSL_CONTACT_TYPES, SWEEPS = 60 };

/* One rotation of Jacobi's method: zero a[p][q]. */
static void rotate(double a[TYPES][TYPES], double v[TYPES][TYPES], int p, int q)
{
    if (a[p][q] == 0) {
        return;
    }
    const double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
    const double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
    const double c = 1 / sqrt(t * t + 1), s = t * c;
    for (int i = 0; i < TYPES; i++) {
        const double x = a[i][p], y = a[i][q];
        a[i][p] = c * x - s * y;
        a[i][q] = s * x + c * y;
    }
    for (int i = 0; i < TYPES; i++) {
        const double x = a[p][i], y = a[q][i];
        a[p][i] = c * x - s * y;
        a[q][i] = s * x + c * y;
    }
    for (int i = 0; i < TYPES; i++) {
        const double x = v[i][p], y = v[i][q];
        v[i][p] = c * x - s * y;
        v[i][q] = s * x + c * y;
    }
}

/* Eigenvalues on a's diagonal, eigenvectors in v's columns. */
static void diagonalise(double a[TYPES][TYPES], double v[TYPES][TYPES])
{
    for (int i = 0; i < TYPES; i++) {
        for (int j = 0; j < TYPES; j++) {
            v[i][j] = i == j;
        }
    }
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        for (int p = 0; p < TYPES; p++) {
            for (int q = p + 1; q < TYPES; q++) {
                rotate(a, v, p, q);
            }
        }
    }
}

/* The eigenvalue of largest size that is not taken yet. */
static int next_largest(double a[TYPES][TYPES], const bool *taken)
{
    int best = -1;
    for (int i = 0; i < TYPES; i++) {
        if (!taken[i] && (best < 0 || fabs(a[i][i]) > fabs(a[best][best]))) {
            best = i;
        }
    }
    return best;
}

tsl_contact_factors tsl_contact_factorise(const double *table)
{
    double a[TYPES][TYPES], v[TYPES][TYPES];
    bool taken[TYPES] = {false};
    tsl_contact_factors out;
    memcpy(a, table, sizeof a);
    diagonalise(a, v);
    for (int k = 0; k < TSL_CONTACT_RANK; k++) {
        const int which = next_largest(a, taken);
        taken[which] = true;
        for (int i = 0; i < TYPES; i++) {
            out.ligand[k][i] = v[i][which];
            out.receptor[k][i] = a[which][which] * v[i][which];
        }
    }
    return out;
}
