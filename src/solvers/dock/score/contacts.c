/* Contact potentials between types of atoms, and their low-rank form. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "solvers/dock/score/score.h"

/* Atomic contact energies, kcal/mol: Zhang, Vasmatzis, Cornette & DeLisi, J. Mol. Biol. 267 (1997)
 * 707, table 2. Types: 0 N, 1 CA, 2 C, 3 O, 4 CA of glycine, 5 CB, 6 NZ of lysine, 7 CD of lysine,
 * 8 OD of aspartate, 9 NH of arginine, 10 ND of asparagine, 11 NE of arginine, 12 OG of serine,
 * 13 NE of histidine, 14 CZ of tyrosine, 15 CZ of phenylalanine, 16 CD of leucine, 17 SG. */
const double tsl_contact_table[TSL_CONTACT_TYPES][TSL_CONTACT_TYPES] = {
    {-0.724, -0.903, -0.722, -0.322, -0.331, -0.603, 1.147, 0.937, 0.752, 0.502, 0.405, 0.495, -0.116, -0.092, -0.412, -0.499, -1.005, -2.060},
    {-0.903, -0.842, -0.850, -0.332, -0.365, -0.531, 1.139, 0.918, 0.852, 0.452, 0.445, 0.436, -0.044, -0.165, -0.539, -0.590, -1.123, -2.028},
    {-0.722, -0.850, -0.704, -0.371, -0.308, -0.499, 1.140, 0.846, 0.788, 0.490, 0.408, 0.418, -0.045, -0.089, -0.415, -0.478, -0.963, -2.033},
    {-0.322, -0.332, -0.371, -0.016, 0.205, -0.059, 1.414, 1.075, 1.152, 0.831, 0.758, 0.649, 0.383, 0.241, -0.073, -0.166, -0.650, -1.650},
    {-0.331, -0.365, -0.308, 0.205, 0.182, -0.009, 1.502, 1.385, 1.192, 0.912, 0.872, 0.943, 0.434, 0.392, -0.062, -0.021, -0.342, -1.212},
    {-0.603, -0.531, -0.499, -0.059, -0.009, -0.469, 1.310, 1.010, 0.859, 0.671, 0.591, 0.565, 0.122, 0.000, -0.438, -0.533, -1.034, -1.800},
    {1.147, 1.139, 1.140, 1.414, 1.502, 1.310, 3.018, 2.911, 1.157, 2.635, 1.848, 2.699, 1.587, 1.557, 1.004, 1.340, 1.252, 0.700},
    {0.937, 0.918, 0.846, 1.075, 1.385, 1.010, 2.911, 2.811, 0.989, 2.439, 1.622, 2.525, 1.361, 1.277, 0.685, 0.938, 0.814, 0.411},
    {0.752, 0.852, 0.788, 1.152, 1.192, 0.859, 1.157, 0.989, -1.978, 0.695, 1.386, 0.641, 1.002, 0.642, 0.618, 0.894, 0.792, -0.029},
    {0.502, 0.452, 0.490, 0.831, 0.912, 0.671, 2.635, 2.439, 0.695, 1.589, 1.395, 1.515, 1.022, 0.948, 0.457, 0.707, 0.586, 0.021},
    {0.405, 0.445, 0.408, 0.758, 0.872, 0.591, 1.848, 1.622, 1.386, 1.395, 1.300, 1.283, 0.931, 0.829, 0.484, 0.633, 0.389, -0.046},
    {0.495, 0.436, 0.418, 0.649, 0.943, 0.565, 2.699, 2.525, 0.641, 1.515, 1.283, 1.309, 0.921, 0.777, 0.265, 0.484, 0.274, -0.253},
    {-0.116, -0.044, -0.045, 0.383, 0.434, 0.122, 1.587, 1.361, 1.002, 1.022, 0.931, 0.921, 0.559, 0.319, 0.301, 0.212, -0.155, -0.949},
    {-0.092, -0.165, -0.089, 0.241, 0.392, 0.000, 1.557, 1.277, 0.642, 0.948, 0.829, 0.777, 0.319, -0.301, -0.159, -0.132, -0.338, -1.324},
    {-0.412, -0.539, -0.415, -0.073, -0.062, -0.438, 1.004, 0.685, 0.618, 0.457, 0.484, 0.265, 0.301, -0.159, -0.314, -0.478, -0.964, -1.410},
    {-0.499, -0.590, -0.478, -0.166, -0.021, -0.533, 1.340, 0.938, 0.894, 0.707, 0.633, 0.484, 0.212, -0.132, -0.478, -0.687, -1.240, -1.784},
    {-1.005, -1.123, -0.963, -0.650, -0.342, -1.034, 1.252, 0.814, 0.792, 0.586, 0.389, 0.274, -0.155, -0.338, -0.964, -1.240, -1.873, -2.402},
    {-2.060, -2.028, -2.033, -1.650, -1.212, -1.800, 0.700, 0.411, -0.029, 0.021, -0.046, -0.253, -0.949, -1.324, -1.410, -1.784, -2.402, -3.742},
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
