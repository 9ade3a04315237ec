/* The Coulomb matrix of a fitted density on a device: what is planned, and the order of work. */
#include "solvers/scf/coulomb_step/coulomb_step.h"

#include <string.h>

#include "blocks/dense/dense.h"
#include "device/device.h"
#include "solvers/scf/coulomb_step/step.h"

/* Arrays on the device, each in a piece of memory of its own. */
enum {
    TABLES,
    BOYS,
    ROWS,
    ROW_OF,
    H,
    PAIR_EXPONENTS,
    PAIR_CENTERS,
    PAIR_VALUES,
    SITE_EXPONENTS,
    SITE_CENTERS,
    SITE_VALUES,
    START,
    COLUMN,
    FACTOR,
    START_BACK,
    COLUMN_BACK,
    FACTOR_BACK,
    METRIC,
    PROJECTION,
    COEFFICIENTS,
    PARTS,
    PIECES
};

struct tsl_coulomb_step {
    tsl_context *context;
    tsl_coulomb_step_description description;
    tsl_coulomb_pairs pairs;
    tsl_coulomb_particles sites;
    int64_t site_values, auxiliary;
    int64_t parts; /* numbers that there is room for */
    bool inverse;
    void *piece[PIECES];
    tsl_coulomb_draft draft; /* until it is placed */
};

static const char *const purpose = "the Coulomb matrix";

/* ---- parts ---------------------------------------------------------------------------------- */

/* How many acting particles a block goes through: enough blocks to keep a GPU busy, each with
 * enough work. Depends on nothing but the numbers of particles, as the order of additions does. */
static int64_t chunk_of(int64_t own, int64_t other)
{
    enum { BLOCKS = 2048, LEAST = 2 * TSL_COULOMB_TILE };
    const int64_t across = (own + TSL_COULOMB_THREADS - 1) / TSL_COULOMB_THREADS;
    const int64_t chunks = across >= BLOCKS ? 1 : BLOCKS / across;
    const int64_t chunk = ((other + chunks - 1) / chunks + TSL_COULOMB_TILE - 1) /
                          TSL_COULOMB_TILE * TSL_COULOMB_TILE;
    return chunk < LEAST ? LEAST : chunk;
}

static int64_t chunks_of(int64_t own, int64_t other)
{
    const int64_t chunk = chunk_of(own, other);
    return (other + chunk - 1) / chunk;
}

/* The most parts' numbers that one class of `own` needs of all classes of `other`. */
static int64_t most_parts(const tsl_coulomb_particles *own, const tsl_coulomb_particles *other)
{
    int64_t most = 0;
    for (int to = 0; to < TSL_COULOMB_CLASSES; to++) {
        int64_t parts = 0;
        for (int from = 0; from < TSL_COULOMB_CLASSES && own->of[to].count > 0; from++) {
            parts += chunks_of(own->of[to].count, other->of[from].count);
        }
        parts *= own->of[to].count * tsl_coulomb_hermites(&own->of[to]);
        most = parts > most ? parts : most;
    }
    return most;
}

/* own->value := derivatives of the potential of all of `other`, class by class. */
static tsl_status act(const tsl_coulomb_step *step, const tsl_coulomb_particles *own,
                      const tsl_coulomb_particles *other, double sign, double *room)
{
    const tsl_coulomb_step_ops *ops = step->context->ops->coulomb_step;
    tsl_status status = TSL_OK;
    for (int to = 0; to < TSL_COULOMB_CLASSES; to++) {
        const tsl_coulomb_class *c = &own->of[to];
        const int64_t numbers = c->count * tsl_coulomb_hermites(c);
        int parts = 0;
        for (int from = 0; from < TSL_COULOMB_CLASSES && c->count > 0; from++) {
            if (other->of[from].count == 0) {
                continue;
            }
            const tsl_coulomb_potential task = {
                .own = *own,
                .other = *other,
                .to = to,
                .from = from,
                .chunk = chunk_of(c->count, other->of[from].count),
                .chunks = (int)chunks_of(c->count, other->of[from].count),
                .sign = sign,
                .tables = step->piece[TABLES],
                .boys = (double *)step->piece[BOYS] + (int64_t)(c->order + other->of[from].order) *
                                                          TSL_BOYS_ROWS * TSL_COULOMB_BOYS,
                .parts = room + parts * numbers};
            TSL_TRY(ops->potential(step->context, &task));
            parts += task.chunks;
        }
        if (c->count > 0) {
            const tsl_coulomb_sum sum = {numbers, parts, room, own->value + c->value};
            TSL_TRY(ops->add(step->context, &sum));
        }
    }
done:
    return status;
}

/* ---- memory --------------------------------------------------------------------------------- */

static tsl_status place(tsl_coulomb_step *step, int piece, int64_t bytes, const void *from)
{
    tsl_context *context = step->context;
    tsl_status status =
        tsl_device_allocate(&step->piece[piece], context, bytes > 0 ? bytes : 8, purpose);
    if (status == TSL_OK && from != NULL && bytes > 0) {
        status = context->ops->upload(context, step->piece[piece], from, bytes);
    }
    return status;
}

static void point_at_pieces(tsl_coulomb_step *step)
{
    tsl_coulomb_pairs *p = &step->pairs;
    p->row = step->piece[ROWS];
    p->row_of = step->piece[ROW_OF];
    p->h = step->piece[H];
    p->particles.exponent = step->piece[PAIR_EXPONENTS];
    p->particles.center = step->piece[PAIR_CENTERS];
    p->particles.value = step->piece[PAIR_VALUES];
    step->sites.exponent = step->piece[SITE_EXPONENTS];
    step->sites.center = step->piece[SITE_CENTERS];
    step->sites.value = step->piece[SITE_VALUES];
}

/* Bytes of a piece of memory, and what is copied there; NULL: nothing. */
typedef struct content {
    int64_t bytes;
    const void *from;
} content;

/* What the pieces hold; returns the sum of bytes. `boys` NULL: for the sum alone. */
static int64_t list_contents(content out[PIECES], const tsl_coulomb_step *step,
                             const tsl_coulomb_step_source *s, const double *boys)
{
    const tsl_coulomb_draft *d = &step->draft;
    const int64_t a = step->auxiliary, pairs = d->pairs.total, sites = d->sites.total;
    const content contents[PIECES] = {
        [TABLES] = {sizeof *s->tables, s->tables},
        [BOYS] = {8 * (TSL_SCF_MAX_ORDER + 1) * TSL_BOYS_ROWS * TSL_COULOMB_BOYS, boys},
        [ROWS] = {d->rows * (int64_t)sizeof *d->row, d->row},
        [ROW_OF] = {4 * pairs, d->row_of},
        [H] = {8 * d->numbers, d->h},
        [PAIR_EXPONENTS] = {8 * pairs, d->pair_exponent},
        [PAIR_CENTERS] = {24 * pairs, d->pair_center},
        [PAIR_VALUES] = {8 * d->pair_values, NULL},
        [SITE_EXPONENTS] = {8 * sites, d->site_exponent},
        [SITE_CENTERS] = {24 * sites, d->site_center},
        [SITE_VALUES] = {8 * d->site_values, NULL},
        [START] = {4 * (d->site_values + 1), d->start},
        [COLUMN] = {4 * d->terms, d->column},
        [FACTOR] = {8 * d->terms, d->factor},
        [START_BACK] = {4 * (a + 1), d->start_back},
        [COLUMN_BACK] = {4 * d->terms, d->column_back},
        [FACTOR_BACK] = {8 * d->terms, d->factor_back},
        [METRIC] = {8 * a * a, s->metric},
        [PROJECTION] = {8 * a, NULL},
        [COEFFICIENTS] = {8 * a, NULL},
        [PARTS] = {8 * step->parts, NULL},
    };
    int64_t sum = 0;
    for (int i = 0; i < PIECES; i++) {
        out[i] = contents[i];
        sum = tsl_add_bytes(sum, contents[i].bytes);
    }
    return sum;
}

static tsl_status place_all(tsl_coulomb_step *step, const tsl_coulomb_step_source *s,
                            const double *boys)
{
    tsl_context *context = step->context;
    content contents[PIECES];
    tsl_device_need need = {.what = "the Coulomb matrix needs",
                            .remedy = "give a smaller basis or a larger screen"};
    tsl_status status = TSL_OK;
    need.device = list_contents(contents, step, s, boys);
    TSL_TRY(tsl_device_foresee(context, &need));
    for (int i = 0; i < PIECES; i++) {
        TSL_TRY(place(step, i, contents[i].bytes, contents[i].from));
    }
    point_at_pieces(step);
done:
    return status;
}

/* ---- plans ---------------------------------------------------------------------------------- */

static void describe(tsl_coulomb_step *step, const tsl_coulomb_draft *d)
{
    step->description.rows = d->rows;
    step->description.pairs = d->pairs.total;
    step->description.sites = d->sites.total;
    step->description.interactions = 2.0 * (double)d->pairs.total * (double)d->sites.total;
}

/* The draft, and the sizes that it gives the step. */
static tsl_status make_draft(tsl_coulomb_step *step, const tsl_coulomb_step_source *s)
{
    tsl_coulomb_draft *d = &step->draft;
    content contents[PIECES];
    tsl_status status = TSL_OK;
    TSL_TRY(tsl_coulomb_make_draft(d, s));
    describe(step, d);
    step->auxiliary = s->auxiliary->functions;
    step->site_values = d->site_values;
    step->pairs.functions = s->basis->functions;
    step->pairs.rows = d->rows;
    step->pairs.particles = d->pairs;
    step->sites = d->sites;
    step->parts = most_parts(&d->sites, &d->pairs);
    if (step->parts < most_parts(&d->pairs, &d->sites)) {
        step->parts = most_parts(&d->pairs, &d->sites);
    }
    step->description.bytes = list_contents(contents, step, s, NULL);
done:
    return status;
}

tsl_status tsl_coulomb_step_create(tsl_coulomb_step **out, tsl_context *context,
                                   const tsl_coulomb_step_source *source)
{
    if (context->ops->coulomb_step == NULL) {
        return tsl_fail(context, TSL_E_UNSUPPORTED,
                        "there is no Coulomb matrix without stored integrals on %s", context->name);
    }
    tsl_coulomb_step *step = tsl_allocate_zeroed(1, sizeof *step);
    if (step == NULL) {
        return tsl_fail_memory(context, (int64_t)sizeof *step, purpose);
    }
    step->context = context;
    const tsl_status status = tsl_context_report(context, source->host, make_draft(step, source));
    if (status != TSL_OK) {
        tsl_coulomb_step_destroy(step);
        return status;
    }
    *out = step;
    return TSL_OK;
}

tsl_status tsl_coulomb_step_place(tsl_coulomb_step *step, const tsl_coulomb_step_source *source)
{
    const size_t numbers = (size_t)(TSL_SCF_MAX_ORDER + 1) * TSL_BOYS_ROWS * TSL_COULOMB_BOYS;
    double *boys = tsl_allocate(sizeof *boys * numbers);
    if (boys == NULL) {
        return tsl_fail_memory(step->context, (int64_t)(sizeof *boys * numbers), purpose);
    }
    tsl_coulomb_boys(boys, source->tables);
    step->inverse = source->inverse;
    const tsl_status status = place_all(step, source, boys);
    tsl_coulomb_release_draft(&step->draft);
    step->draft = (tsl_coulomb_draft){.rows = 0};
    tsl_release(boys);
    return status;
}

void tsl_coulomb_step_destroy(tsl_coulomb_step *step)
{
    if (step == NULL) {
        return;
    }
    for (int i = 0; i < PIECES; i++) {
        tsl_device_release(step->context, step->piece[i]);
    }
    tsl_coulomb_release_draft(&step->draft);
    tsl_release(step);
}

const double *tsl_coulomb_step_projection(const tsl_coulomb_step *step)
{
    return step->piece[PROJECTION];
}

const double *tsl_coulomb_step_coefficients(const tsl_coulomb_step *step)
{
    return step->piece[COEFFICIENTS];
}

void tsl_coulomb_step_describe(const tsl_coulomb_step *step, tsl_coulomb_step_description *out)
{
    *out = step->description;
}

/* ---- runs ----------------------------------------------------------------------------------- */

/* c from d. */
static tsl_status fit(tsl_coulomb_step *step)
{
    tsl_context *context = step->context;
    const tsl_dense_ops *dense = context->ops->dense;
    const int64_t a = step->auxiliary;
    double *c = step->piece[COEFFICIENTS];
    const tsl_product product = {.m = a,
                                 .n = 1,
                                 .k = a,
                                 .alpha = 1,
                                 .a = step->piece[METRIC],
                                 .lda = a,
                                 .b = step->piece[PROJECTION],
                                 .ldb = 1,
                                 .c = c,
                                 .ldc = 1};
    const tsl_coulomb_sum copy = {a, 1, step->piece[PROJECTION], c};
    if (step->inverse) {
        return dense->multiply(context, &product);
    }
    const tsl_status status = context->ops->coulomb_step->add(context, &copy);
    return status == TSL_OK ? dense->solve(context, a, step->piece[METRIC], c) : status;
}

/* d of the density. */
static tsl_status project(tsl_coulomb_step *step, const double *density)
{
    tsl_context *context = step->context;
    const tsl_coulomb_step_ops *ops = context->ops->coulomb_step;
    const tsl_coulomb_sparse back = {step->auxiliary,          step->piece[START_BACK],
                                     step->piece[COLUMN_BACK], step->piece[FACTOR_BACK],
                                     step->piece[SITE_VALUES], step->piece[PROJECTION]};
    tsl_status status = TSL_OK;
    step->pairs.density = density;
    for (int order = 0; order < TSL_COULOMB_ORDERS; order++) {
        if (step->pairs.particles.of[order].count > 0) {
            TSL_TRY(ops->spread(context, &step->pairs, order));
        }
    }
    TSL_TRY(act(step, &step->sites, &step->pairs.particles, -1, step->piece[PARTS]));
    TSL_TRY(ops->multiply(context, &back));
done:
    return status;
}

tsl_status tsl_coulomb_step_run(tsl_coulomb_step *step, const double *density, double *j)
{
    tsl_context *context = step->context;
    const tsl_coulomb_step_ops *ops = context->ops->coulomb_step;
    const int64_t n = step->pairs.functions;
    const double begun = tsl_seconds();
    const tsl_coulomb_sparse forth = {step->site_values,         step->piece[START],
                                      step->piece[COLUMN],       step->piece[FACTOR],
                                      step->piece[COEFFICIENTS], step->piece[SITE_VALUES]};
    tsl_status status = TSL_OK;
    TSL_TRY(context->ops->fill(context, j, 0, 8 * n * n));
    if (step->pairs.rows == 0) {
        TSL_TRY(context->ops->fill(context, step->piece[PROJECTION], 0, 8 * step->auxiliary));
        TSL_TRY(context->ops->fill(context, step->piece[COEFFICIENTS], 0, 8 * step->auxiliary));
        return TSL_OK;
    }
    TSL_TRY(project(step, density));
    TSL_TRY(fit(step));
    TSL_TRY(ops->multiply(context, &forth));
    TSL_TRY(act(step, &step->pairs.particles, &step->sites, 1, step->piece[PARTS]));
    step->pairs.matrix = j;
    TSL_TRY(ops->gather(context, &step->pairs));
    tsl_profile_add(context, "coulomb", begun, 0, 0);
done:
    return status;
}

/* ---- point charges -------------------------------------------------------------------------- */

/* Arrays of charges for the host: centers [3][count], then charges with the sign of electrons;
 * those that are 0 are left out. Returns how many there are. */
static int64_t list_charges(double *out, int64_t charges, const double *charge,
                            const double *position)
{
    int64_t used = 0, count = 0;
    for (int64_t c = 0; c < charges; c++) {
        used += charge[c] != 0;
    }
    for (int64_t c = 0; c < charges; c++) {
        if (charge[c] == 0) {
            continue;
        }
        for (int axis = 0; axis < 3; axis++) {
            out[axis * used + count] = position[3 * c + axis];
        }
        out[3 * used + count++] = -charge[c];
    }
    return used;
}

static tsl_status attract(tsl_coulomb_step *step, const double *list, int64_t count, void **piece,
                          double *v)
{
    tsl_context *context = step->context;
    const tsl_coulomb_step_ops *ops = context->ops->coulomb_step;
    tsl_coulomb_particles points = {.total = count, .of = {[0] = {.count = count}}, .points = true};
    const int64_t parts = most_parts(&step->pairs.particles, &points);
    tsl_status status = TSL_OK;
    TSL_TRY(tsl_device_allocate(&piece[0], context, 32 * count, "point charges"));
    TSL_TRY(tsl_device_allocate(&piece[1], context, 8 * parts, "point charges"));
    TSL_TRY(context->ops->upload(context, piece[0], list, 32 * count));
    points.center = piece[0];
    points.value = (double *)piece[0] + 3 * count;
    TSL_TRY(act(step, &step->pairs.particles, &points, 1, piece[1]));
    step->pairs.matrix = v;
    TSL_TRY(ops->gather(context, &step->pairs));
    TSL_TRY(context->ops->synchronize(context));
done:
    return status;
}

tsl_status tsl_coulomb_step_attract(tsl_coulomb_step *step, int64_t charges, const double *charge,
                                    const double *position, double *v)
{
    tsl_context *context = step->context;
    const int64_t n = step->pairs.functions;
    void *piece[2] = {NULL, NULL};
    tsl_status status = context->ops->fill(context, v, 0, 8 * n * n);
    if (status != TSL_OK || step->pairs.rows == 0) {
        return status;
    }
    double *list = tsl_allocate(sizeof *list * (size_t)(4 * charges + 1));
    if (list == NULL) {
        return tsl_fail_memory(context, 32 * charges, "point charges");
    }
    const int64_t count = list_charges(list, charges, charge, position);
    status = count > 0 ? attract(step, list, count, piece, v) : TSL_OK;
    tsl_device_release(context, piece[0]);
    tsl_device_release(context, piece[1]);
    tsl_release(list);
    return status;
}
