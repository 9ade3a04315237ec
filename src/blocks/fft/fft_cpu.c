/* Transforms on the CPU: FFTW. */
#include <fftw3.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "blocks/fft/fft.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

struct tsl_fft {
    tsl_precision precision;
    tsl_fft_kind kind;
    void *plan;        /* fftw_plan or fftwf_plan */
    int64_t workspace; /* bytes; -1: not known */
};

/* FFTW's planner keeps global state. */
static pthread_mutex_t planner = PTHREAD_MUTEX_INITIALIZER;
static int64_t measured; /* plans; under `planner` */

/* What FFTW writes, a character at a time; with `at` NULL only counted. */
typedef struct written {
    char *at;
    int64_t bytes;
} written;

static void add_character(char character, void *user)
{
    written *into = user;
    if (into->at != NULL) {
        into->at[into->bytes] = character;
    }
    into->bytes++;
}

#define TSL_TEMPLATE_NAME(name) name##_single
#define TSL_FFTW(name) fftwf_##name
#include "blocks/fft/fft_cpu.inc"
#undef TSL_TEMPLATE_NAME
#undef TSL_FFTW

#define TSL_TEMPLATE_NAME(name) name##_double
#define TSL_FFTW(name) fftw_##name
#include "blocks/fft/fft_cpu.inc"
#undef TSL_TEMPLATE_NAME
#undef TSL_FFTW

/* How long FFTW looks for a fast plan. What is done seldom is never worth more than a guess. */
static tsl_status find_effort(unsigned *out, tsl_context *context, const tsl_fft_description *what)
{
    static const struct {
        const char *name;
        unsigned flag;
    } efforts[] = {
        {"measure", FFTW_MEASURE}, {"estimate", FFTW_ESTIMATE}, {"patient", FFTW_PATIENT}};
    const char *asked = getenv(TSL_FFT_EFFORT_VARIABLE);
    asked = asked == NULL || asked[0] == '\0' ? efforts[what->estimate].name : asked;
    for (size_t i = 0; i < sizeof efforts / sizeof *efforts; i++) {
        if (strcmp(asked, efforts[i].name) == 0) {
            *out = what->seldom ? FFTW_ESTIMATE : efforts[i].flag;
            return TSL_OK;
        }
    }
    return tsl_fail(context, TSL_E_ARG,
                    TSL_FFT_EFFORT_VARIABLE "=%s: give measure, estimate or patient", asked);
}

/* Bytes that malloc has given out in this process; 0 where it does not tell. FFTW tells nothing of
 * its plans' sizes. */
static int64_t heap_bytes(void)
{
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
    const struct mallinfo2 info = mallinfo2();
    return (int64_t)info.uordblks + (int64_t)info.hblkhd;
#else
    return 0;
#endif
}

/* Elements that a layout reaches. */
static int64_t extent(const tsl_fft_description *what, const tsl_fft_layout *layout)
{
    int64_t elements = what->rank > 0 ? layout->embed[0] : 1;
    for (int axis = 1; axis < what->rank; axis++) {
        elements *= layout->embed[axis];
    }
    return (elements - 1) * layout->stride + (int64_t)(what->count - 1) * layout->distance + 1;
}

/* Bytes of an element of the input, or of the output. */
static int64_t element_bytes(const tsl_fft_description *what, bool out)
{
    const bool real = what->kind == (out ? TSL_FFT_REAL_BACKWARD : TSL_FFT_REAL_FORWARD);
    return (real ? 1 : 2) * (int64_t)what->precision;
}

/* More than FFTW was seen to take while it plans, beside the arrays: 65 MiB at most, for the prime
 * 1000003. Transforms of such lengths take some more whenever they are executed. */
static int64_t planner_bytes(const tsl_fft_description *what)
{
    int64_t longest = 0;
    for (int axis = 0; axis < what->rank; axis++) {
        longest = what->n[axis] > longest ? what->n[axis] : longest;
    }
    return (8 << 20) + 5 * 2 * (int64_t)what->precision * longest;
}

static tsl_status no_memory(tsl_context *context, int64_t bytes)
{
    return tsl_fail_memory(context, bytes, "planning a Fourier transform");
}

/* FFTW ends the process if it lacks memory, so that it is asked for first. */
static tsl_status make_plan(tsl_fft *fft, tsl_context *context, const tsl_fft_description *what,
                            char *in, char *other, unsigned effort)
{
    void *spare = fftw_malloc((size_t)planner_bytes(what));
    fftw_free(spare);
    if (spare == NULL) {
        return no_memory(context, planner_bytes(what));
    }
    if (what->precision == TSL_SINGLE) {
        fft->plan = plan_single(what, in, other, effort);
    } else {
        fft->plan = plan_double(what, in, other, effort);
    }
    return fft->plan != NULL
               ? TSL_OK
               : tsl_fail(context, TSL_E_INTERNAL, "FFTW has no plan for a transform of length %d",
                          what->n[0]);
}

static tsl_status cpu_create(tsl_fft **out, tsl_context *context, const tsl_fft_description *what)
{
    const int64_t in_bytes = extent(what, &what->in) * element_bytes(what, false);
    const int64_t out_bytes = extent(what, &what->out) * element_bytes(what, true);
    const int64_t bytes = in_bytes > out_bytes ? in_bytes : out_bytes;
    int64_t before = 0;
    bool tells = false;
    unsigned effort = FFTW_ESTIMATE;
    tsl_status status = find_effort(&effort, context, what);
    if (status != TSL_OK) {
        return status;
    }
    if (what->patience != NULL && !what->patience->is_wanted(what->patience->user)) {
        return tsl_fail(context, TSL_E_CANCELLED, "the transforms are not wanted any more");
    }
    tsl_fft *fft = tsl_allocate(sizeof *fft);
    /* where another malloc stands in for the library's, its first call sets that up, unlocked */
    pthread_mutex_lock(&planner);
    const int64_t before_arrays = heap_bytes();
    pthread_mutex_unlock(&planner);
    char *in = tsl_allocate((size_t)bytes);
    char *other = what->in_place ? in : tsl_allocate((size_t)bytes);
    if (fft == NULL || in == NULL || other == NULL) {
        status = no_memory(context, 2 * bytes + planner_bytes(what));
        goto done;
    }
    memset(in, 0, (size_t)bytes);
    memset(other, 0, (size_t)bytes);
    *fft = (tsl_fft){.precision = what->precision, .kind = what->kind};
    pthread_mutex_lock(&planner);
    before = heap_bytes();
    status = make_plan(fft, context, what, in, other, effort);
    /* A malloc that says nothing of the arrays, a sanitizer's for one, says nothing of the plan. */
    tells = before - before_arrays >= bytes;
    fft->workspace = tells ? heap_bytes() - before : -1;
    pthread_mutex_unlock(&planner);
    if (status == TSL_OK) {
        *out = fft;
        fft = NULL;
    }
done:
    if (other != in) {
        tsl_release(other);
    }
    tsl_release(in);
    tsl_release(fft);
    return status;
}

static void cpu_destroy(tsl_fft *fft)
{
    if (fft == NULL) {
        return;
    }
    pthread_mutex_lock(&planner);
    if (fft->precision == TSL_SINGLE) {
        fftwf_destroy_plan(fft->plan);
    } else {
        fftw_destroy_plan(fft->plan);
    }
    pthread_mutex_unlock(&planner);
    tsl_release(fft);
}

static tsl_status cpu_execute(const tsl_fft *fft, void *in, void *out)
{
    if (fft->precision == TSL_SINGLE) {
        execute_single(fft, in, out);
    } else {
        execute_double(fft, in, out);
    }
    return TSL_OK;
}

/* The library's memory is the host's, and its own. */
static int64_t cpu_needs(tsl_context *context, const tsl_fft_description *what)
{
    (void)context;
    (void)what;
    return 0;
}

static int64_t cpu_workspace(const tsl_fft *fft)
{
    return fft->workspace;
}

/* ---- what was learned --------------------------------------------------------------------- */

static void write_learned(written *into, tsl_precision precision)
{
    if (precision == TSL_SINGLE) {
        export_to_single(into);
    } else {
        export_to_double(into);
    }
    add_character('\0', into);
}

tsl_status tsl_fft_export(char **out, int64_t *bytes, tsl_context *context, tsl_precision precision)
{
    written size = {.at = NULL}, text = {.at = NULL};
    pthread_mutex_lock(&planner);
    write_learned(&size, precision);
    text.at = tsl_allocate((size_t)size.bytes);
    if (text.at != NULL) {
        write_learned(&text, precision);
    }
    pthread_mutex_unlock(&planner);
    *out = text.at;
    *bytes = text.bytes;
    return text.at != NULL ? TSL_OK
                           : tsl_fail_memory(context, size.bytes, "what FFTW has measured");
}

void tsl_fft_import(const char *text, tsl_precision precision)
{
    pthread_mutex_lock(&planner);
    if (precision == TSL_SINGLE) {
        import_from_single(text);
    } else {
        import_from_double(text);
    }
    pthread_mutex_unlock(&planner);
}

int64_t tsl_test_fft_measured(void)
{
    pthread_mutex_lock(&planner);
    const int64_t plans = measured;
    pthread_mutex_unlock(&planner);
    return plans;
}

const tsl_fft_ops tsl_fft_cpu = {.create = cpu_create,
                                 .destroy = cpu_destroy,
                                 .needs = cpu_needs,
                                 .execute = cpu_execute,
                                 .workspace = cpu_workspace};

const char *tsl_fft_library(void)
{
    return fftwf_version;
}
