/* Transforms on sim: the CPU's, deferred. */
#include "blocks/fft/fft.h"
#include "device/sim.h"

struct tsl_fft {
    tsl_context *context;
    tsl_fft *cpu;
};

static tsl_status sim_create(tsl_fft **out, tsl_context *context, const tsl_fft_description *what)
{
    tsl_fft *fft = tsl_allocate_zeroed(1, sizeof *fft);
    if (fft == NULL) {
        return tsl_fail_memory(context, sizeof *fft, "a Fourier transform");
    }
    fft->context = context;
    const tsl_status status = tsl_fft_cpu.create(&fft->cpu, context, what);
    if (status != TSL_OK) {
        tsl_release(fft);
        return status;
    }
    *out = fft;
    return TSL_OK;
}

static void sim_destroy(tsl_fft *fft)
{
    if (fft != NULL) {
        fft->context->ops->synchronize(fft->context); /* queued work may still need it */
        tsl_fft_cpu.destroy(fft->cpu);
        tsl_release(fft);
    }
}

typedef struct execute_arguments {
    const tsl_fft *cpu;
    void *in, *out;
} execute_arguments;

static void run_execute(const void *arguments)
{
    const execute_arguments *a = arguments;
    (void)tsl_fft_cpu.execute(a->cpu, a->in, a->out);
}

static tsl_status sim_execute(const tsl_fft *fft, void *in, void *out)
{
    const execute_arguments arguments = {.cpu = fft->cpu, .in = in, .out = out};
    return tsl_sim_defer(fft->context, run_execute, &arguments, sizeof arguments);
}

static int64_t sim_needs(tsl_context *context, const tsl_fft_description *what)
{
    return tsl_fft_cpu.needs(context, what);
}

static int64_t sim_workspace(const tsl_fft *fft)
{
    return tsl_fft_cpu.workspace(fft->cpu);
}

const tsl_fft_ops tsl_fft_sim = {.create = sim_create,
                                 .destroy = sim_destroy,
                                 .needs = sim_needs,
                                 .execute = sim_execute,
                                 .workspace = sim_workspace};
