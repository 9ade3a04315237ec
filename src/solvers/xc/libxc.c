/* Libxc at run time: its calls, what it says of a functional, and values. The calls are those that
 * Libxc 5 to 7 have in common; its structs stay its own. */
#include "solvers/xc/libxc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "core/library.h"
#include "solvers/xc/plan.h"

enum {
    CHUNK = 64,  /* points of a call */
    OLDEST = 5,  /* before, numbers of points were int */
    NEWEST = 7,  /* the latest whose calls are known */
    HIGHEST = 2, /* order of derivatives */
    /* Components of a point of two spins with the Laplacian, and with all outputs to that order. */
    INPUTS = 9,
    NUMBERS = INPUTS + 1 + INPUTS + INPUTS * (INPUTS + 1) / 2,
    /* Libxc's families and flags. */
    UNKNOWN = -1,
    LDA = 1,
    GGA = 2,
    MGGA = 4,
    HYBRID_GGA = 32,
    HYBRID_MGGA = 64,
    HYBRID_LDA = 128,
    HAS_ENERGY = 1,
    YUKAWA = 1 << 9 | 1 << 12,
    HAS_VV10 = 1 << 10,
    NEEDS_LAPLACIAN = 1 << 15,
};

/* File names of versions 5, 6 and 7, and the one that packages for development have. */
static const char *const libraries[] = {"libxc.so.9", "libxc.so.12", "libxc.so.15", "libxc.so",
                                        NULL};

/* ---- its calls ------------------------------------------------------------------------------ */

typedef double *to;
typedef const double *from;

typedef struct libxc_calls {
    void *library;
    const char *(*version)(void);
    int (*number)(const char *name);
    int (*family_of)(int id, int *family, int *number);
    void *(*alloc)(void);
    int (*init)(void *f, int id, int spins);
    void (*end)(void *f);
    void (*free)(void *f);
    const void *(*info)(const void *f);
    int (*family)(const void *info);
    int (*flags)(const void *info);
    void (*exact)(const void *f, double *omega, double *alpha, double *beta);
    void (*nonlocal)(const void *f, double *b, double *c);
    void (*lda0)(const void *f, size_t points, from rho, to exc);
    void (*lda1)(const void *f, size_t points, from rho, to exc, to vrho);
    void (*lda2)(const void *f, size_t points, from rho, to exc, to vrho, to v2rho2);
    void (*gga0)(const void *f, size_t points, from rho, from sigma, to exc);
    void (*gga1)(const void *f, size_t points, from rho, from sigma, to exc, to vrho, to vsigma);
    void (*gga2)(const void *f, size_t points, from rho, from sigma, to exc, to vrho, to vsigma,
                 to v2rho2, to v2rhosigma, to v2sigma2);
    void (*mgga0)(const void *f, size_t points, from rho, from sigma, from lapl, from tau, to exc);
    void (*mgga1)(const void *f, size_t points, from rho, from sigma, from lapl, from tau, to exc,
                  to vrho, to vsigma, to vlapl, to vtau);
    void (*mgga2)(const void *f, size_t points, from rho, from sigma, from lapl, from tau, to exc,
                  to vrho, to vsigma, to vlapl, to vtau, to v2rho2, to v2rhosigma, to v2rholapl,
                  to v2rhotau, to v2sigma2, to v2sigmalapl, to v2sigmatau, to v2lapl2, to v2lapltau,
                  to v2tau2);
} libxc_calls;

#define CALL(name, member)                                                                         \
    {                                                                                              \
        "xc_" name, offsetof(libxc_calls, member)                                                  \
    }
static const tsl_library_call call_rows[] = {
    CALL("version_string", version),
    CALL("functional_get_number", number),
    CALL("family_from_id", family_of),
    CALL("func_alloc", alloc),
    CALL("func_init", init),
    CALL("func_end", end),
    CALL("func_free", free),
    CALL("func_get_info", info),
    CALL("func_info_get_family", family),
    CALL("func_info_get_flags", flags),
    CALL("hyb_cam_coef", exact),
    CALL("nlc_coef", nonlocal),
    CALL("lda_exc", lda0),
    CALL("lda_exc_vxc", lda1),
    CALL("lda_exc_vxc_fxc", lda2),
    CALL("gga_exc", gga0),
    CALL("gga_exc_vxc", gga1),
    CALL("gga_exc_vxc_fxc", gga2),
    CALL("mgga_exc", mgga0),
    CALL("mgga_exc_vxc", mgga1),
    CALL("mgga_exc_vxc_fxc", mgga2),
};

static void close_library(libxc_calls *calls)
{
    tsl_library_close(calls->library);
    calls->library = NULL;
}

static tsl_status open_library(libxc_calls *calls, tsl_context *context)
{
    char text[256]; /* the file's name, or why there is none */
    memset(calls, 0, sizeof *calls);
    calls->library = tsl_library_open(libraries, calls, call_rows,
                                      sizeof call_rows / sizeof *call_rows, text, sizeof text);
    if (calls->library == NULL) {
        return tsl_fail(context, TSL_E_UNSUPPORTED,
                        "Libxc cannot be used (%s): install Libxc %d to %d (Debian and Ubuntu: "
                        "libxc9) or name its folder in LD_LIBRARY_PATH",
                        text, OLDEST, NEWEST);
    }
    const int major = atoi(calls->version());
    if (major < OLDEST || major > NEWEST) {
        const tsl_status status =
            tsl_fail(context, TSL_E_UNSUPPORTED, "%s is Libxc %s: install one of %d to %d", text,
                     calls->version(), OLDEST, NEWEST);
        close_library(calls);
        return status;
    }
    return TSL_OK;
}

/* ---- what it says of a functional ----------------------------------------------------------- */

static bool is_hybrid(int family)
{
    return family == HYBRID_LDA || family == HYBRID_GGA || family == HYBRID_MGGA;
}

/* Can its values be had from a point's numbers? */
static tsl_status check_functional(tsl_context *context, const char *text, int family, int flags)
{
    if ((flags & HAS_ENERGY) == 0) {
        return tsl_fail(context, TSL_E_UNSUPPORTED, "%s: Libxc has a potential of it, no energy",
                        text);
    }
    if ((flags & YUKAWA) != 0) {
        return tsl_fail(context, TSL_E_UNSUPPORTED,
                        "%s: takes exact exchange screened by Yukawa's potential, which cannot be "
                        "told",
                        text);
    }
    if (!is_hybrid(family) && family != LDA && family != GGA && family != MGGA) {
        return tsl_fail(context, TSL_E_UNSUPPORTED, "%s: is no LDA, GGA or meta-GGA", text);
    }
    return TSL_OK;
}

static void read_functional(tsl_xc_foreign *out, const libxc_calls *calls, const void *f)
{
    const int family = calls->family(calls->info(f));
    const int flags = calls->flags(calls->info(f));
    out->family = family == LDA || family == HYBRID_LDA   ? TSL_XC_LDA
                  : family == GGA || family == HYBRID_GGA ? TSL_XC_GGA
                  : (flags & NEEDS_LAPLACIAN) == 0        ? TSL_XC_MGGA
                                                          : (tsl_xc_family)TSL_XC_LAPLACIAN;
    if (is_hybrid(family)) { /* Libxc's alpha is of all distances, its beta of short ones besides */
        double omega = 0, alpha = 0, beta = 0;
        calls->exact(f, &omega, &alpha, &beta);
        out->alpha = alpha + beta;
        out->beta = beta != 0 ? -beta : 0;
        out->omega = beta != 0 ? omega : 0;
    }
    if ((flags & HAS_VV10) != 0) {
        calls->nonlocal(f, &out->vv10_b, &out->vv10_c);
    }
}

/* A functional of a number, spins 1 or 2; release() it. */
static tsl_status make_ready(void **out, tsl_context *context, const libxc_calls *calls,
                             const tsl_xc_foreign *about, int spins)
{
    void *f = calls->alloc();
    if (f == NULL || calls->init(f, about->number, spins) != 0) {
        if (f != NULL) {
            calls->free(f);
        }
        return tsl_fail(context, TSL_E_UNSUPPORTED, "%s: Libxc %s cannot make it ready",
                        about->text, calls->version());
    }
    *out = f;
    return TSL_OK;
}

static void release(const libxc_calls *calls, void *f)
{
    if (f != NULL) {
        calls->end(f);
        calls->free(f);
    }
}

tsl_status tsl_libxc_find(tsl_xc_foreign *out, tsl_context *context)
{
    libxc_calls calls;
    void *f = NULL;
    tsl_status status = TSL_OK;
    TSL_TRY(open_library(&calls, context));
    if (out->number == 0) {
        out->number = calls.number(out->text);
    }
    if (out->number <= 0 || calls.family_of(out->number, NULL, NULL) == UNKNOWN) {
        status = tsl_fail(context, TSL_E_ARG,
                          "there is no functional '%s' here, nor in Libxc %s: `tesela xc list` has "
                          "those that are here",
                          out->text, calls.version());
        goto done;
    }
    TSL_TRY(make_ready(&f, context, &calls, out, 1));
    TSL_TRY(check_functional(context, out->text, calls.family(calls.info(f)),
                             calls.flags(calls.info(f))));
    read_functional(out, &calls, f);
done:
    release(&calls, f);
    close_library(&calls);
    return status;
}

/* ---- functionals made ready ----------------------------------------------------------------- */

struct tsl_libxc {
    libxc_calls calls;
    int polarised, order, threads;
    int count;
    void *functional[TSL_XC_PARTS];
    tsl_xc_foreign about[TSL_XC_PARTS];
};

static tsl_status add_functional(tsl_libxc *libxc, tsl_context *context,
                                 const tsl_xc_foreign *about)
{
    const libxc_calls *calls = &libxc->calls;
    void *f = NULL;
    const tsl_status status = make_ready(&f, context, calls, about, 1 + libxc->polarised);
    if (status != TSL_OK) {
        return status;
    }
    libxc->functional[libxc->count] = f;
    libxc->about[libxc->count++] = *about;
    const int flags = calls->flags(calls->info(f));
    for (int order = 0; order <= libxc->order; order++) { /* bits 0 to 2, from the energy on */
        if (order > HIGHEST || (flags & (HAS_ENERGY << order)) == 0) {
            return tsl_fail(context, TSL_E_UNSUPPORTED,
                            "%s, by Libxc %s, has derivatives up to order %d, not %d", about->text,
                            calls->version(), order - 1, libxc->order);
        }
    }
    return TSL_OK;
}

tsl_status tsl_libxc_create(tsl_libxc **out, tsl_context *context, const tsl_xc_sum *sum,
                            int polarised, int order)
{
    tsl_libxc *libxc = tsl_allocate_zeroed(1, sizeof *libxc);
    tsl_status status = TSL_OK;
    if (libxc == NULL) {
        return tsl_fail_memory(context, (int64_t)sizeof *libxc, "functionals of Libxc");
    }
    libxc->polarised = polarised != 0;
    libxc->order = order;
    libxc->threads = context->threads;
    TSL_TRY(open_library(&libxc->calls, context));
    for (int i = 0; i < sum->foreigns; i++) {
        TSL_TRY(add_functional(libxc, context, &sum->foreign[i]));
    }
    *out = libxc;
    libxc = NULL;
done:
    tsl_libxc_destroy(libxc);
    return status;
}

void tsl_libxc_destroy(tsl_libxc *libxc)
{
    if (libxc == NULL) {
        return;
    }
    for (int i = 0; i < libxc->count; i++) {
        release(&libxc->calls, libxc->functional[i]);
    }
    close_library(&libxc->calls);
    tsl_release(libxc);
}

const char *tsl_libxc_version(const tsl_libxc *libxc)
{
    return libxc->calls.version();
}

/* ---- values --------------------------------------------------------------------------------- */

/* Arrays of a chunk, by point. The Laplacian is 0 where no functional reads it. */
typedef struct chunk {
    tsl_xc_arrays at; /* addresses in `values` of what has order 0 to HIGHEST, and of the inputs */
    double values[NUMBERS * CHUNK];
} chunk;

static void lay_out(chunk *c)
{
    double *address = c->values;
    memset(c, 0, sizeof *c);
    for (int r = 0; r < TSL_XC_ROWS; r++) {
        const tsl_xc_row *row = &tsl_xc_rows[r];
        if (row->order <= HIGHEST) {
            memcpy((char *)&c->at + row->offset, &address, sizeof address);
            address += row->components[1] * CHUNK;
        }
    }
}

static void call_lda(const tsl_libxc *l, const void *f, size_t n, const tsl_xc_arrays *c)
{
    if (l->order == 0) {
        l->calls.lda0(f, n, c->rho, c->exc);
    } else if (l->order == 1) {
        l->calls.lda1(f, n, c->rho, c->exc, c->vrho);
    } else {
        l->calls.lda2(f, n, c->rho, c->exc, c->vrho, c->v2rho2);
    }
}

static void call_gga(const tsl_libxc *l, const void *f, size_t n, const tsl_xc_arrays *c)
{
    if (l->order == 0) {
        l->calls.gga0(f, n, c->rho, c->sigma, c->exc);
    } else if (l->order == 1) {
        l->calls.gga1(f, n, c->rho, c->sigma, c->exc, c->vrho, c->vsigma);
    } else {
        l->calls.gga2(f, n, c->rho, c->sigma, c->exc, c->vrho, c->vsigma, c->v2rho2, c->v2rhosigma,
                      c->v2sigma2);
    }
}

static void call_mgga(const tsl_libxc *l, const void *f, size_t n, const tsl_xc_arrays *c)
{
    if (l->order == 0) {
        l->calls.mgga0(f, n, c->rho, c->sigma, c->lapl, c->tau, c->exc);
    } else if (l->order == 1) {
        l->calls.mgga1(f, n, c->rho, c->sigma, c->lapl, c->tau, c->exc, c->vrho, c->vsigma,
                       c->vlapl, c->vtau);
    } else {
        l->calls.mgga2(f, n, c->rho, c->sigma, c->lapl, c->tau, c->exc, c->vrho, c->vsigma,
                       c->vlapl, c->vtau, c->v2rho2, c->v2rhosigma, c->v2rholapl, c->v2rhotau,
                       c->v2sigma2, c->v2sigmalapl, c->v2sigmatau, c->v2lapl2, c->v2lapltau,
                       c->v2tau2);
    }
}

/* What threads share. */
typedef struct addition {
    const tsl_libxc *libxc;
    double *out;
    const double *in;
    int64_t points;
    tsl_xc_family family;
} addition;

static void load(const chunk *c, const addition *a, int64_t first, int count)
{
    const double *source = a->in + first;
    for (int r = 0; r < TSL_XC_ROWS; r++) {
        const tsl_xc_row *row = &tsl_xc_rows[r];
        const int width = row->components[a->libxc->polarised];
        double *target = tsl_xc_address(&c->at, row);
        if (row->order >= 0 || !tsl_xc_depends(a->family, row)) {
            continue;
        }
        for (int k = 0; k < width; k++, source += a->points) {
            for (int i = 0; i < count; i++) {
                target[i * width + k] = source[i];
            }
        }
    }
}

/* Add outputs of a functional, which may be of a lower family than the sum, to the sum's. */
static void add(const addition *a, const chunk *c, const tsl_xc_foreign *about, int64_t first,
                int count)
{
    double *target = a->out + first;
    for (int r = 0; r < TSL_XC_ROWS; r++) {
        const tsl_xc_row *row = &tsl_xc_rows[r];
        const int width = row->components[a->libxc->polarised];
        const double *source = tsl_xc_address(&c->at, row);
        const bool has_row = tsl_xc_depends(about->family, row);
        if (row->order < 0 || row->order > a->libxc->order || !tsl_xc_depends(a->family, row)) {
            continue;
        }
        for (int k = 0; k < width; k++, target += a->points) {
            for (int i = 0; i < count && has_row; i++) {
                target[i] += about->coefficient * source[i * width + k];
            }
        }
    }
}

static void add_chunk(const addition *a, int64_t first, int count)
{
    chunk c;
    lay_out(&c);
    load(&c, a, first, count);
    for (int k = 0; k < a->libxc->count; k++) {
        const tsl_xc_foreign *about = &a->libxc->about[k];
        (about->family == TSL_XC_LDA ? call_lda
         : about->family == TSL_XC_GGA
             ? call_gga
             : call_mgga)(a->libxc, a->libxc->functional[k], (size_t)count, &c.at);
        add(a, &c, about, first, count);
    }
}

void tsl_libxc_add(double *out, const tsl_libxc *libxc, const double *in, int64_t points,
                   tsl_xc_family family)
{
    const addition a = {libxc, out, in, points, family};
    const int64_t chunks = (points + CHUNK - 1) / CHUNK;
#pragma omp parallel for num_threads(libxc->threads) if (chunks > 1)
    for (int64_t k = 0; k < chunks; k++) {
        const int64_t first = k * CHUNK;
        add_chunk(&a, first, (int)(points - first < CHUNK ? points - first : CHUNK));
    }
}
