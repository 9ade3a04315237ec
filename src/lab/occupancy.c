/* The rule of occupancy, and the changes that gain a block. The header has the formulas. */
#include <limits.h>
#include <stdlib.h>

#include "core/core.h"
#include "tesela/occupancy.h"

enum { MOST_BARRIERS = 16, KIB = 1024 };
/* Bounds on what is asked, so that no product overflows. */
enum { MOST_THREADS = 65536, MOST_REGISTERS = 65536, MOST_SHARED = 1 << 30 };

static int64_t round_up(int64_t value, int64_t unit)
{
    return (value + unit - 1) / unit * unit;
}

/* ---- names -------------------------------------------------------------------------------- */

const char *tsl_occupancy_limit_name(tsl_occupancy_limit limit)
{
    static const char *const names[TSL_OCCUPANCY_LIMITS] = {
        [TSL_LIMIT_WARPS] = "warps",
        [TSL_LIMIT_REGISTERS] = "registers",
        [TSL_LIMIT_SHARED] = "shared memory",
        [TSL_LIMIT_BARRIERS] = "barriers",
        [TSL_LIMIT_BLOCKS] = "blocks",
        [TSL_LIMIT_BLOCK_THREADS] = "threads of a block",
        [TSL_LIMIT_THREAD_REGISTERS] = "registers of a thread",
        [TSL_LIMIT_BLOCK_REGISTERS] = "registers of a block",
        [TSL_LIMIT_STATIC_SHARED] = "static shared memory of a block",
        [TSL_LIMIT_BLOCK_SHARED] = "shared memory of a block"};
    const int i = (int)limit;
    return i >= 0 && i < TSL_OCCUPANCY_LIMITS ? names[i] : NULL;
}

/* ---- the carve-out ------------------------------------------------------------------------ */

/* Since 7.0 a carve-out is asked for in percent; before there were three preferences. */
static bool takes_percent(const tsl_multiprocessor *m)
{
    return m->major >= 7;
}

int tsl_carveout_counts(const tsl_multiprocessor *m, int carveout)
{
    return m->carveouts > 0 && carveout != TSL_CARVEOUT_DEFAULT &&
           (takes_percent(m) || carveout == TSL_CARVEOUT_MAX_L1 || carveout == TSL_CARVEOUT_EQUAL ||
            carveout == TSL_CARVEOUT_MAX_SHARED);
}

/* The smallest carve-out of at least `bytes`; the largest if none is. */
static int64_t carveout_of(const tsl_multiprocessor *m, int64_t bytes)
{
    for (int i = 0; i < m->carveouts; i++) {
        if ((int64_t)m->carveout[i] * KIB >= bytes) {
            return (int64_t)m->carveout[i] * KIB;
        }
    }
    return m->shared;
}

/* Bytes of shared memory that blocks of `needed` bytes share. */
static int64_t shared_size(const tsl_multiprocessor *m, int carveout, int64_t needed)
{
    if (!tsl_carveout_counts(m, carveout)) {
        return m->shared;
    }
    if (takes_percent(m)) {
        const int64_t preferred = carveout_of(m, carveout * m->shared / 100);
        return preferred >= needed ? preferred : carveout_of(m, needed);
    }
    const int place = carveout == TSL_CARVEOUT_MAX_L1  ? 0
                      : carveout == TSL_CARVEOUT_EQUAL ? m->carveouts / 2
                                                       : m->carveouts - 1;
    const int64_t preferred = (int64_t)m->carveout[place] * KIB;
    return preferred >= needed ? preferred : m->shared;
}

/* ---- the rule ----------------------------------------------------------------------------- */

static tsl_status check(const tsl_multiprocessor *m, const tsl_occupancy_kernel *k)
{
    if (m->size != sizeof *m || k->size != sizeof *k) {
        return tsl_fail(NULL, TSL_E_ARG,
                        "occupancy: the struct's size is not set: begin with the table's row and "
                        "with TSL_OCCUPANCY_KERNEL_INIT");
    }
    if (k->threads < 1 || k->threads > MOST_THREADS) {
        return tsl_fail(NULL, TSL_E_ARG, "occupancy: %d threads: give 1 to %d", k->threads,
                        MOST_THREADS);
    }
    if (k->registers < 0 || k->registers > MOST_REGISTERS) {
        return tsl_fail(NULL, TSL_E_ARG, "occupancy: %d registers: give 0 to %d", k->registers,
                        MOST_REGISTERS);
    }
    if (k->static_shared < 0 || k->static_shared > MOST_SHARED || k->dynamic_shared < 0 ||
        k->dynamic_shared > MOST_SHARED || k->arguments < 0 || k->arguments > MOST_SHARED) {
        return tsl_fail(NULL, TSL_E_ARG,
                        "occupancy: bytes of shared memory and arguments: give 0 to %d of each",
                        MOST_SHARED);
    }
    if (k->barriers < 0 || k->barriers > MOST_BARRIERS) {
        return tsl_fail(NULL, TSL_E_ARG, "occupancy: %d barriers: give 0 to %d", k->barriers,
                        MOST_BARRIERS);
    }
    if (k->carveout < TSL_CARVEOUT_DEFAULT || k->carveout > TSL_CARVEOUT_MAX_SHARED) {
        return tsl_fail(NULL, TSL_E_ARG, "occupancy: a carve-out of %d percent: give 0 to 100",
                        k->carveout);
    }
    return TSL_OK;
}

/* `exceeded`: no block can be launched, for that reason. */
static bool refuse(tsl_occupancy_result *out, tsl_occupancy_limit limit, bool exceeded)
{
    out->refused |= exceeded ? 1U << (unsigned)limit : 0;
    return exceeded;
}

static void count_registers(tsl_occupancy_result *out, const tsl_multiprocessor *m,
                            const tsl_occupancy_kernel *k)
{
    const int64_t w = out->block_warps;
    int64_t allowed = INT_MAX;
    int64_t given = 0; /* to a block */
    int64_t counted = 0;
    if (m->partitions == 0) {
        given = round_up(round_up(w, m->launch_warps) * TSL_WARP * k->registers, m->register_unit);
        counted = given;
        allowed = given > 0 ? m->registers / given : INT_MAX;
    } else {
        const bool wide = k->registers < 64 && (m->wide_registers >> k->registers & 1) != 0;
        const int64_t r =
            round_up((int64_t)TSL_WARP * k->registers, m->register_unit * (wide ? 2 : 1));
        given = r * w;
        counted = r * round_up(w, m->launch_warps);
        allowed = r > 0 ? m->registers / m->partitions / r * m->partitions / w : INT_MAX;
    }
    out->block_registers = given < INT_MAX ? (int)given : INT_MAX;
    const bool of_thread =
        refuse(out, TSL_LIMIT_THREAD_REGISTERS, k->registers > m->thread_registers);
    const bool of_block = refuse(out, TSL_LIMIT_BLOCK_REGISTERS, counted > m->block_registers);
    out->allowed[TSL_LIMIT_REGISTERS] = of_thread || of_block ? 0 : (int)allowed;
}

static void count_shared(tsl_occupancy_result *out, const tsl_multiprocessor *m,
                         const tsl_occupancy_kernel *k)
{
    const int64_t arguments =
        m->major == 1 ? k->arguments : 0; /* later ones are in constant memory */
    const int64_t asked = k->static_shared + k->dynamic_shared + arguments;
    const int64_t limit = k->no_opt_in ? m->block_shared : m->block_shared_opt_in;
    out->block_shared = round_up(asked + m->reserved_shared, m->shared_unit);
    out->needs_opt_in = asked > m->block_shared && m->block_shared_opt_in > m->block_shared;
    out->shared = shared_size(m, k->carveout, out->block_shared);
    const bool of_static = refuse(out, TSL_LIMIT_STATIC_SHARED, k->static_shared > m->block_shared);
    /* What 1.x keeps for itself counts as the block's; later it comes on top. */
    const int64_t reserved = m->major == 1 ? 0 : m->reserved_shared;
    const bool of_block = refuse(out, TSL_LIMIT_BLOCK_SHARED, out->block_shared > limit + reserved);
    const int64_t allowed = out->block_shared > 0 ? out->shared / out->block_shared : INT_MAX;
    out->allowed[TSL_LIMIT_SHARED] = of_static || of_block ? 0 : (int)allowed;
}

static void compute(tsl_occupancy_result *out, const tsl_multiprocessor *m,
                    const tsl_occupancy_kernel *k)
{
    *out = (tsl_occupancy_result){.blocks = INT_MAX};
    out->block_warps = (k->threads + TSL_WARP - 1) / TSL_WARP;
    const bool of_block = refuse(out, TSL_LIMIT_BLOCK_THREADS, k->threads > m->block_threads);
    out->allowed[TSL_LIMIT_WARPS] = of_block ? 0 : m->warps / out->block_warps;
    count_registers(out, m, k);
    count_shared(out, m, k);
    out->allowed[TSL_LIMIT_BARRIERS] =
        m->barriers > 0 && k->barriers > 0 ? m->barriers / k->barriers : INT_MAX;
    out->allowed[TSL_LIMIT_BLOCKS] = m->blocks;
    for (int i = 0; i < TSL_OCCUPANCY_RESOURCES; i++) {
        if (out->allowed[i] < out->blocks) {
            out->blocks = out->allowed[i];
            out->limit = (tsl_occupancy_limit)i;
        }
    }
    for (int i = TSL_OCCUPANCY_LIMITS - 1; i >= TSL_OCCUPANCY_RESOURCES; i--) {
        if ((out->refused >> i & 1) != 0) {
            out->limit = (tsl_occupancy_limit)i;
        }
    }
    out->warps = out->blocks * out->block_warps;
    out->occupancy = (double)out->warps / m->warps;
}

tsl_status tsl_occupancy(tsl_occupancy_result *out, const tsl_multiprocessor *multiprocessor,
                         const tsl_occupancy_kernel *kernel)
{
    const tsl_status status = check(multiprocessor, kernel);
    if (status == TSL_OK) {
        compute(out, multiprocessor, kernel);
    }
    return status;
}

/* ---- changes ------------------------------------------------------------------------------ */

static int allowed_by(const tsl_multiprocessor *m, const tsl_occupancy_kernel *k,
                      tsl_occupancy_limit resource)
{
    tsl_occupancy_result result;
    compute(&result, m, k);
    return result.allowed[resource];
}

/* Each takes away of one resource until it allows `target` blocks; false: none is few enough. */

static bool lower_registers(tsl_occupancy_kernel *k, const tsl_multiprocessor *m, int target)
{
    while (allowed_by(m, k, TSL_LIMIT_REGISTERS) < target) {
        if (k->registers == 0) {
            return false;
        }
        k->registers--;
    }
    return true;
}

static bool lower_barriers(tsl_occupancy_kernel *k, const tsl_multiprocessor *m, int target)
{
    while (allowed_by(m, k, TSL_LIMIT_BARRIERS) < target) {
        k->barriers--; /* no barriers allow any number of blocks */
    }
    return true;
}

/* From one multiple of the unit to the next lower, for between them nothing changes. */
static bool lower_shared(tsl_occupancy_kernel *k, const tsl_multiprocessor *m, int target)
{
    k->static_shared = k->static_shared < m->block_shared ? k->static_shared : m->block_shared;
    while (allowed_by(m, k, TSL_LIMIT_SHARED) < target) {
        const int64_t fixed = m->reserved_shared + (m->major == 1 ? k->arguments : 0);
        const int64_t asked = k->static_shared + k->dynamic_shared;
        const int64_t given = round_up(asked + fixed, m->shared_unit) - m->shared_unit;
        const int64_t lower = given - fixed;
        if (lower < 0 || asked == 0) {
            return false;
        }
        k->static_shared = k->static_shared < lower ? k->static_shared : lower;
        k->dynamic_shared = lower - k->static_shared;
    }
    return true;
}

static void find_threads(tsl_occupancy_gain *out, const tsl_multiprocessor *m,
                         const tsl_occupancy_kernel *kernel, int warps)
{
    int least = INT_MAX;
    tsl_occupancy_kernel k = *kernel;
    for (k.threads = TSL_WARP; k.threads <= m->block_threads; k.threads += TSL_WARP) {
        tsl_occupancy_result result;
        compute(&result, m, &k);
        const int far = abs(k.threads - kernel->threads);
        if (result.warps > warps && far < least) {
            least = far;
            out->found_threads = 1;
            out->threads = k.threads;
            out->threads_result = result;
        }
    }
}

tsl_status tsl_occupancy_find_gain(tsl_occupancy_gain *out,
                                   const tsl_multiprocessor *multiprocessor,
                                   const tsl_occupancy_kernel *kernel)
{
    tsl_occupancy_result now;
    const tsl_status status = tsl_occupancy(&now, multiprocessor, kernel);
    if (status != TSL_OK) {
        return status;
    }
    const int target = now.blocks + 1;
    *out = (tsl_occupancy_gain){.kernel = *kernel, .result = now};
    out->found = now.allowed[TSL_LIMIT_WARPS] >= target &&
                 now.allowed[TSL_LIMIT_BLOCKS] >= target &&
                 lower_registers(&out->kernel, multiprocessor, target) &&
                 lower_shared(&out->kernel, multiprocessor, target) &&
                 lower_barriers(&out->kernel, multiprocessor, target);
    if (out->found) {
        compute(&out->result, multiprocessor, &out->kernel);
    } else {
        out->kernel = *kernel;
    }
    find_threads(out, multiprocessor, kernel, now.warps);
    return TSL_OK;
}
