#include "solvers/dock/quality.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/core.h"

enum { BACKBONE = 4 };

static const char *const backbone[BACKBONE] = {"CA", "C", "N", "O"};

/* Two residues that correspond: where their atoms are. */
typedef struct match {
    int64_t docked, bound; /* first atoms */
    int docked_count, bound_count;
} match;

/* The residues of one molecule. */
typedef struct side {
    const tsl_molecule *docked, *bound;
    match *at; /* [count] */
    int64_t count;
    bool *near; /* [count]: within 10 angstrom of the other molecule in the native complex */
} side;

struct tsl_native {
    side sides[2];
    int64_t native_contacts; /* pairs of residues, of those without a match too */
    bool *contacts;          /* [first's count][second's count]: of matches */
    int larger;              /* which side's backbone is superposed */
};

static const double contact_reach = 5, interface_reach = 10;

/* Share of a sequence that another has to have in common to be taken for it: a short one finds half
 * of its residues, in their order, in any long one. */
static const double least_alike = 0.7;

/* ---- residues ------------------------------------------------------------------------------ */

/* First atoms of a molecule's residues, [residues + 1]. */
static int64_t *residue_starts(const tsl_molecule *molecule, int64_t *count)
{
    int64_t *starts = tsl_allocate((size_t)(molecule->count + 1) * sizeof *starts);
    *count = 0;
    for (int64_t i = 0; i < molecule->count && starts != NULL; i++) {
        if (i == 0 || molecule->atoms[i].residue_index != molecule->atoms[i - 1].residue_index) {
            starts[(*count)++] = i;
        }
    }
    if (starts != NULL) {
        starts[*count] = molecule->count;
    }
    return starts;
}

/* The best alignment of two sequences of residues by Gotoh's recurrences: states 0 both go on, 1 a
 * gap in the second, 2 a gap in the first. */
typedef struct alignment {
    const tsl_molecule *molecules[2];
    const int64_t *starts[2];
    int64_t counts[2];
    double *score; /* [counts[0] + 1][counts[1] + 1][3] */
} alignment;

static double *score_at(const alignment *a, int64_t i, int64_t j)
{
    return a->score + 3 * (i * (a->counts[1] + 1) + j);
}

static bool is_same(const alignment *a, int64_t i, int64_t j)
{
    return strcmp(a->molecules[0]->atoms[a->starts[0][i]].parent,
                  a->molecules[1]->atoms[a->starts[1][j]].parent) == 0;
}

static double largest_of(const double *three)
{
    return fmax(fmax(three[0], three[1]), three[2]);
}

static void fill_alignment(const alignment *a)
{
    const double opens = -4, extends = -0.5;
    for (int64_t i = 0; i <= a->counts[0]; i++) {
        for (int64_t j = 0; j <= a->counts[1]; j++) {
            double *s = score_at(a, i, j);
            s[0] = i == 0 && j == 0 ? 0 : -INFINITY;
            s[1] = s[2] = -INFINITY;
            if (i > 0 && j > 0) {
                s[0] = largest_of(score_at(a, i - 1, j - 1)) + (is_same(a, i - 1, j - 1) ? 5 : 0);
            }
            if (i > 0) {
                const double *up = score_at(a, i - 1, j);
                s[1] = fmax(fmax(up[0], up[2]) + opens, up[1] + extends);
            }
            if (j > 0) {
                const double *left = score_at(a, i, j - 1);
                s[2] = fmax(fmax(left[0], left[1]) + opens, left[2] + extends);
            }
        }
    }
}

/* From the end back to the beginning: pairs of equal residues. */
static void trace_back(const alignment *a, side *out)
{
    int64_t i = a->counts[0], j = a->counts[1];
    const double *s = score_at(a, i, j);
    int state = s[0] >= s[1] && s[0] >= s[2] ? 0 : s[1] >= s[2] ? 1 : 2;
    out->count = 0;
    while (i > 0 || j > 0) {
        const double *from;
        const double here = score_at(a, i, j)[state];
        if (state == 0) {
            i--;
            j--;
            if (is_same(a, i, j)) {
                out->at[out->count++] =
                    (match){.docked = a->starts[0][i],
                            .bound = a->starts[1][j],
                            .docked_count = (int)(a->starts[0][i + 1] - a->starts[0][i]),
                            .bound_count = (int)(a->starts[1][j + 1] - a->starts[1][j])};
            }
            from = score_at(a, i, j);
            state = from[0] >= from[1] && from[0] >= from[2] ? 0 : from[1] >= from[2] ? 1 : 2;
        } else {
            const int gap = state;
            i -= gap == 1;
            j -= gap == 2;
            from = score_at(a, i, j);
            state = from[gap] - 0.5 == here                        ? gap
                    : from[0] >= from[3 - gap] || i == 0 || j == 0 ? 0
                                                                   : 3 - gap;
            state = i == 0 && j > 0 ? 2 : j == 0 && i > 0 ? 1 : state;
        }
    }
}

static tsl_status match_side(side *s, tsl_context *context, const tsl_molecule *docked,
                             const tsl_molecule *bound)
{
    int64_t counts[2];
    int64_t *const starts[2] = {residue_starts(docked, &counts[0]),
                                residue_starts(bound, &counts[1])};
    const size_t cells = (size_t)(counts[0] + 1) * (size_t)(counts[1] + 1);
    double *score = tsl_allocate(3 * cells * sizeof *score);
    s->docked = docked;
    s->bound = bound;
    s->at = tsl_allocate((size_t)(counts[0] + 1) * sizeof *s->at);
    s->near = tsl_allocate_zeroed((size_t)(counts[0] + 1), sizeof *s->near);
    tsl_status status = TSL_OK;
    if (starts[0] == NULL || starts[1] == NULL || score == NULL || s->at == NULL ||
        s->near == NULL) {
        status = tsl_fail_memory(context, (int64_t)(24 * cells), "an alignment");
    } else {
        const alignment a = {.molecules = {docked, bound},
                             .starts = {starts[0], starts[1]},
                             .counts = {counts[0], counts[1]},
                             .score = score};
        fill_alignment(&a);
        trace_back(&a, s);
        const int64_t shorter = counts[0] < counts[1] ? counts[0] : counts[1];
        status = (double)s->count >= least_alike * (double)shorter
                     ? TSL_OK
                     : tsl_fail(context, TSL_E_ARG,
                                "only %" PRId64 " of %" PRId64
                                " residues are alike in the docked molecule and the native "
                                "complex's: check which chains are which",
                                s->count, shorter);
    }
    tsl_release(starts[0]);
    tsl_release(starts[1]);
    tsl_release(score);
    return status;
}

/* ---- contacts ------------------------------------------------------------------------------ */

/* Square of the least distance between atoms of two residues. */
static double least_square(const double *a, int count_a, const double *b, int count_b)
{
    double least = INFINITY;
    for (int i = 0; i < count_a; i++) {
        for (int j = 0; j < count_b; j++) {
            const double x = a[3 * i] - b[3 * j], y = a[3 * i + 1] - b[3 * j + 1],
                         z = a[3 * i + 2] - b[3 * j + 2];
            least = fmin(least, x * x + y * y + z * z);
        }
    }
    return least;
}

static double native_square(const tsl_native *n, int64_t i, int64_t j)
{
    const match *a = &n->sides[0].at[i], *b = &n->sides[1].at[j];
    return least_square(n->sides[0].bound->positions + 3 * a->bound, a->bound_count,
                        n->sides[1].bound->positions + 3 * b->bound, b->bound_count);
}

static tsl_status find_contacts(tsl_native *n, tsl_context *context)
{
    side *a = &n->sides[0], *b = &n->sides[1];
    int64_t counts[2];
    int64_t *const starts[2] = {residue_starts(a->bound, &counts[0]),
                                residue_starts(b->bound, &counts[1])};
    n->contacts = tsl_allocate((size_t)(a->count * b->count) * sizeof *n->contacts);
    if (starts[0] == NULL || starts[1] == NULL || n->contacts == NULL) {
        tsl_release(starts[0]);
        tsl_release(starts[1]);
        return tsl_fail_memory(context, a->count * b->count, "contacts of residues");
    }
    for (int64_t i = 0; i < counts[0] * counts[1]; i++) {
        const int64_t p = starts[0][i / counts[1]], q = starts[1][i % counts[1]];
        const int in_p = (int)(starts[0][i / counts[1] + 1] - p);
        const int in_q = (int)(starts[1][i % counts[1] + 1] - q);
        n->native_contacts +=
            least_square(a->bound->positions + 3 * p, in_p, b->bound->positions + 3 * q, in_q) <
            contact_reach * contact_reach;
    }
    tsl_release(starts[0]);
    tsl_release(starts[1]);
    for (int64_t i = 0; i < a->count; i++) {
        for (int64_t j = 0; j < b->count; j++) {
            const double square = native_square(n, i, j);
            n->contacts[i * b->count + j] = square < contact_reach * contact_reach;
            a->near[i] |= square < interface_reach * interface_reach;
            b->near[j] |= square < interface_reach * interface_reach;
        }
    }
    return n->native_contacts > 0
               ? TSL_OK
               : tsl_fail(context, TSL_E_ARG,
                          "the native complex has no residues within %g angstrom of each other: "
                          "check which chains are which",
                          contact_reach);
}

void tsl_native_destroy(tsl_native *n)
{
    for (int i = 0; i < 2 && n != NULL; i++) {
        tsl_release(n->sides[i].at);
        tsl_release(n->sides[i].near);
    }
    if (n != NULL) {
        tsl_release(n->contacts);
        tsl_release(n);
    }
}

/* ---- superposition -------------------------------------------------------------------------- */

/* Sums over pairs of points p (moving) and q (fixed). */
typedef struct sums {
    double count, p[3], q[3], pq[3][3], square;
} sums;

static void add_pair(sums *s, const double p[3], const double q[3])
{
    s->count++;
    for (int i = 0; i < 3; i++) {
        s->p[i] += p[i];
        s->q[i] += q[i];
        s->square += p[i] * p[i] + q[i] * q[i];
        for (int j = 0; j < 3; j++) {
            s->pq[i][j] += p[i] * q[j];
        }
    }
}

/* The eigenvector of the largest eigenvalue of a symmetric 4 x 4 matrix, by Jacobi's rotations. */
static double largest_eigenvector(double a[4][4], double vector[4])
{
    double v[4][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
    for (int sweep = 0; sweep < 30; sweep++) {
        for (int p = 0; p < 4; p++) {
            for (int q = p + 1; q < 4; q++) {
                if (a[p][q] == 0) {
                    continue;
                }
                const double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
                const double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
                const double c = 1 / sqrt(t * t + 1), s = t * c;
                for (int i = 0; i < 4; i++) {
                    const double x = a[i][p], y = a[i][q], u = v[i][p], w = v[i][q];
                    a[i][p] = c * x - s * y;
                    a[i][q] = s * x + c * y;
                    v[i][p] = c * u - s * w;
                    v[i][q] = s * u + c * w;
                }
                for (int i = 0; i < 4; i++) {
                    const double x = a[p][i], y = a[q][i];
                    a[p][i] = c * x - s * y;
                    a[q][i] = s * x + c * y;
                }
            }
        }
    }
    int best = 0;
    for (int i = 1; i < 4; i++) {
        best = a[i][i] > a[best][best] ? i : best;
    }
    for (int i = 0; i < 4; i++) {
        vector[i] = v[i][best];
    }
    return a[best][best];
}

/* The motion that lays the points p on q with the least squares (Horn 1987), and the RMSD then. */
static double superpose(const sums *s, double motion[3][4])
{
    double m[3][3], centred = s->square, quaternion[4];
    for (int i = 0; i < 3; i++) {
        centred -= (s->p[i] * s->p[i] + s->q[i] * s->q[i]) / s->count;
        for (int j = 0; j < 3; j++) {
            m[i][j] = s->pq[i][j] - s->p[i] * s->q[j] / s->count;
        }
    }
    double a[4][4] = {
        {m[0][0] + m[1][1] + m[2][2], m[1][2] - m[2][1], m[2][0] - m[0][2], m[0][1] - m[1][0]},
        {0, m[0][0] - m[1][1] - m[2][2], m[0][1] + m[1][0], m[2][0] + m[0][2]},
        {0, 0, -m[0][0] + m[1][1] - m[2][2], m[1][2] + m[2][1]},
        {0, 0, 0, -m[0][0] - m[1][1] + m[2][2]}};
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < i; j++) {
            a[i][j] = a[j][i];
        }
    }
    const double largest = largest_eigenvector(a, quaternion);
    const double w = quaternion[0], x = quaternion[1], y = quaternion[2], z = quaternion[3];
    const double r[3][3] = {
        {w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)},
        {2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)},
        {2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z}};
    for (int i = 0; i < 3; i++) {
        motion[i][3] = s->q[i] / s->count;
        for (int j = 0; j < 3; j++) {
            motion[i][j] = r[i][j];
            motion[i][3] -= r[i][j] * s->p[j] / s->count;
        }
    }
    return sqrt(fmax(0, centred - 2 * largest) / s->count);
}

static void move(const double motion[3][4], const double from[3], double to[3])
{
    for (int i = 0; i < 3; i++) {
        to[i] =
            motion[i][0] * from[0] + motion[i][1] * from[1] + motion[i][2] * from[2] + motion[i][3];
    }
}

/* ---- a pose -------------------------------------------------------------------------------- */

/* The atom of a name among a residue's; -1: none. */
static int64_t atom_named(const tsl_molecule *molecule, int64_t first, int count, const char *name)
{
    for (int64_t i = first; i < first + count; i++) {
        if (strcmp(molecule->atoms[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

static const double still[3][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}};

/* Called with a backbone atom's place in the pose and in the native complex. */
typedef void (*visit)(void *user, const double docked[3], const double bound[3]);

static void visit_backbone(const side *s, bool of_interface, const double motion[3][4], visit what,
                           void *user)
{
    for (int64_t i = 0; i < s->count; i++) {
        const match *m = &s->at[i];
        for (int k = 0; k < BACKBONE && (s->near[i] || !of_interface); k++) {
            const int64_t docked = atom_named(s->docked, m->docked, m->docked_count, backbone[k]);
            const int64_t bound = atom_named(s->bound, m->bound, m->bound_count, backbone[k]);
            if (docked >= 0 && bound >= 0) {
                double at[3];
                move(motion, s->docked->positions + 3 * docked, at);
                what(user, at, s->bound->positions + 3 * bound);
            }
        }
    }
}

static void visit_sum(void *user, const double docked[3], const double bound[3])
{
    add_pair(user, docked, bound);
}

/* Squares of distances after a motion. */
typedef struct residual {
    double motion[3][4], square, count;
} residual;

static void visit_residual(void *user, const double docked[3], const double bound[3])
{
    residual *r = user;
    double at[3];
    move((const double(*)[4])r->motion, docked, at);
    for (int i = 0; i < 3; i++) {
        r->square += (at[i] - bound[i]) * (at[i] - bound[i]);
    }
    r->count++;
}

static void visit_count(void *user, const double docked[3], const double bound[3])
{
    (void)docked;
    (void)bound;
    ++*(int64_t *)user;
}

/* Refuse molecules without atoms of the backbone, for which no RMSD is defined. */
static tsl_status check_backbones(const tsl_native *n, tsl_context *context)
{
    static const char *const names[] = {"receptor", "ligand"};
    for (int i = 0; i < 2; i++) {
        int64_t all = 0, of_interface = 0;
        visit_backbone(&n->sides[i], false, still, visit_count, &all);
        visit_backbone(&n->sides[i], true, still, visit_count, &of_interface);
        if (all == 0 || of_interface == 0) {
            return tsl_fail(context, TSL_E_ARG,
                            "the %s has no backbone atom (CA, C, N, O) %sthat the native complex "
                            "has too: only proteins can be compared",
                            names[i], all > 0 ? "of the interface " : "");
        }
    }
    return TSL_OK;
}

tsl_status tsl_native_create(tsl_native **out, tsl_context *context,
                             const tsl_molecule *const docked[2],
                             const tsl_molecule *const bound[2])
{
    tsl_native *n = tsl_allocate_zeroed(1, sizeof *n);
    if (n == NULL) {
        return tsl_fail_memory(context, sizeof *n, "a native complex");
    }
    tsl_status status = TSL_OK;
    for (int i = 0; i < 2 && status == TSL_OK; i++) {
        status = match_side(&n->sides[i], context, docked[i], bound[i]);
    }
    if (status == TSL_OK) {
        status = find_contacts(n, context);
    }
    n->larger = bound[0]->residues > bound[1]->residues ? 0 : 1;
    if (status == TSL_OK) {
        status = check_backbones(n, context);
    }
    if (status != TSL_OK) {
        tsl_native_destroy(n);
        return status;
    }
    *out = n;
    return TSL_OK;
}

/* Share of the native contacts that the pose has. */
static double share_kept(const tsl_native *n, const double motion[3][4])
{
    const side *a = &n->sides[0], *b = &n->sides[1];
    int64_t kept = 0;
    for (int64_t i = 0; i < a->count * b->count; i++) {
        if (!n->contacts[i]) {
            continue;
        }
        const match *p = &a->at[i / b->count], *q = &b->at[i % b->count];
        double least = INFINITY;
        for (int k = 0; k < q->docked_count; k++) {
            double at[3];
            move(motion, b->docked->positions + 3 * (q->docked + k), at);
            least = fmin(
                least, least_square(a->docked->positions + 3 * p->docked, p->docked_count, at, 1));
        }
        kept += least < contact_reach * contact_reach;
    }
    return (double)kept / (double)n->native_contacts;
}

tsl_quality tsl_native_judge(const tsl_native *n, const double motion[3][4])
{
    sums interface = {0}, larger = {0};
    residual rest = {.square = 0};
    double unused[3][4];
    const int other = 1 - n->larger;
    visit_backbone(&n->sides[0], true, still, visit_sum, &interface);
    visit_backbone(&n->sides[1], true, motion, visit_sum, &interface);
    visit_backbone(&n->sides[n->larger], false, n->larger == 0 ? still : motion, visit_sum,
                   &larger);
    superpose(&larger, rest.motion);
    visit_backbone(&n->sides[other], false, other == 0 ? still : motion, visit_residual, &rest);
    tsl_quality q = {.fnat = share_kept(n, motion),
                     .interface_rmsd = superpose(&interface, unused),
                     .ligand_rmsd = sqrt(rest.square / rest.count)};
    const double i = q.interface_rmsd / 1.5, l = q.ligand_rmsd / 8.5;
    q.dockq = (q.fnat + 1 / (1 + i * i) + 1 / (1 + l * l)) / 3;
    return q;
}

int tsl_quality_class(const tsl_quality *q)
{
    static const double bounds[3][3] = {{0.1, 10, 4}, {0.3, 5, 2}, {0.5, 1, 1}};
    int best = 0;
    for (int i = 0; i < 3; i++) {
        if (q->fnat >= bounds[i][0] &&
            (q->ligand_rmsd <= bounds[i][1] || q->interface_rmsd <= bounds[i][2])) {
            best = i + 1;
        }
    }
    return best;
}
