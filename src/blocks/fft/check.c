/* Verification of measured transforms against sums. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "blocks/fft/dft_point.h"
#include "blocks/fft/measure.h"

enum { MOST_TERMS = 256 }; /* summed before they are added to the rest, to keep rounding small */

typedef struct pair {
    double re, im;
} pair;

/* ---- input -------------------------------------------------------------------------------- */

/* Bits of cell `cell` of transform `t` (Steele, Lea and Flood 2014: the finalizer of splitmix64).
 */
static uint64_t bits_of(int64_t t, int64_t cell)
{
    uint64_t z = (uint64_t)t * UINT64_C(0xd1342543de82ef95) +
                 (uint64_t)(cell + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Two numbers of 23 bits, which single precision holds. */
static pair value_of(int64_t t, int64_t cell)
{
    const uint64_t bits = bits_of(t, cell);
    const double scale = 1.0 / (1 << 22);
    return (pair){(double)(bits >> 41) * scale - 1, (double)(bits & ((1 << 23) - 1)) * scale - 1};
}

/* A case's input, cell by cell. */
typedef struct source {
    const tsl_fft_case *what;
    tsl_fft_side side;
    bool backward;
} source;

static source source_of(const tsl_fft_case *what)
{
    return (source){what, tsl_fft_side_of(what, false), what->kind == TSL_FFT_REAL_BACKWARD};
}

/* The row that holds the mirror images (-k) of `row`'s cells. */
static int64_t mirrored_row(const source *s, int64_t row)
{
    const int64_t n = s->what->n;
    int64_t mirrored = 0;
    for (int64_t axis = 1, part = 1; axis < s->what->dimension; axis++, part *= n) {
        mirrored += (n - row / part % n) % n * part;
    }
    return mirrored;
}

/* Is cell x of a half-complex row its own mirror image, or that of another stored cell? */
static bool is_mirrored(const source *s, int64_t x)
{
    return x == 0 || 2 * x == s->what->n;
}

/* Cell x of a row of transform t. Spectra of reals have X(-k) = conj X(k). */
static pair input_at(const source *s, int64_t t, int64_t row, int64_t x)
{
    const int64_t cell = row * s->side.row + x;
    pair value = value_of(t, cell);
    if (s->side.is_real) {
        value.im = 0;
    } else if (s->backward && is_mirrored(s, x)) {
        const int64_t mirrored = mirrored_row(s, row);
        if (mirrored < row) {
            value = value_of(t, mirrored * s->side.row + x);
            value.im = -value.im;
        } else if (mirrored == row) {
            value.im = 0;
        }
    }
    return value;
}

/* Where cell `cell` of transform t stands. */
static int64_t place_of(const tsl_fft_side *side, int64_t t, int64_t cell)
{
    return t / side->lines * side->pitch + t % side->lines * side->distance + cell * side->stride;
}

static void put(void *host, const tsl_fft_side *side, bool single, int64_t place, pair value)
{
    const int parts = side->is_real ? 1 : 2;
    const double both[2] = {value.re, value.im};
    for (int i = 0; i < parts; i++) {
        if (single) {
            ((float *)host)[parts * place + i] = (float)both[i];
        } else {
            ((double *)host)[parts * place + i] = both[i];
        }
    }
}

static pair get(const void *host, const tsl_fft_side *side, bool single, int64_t place)
{
    const int parts = side->is_real ? 1 : 2;
    double both[2] = {0, 0};
    for (int i = 0; i < parts; i++) {
        both[i] = single ? (double)((const float *)host)[parts * place + i]
                         : ((const double *)host)[parts * place + i];
    }
    return (pair){both[0], both[1]};
}

void tsl_fft_write_input(void *host, const tsl_fft_case *what)
{
    const source s = source_of(what);
    const bool single = what->precision == TSL_SINGLE;
    memset(host, 0, (size_t)s.side.bytes);
    for (int64_t t = 0; t < what->batch; t++) {
        for (int64_t row = 0; row < s.side.cells / s.side.row; row++) {
            for (int64_t x = 0; x < s.side.row; x++) {
                put(host, &s.side, single, place_of(&s.side, t, row * s.side.row + x),
                    input_at(&s, t, row, x));
            }
        }
    }
}

/* ---- output ------------------------------------------------------------------------------- */

/* How often a cell of a half-complex side counts: it stands for its mirror image too. */
static double weight_of(const tsl_fft_case *what, const tsl_fft_side *side, int64_t x)
{
    return side->row == what->n || x == 0 || 2 * x == what->n ? 1 : 2;
}

/* The definition at the output's cell (at[0], at[1], at[2]), slowest axis first, and sum |x|^2 of
 * the input. `roots` has exp(-2 pi i k / n). */
static pair transform_at(double *energy, const source *s, const pair *roots, int64_t t,
                         const int64_t at[3])
{
    const int64_t n = s->what->n;
    const double sign = s->backward ? -1 : 1;
    pair sum = {0, 0};
    *energy = 0;
    for (int64_t row = 0; row < s->side.cells / s->side.row; row++) {
        int64_t turn = (row / n * at[0] + row % n * at[1]) % n;
        pair part = {0, 0};
        double part_energy = 0;
        for (int64_t x = 0; x < s->side.row; x++) {
            const pair v = input_at(s, t, row, x);
            const double weight = weight_of(s->what, &s->side, x);
            const double re = weight * roots[turn].re, im = sign * weight * roots[turn].im;
            part.re += v.re * re - v.im * im;
            part.im += v.re * im + v.im * re;
            part_energy += weight * (v.re * v.re + v.im * v.im);
            turn += at[2];
            turn -= turn >= n ? n : 0;
            if (x % MOST_TERMS == MOST_TERMS - 1 || x == s->side.row - 1) {
                sum.re += part.re;
                sum.im += part.im;
                *energy += part_energy;
                part = (pair){0, 0};
                part_energy = 0;
            }
        }
    }
    if (s->backward) {
        sum.im = 0; /* the mirror images' */
    }
    return sum;
}

/* sum |X|^2 of transform t of the output. */
static double energy_of(const void *output, const tsl_fft_case *what, const tsl_fft_side *side,
                        int64_t t)
{
    const bool single = what->precision == TSL_SINGLE;
    double energy = 0, part = 0;
    for (int64_t cell = 0; cell < side->cells; cell++) {
        const pair v = get(output, side, single, place_of(side, t, cell));
        part += weight_of(what, side, cell % side->row) * (v.re * v.re + v.im * v.im);
        if (cell % MOST_TERMS == MOST_TERMS - 1 || cell == side->cells - 1) {
            energy += part;
            part = 0;
        }
    }
    return energy;
}

/* The larger, where not a number is larger than any. */
static double larger(double a, double b)
{
    return a > b || isnan(a) ? a : b;
}

/* Error of transform t, looked at in `probes` cells. */
static double error_of(const void *output, const source *s, const tsl_fft_side *side,
                       const pair *roots, int64_t t, int probes)
{
    const int64_t n = s->what->n;
    double worst = 0, energy = 0;
    for (int probe = 0; probe < probes; probe++) {
        const int64_t cell = (int64_t)(bits_of(t, -2 - probe) % (uint64_t)side->cells);
        const int64_t row = cell / side->row;
        const int64_t at[3] = {row / n, row % n, cell % side->row};
        const pair wanted = transform_at(&energy, s, roots, t, at);
        const pair found =
            get(output, side, s->what->precision == TSL_SINGLE, place_of(side, t, cell));
        const double off = hypot(found.re - wanted.re, found.im - wanted.im);
        worst = larger(worst, off / sqrt(energy));
    }
    const double whole = pow((double)n, s->what->dimension) * energy;
    return larger(worst, fabs(energy_of(output, s->what, side, t) / whole - 1));
}

tsl_status tsl_fft_find_error(double *error, tsl_context *context, const void *output,
                              const tsl_fft_case *what)
{
    const source s = source_of(what);
    const tsl_fft_side side = tsl_fft_side_of(what, true);
    pair *roots = tsl_allocate((size_t)what->n * sizeof *roots);
    if (roots == NULL) {
        return tsl_fail_memory(context, what->n * (int64_t)sizeof *roots, "roots of unity");
    }
    for (int k = 0; k < what->n; k++) {
        tsl_unit_root(k, what->n, &roots[k].re, &roots[k].im);
        roots[k].im = -roots[k].im;
    }
    *error = 0;
    for (int64_t t = 0; t < what->batch; t++) {
        const int probes = t == 0 || t == what->batch - 1 ? 4 : 1;
        *error = larger(*error, error_of(output, &s, &side, roots, t, probes));
    }
    tsl_release(roots);
    return TSL_OK;
}

double tsl_fft_error_bound(const tsl_fft_case *what)
{
    const double epsilon = what->precision == TSL_SINGLE ? FLT_EPSILON : DBL_EPSILON;
    return 20 * epsilon * (1 + what->dimension * log2(what->n));
}
