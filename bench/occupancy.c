/* The rule of occupancy against what CUDA's runtime says on a card.
 *
 *     occupancy DEVICE CONFIGURATIONS
 *     occupancy cuda:0 1000
 *
 * So many random launches of kernels that take much and little of registers, shared memory and
 * barriers, with the default carve-out, and as many with carve-outs: for each the blocks of
 * tsl_occupancy() and of cudaOccupancyMaxActiveBlocksPerMultiprocessor(). The card's own limits
 * beside the table's. Status 1: something differs; 77: there is no card.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/context.h"
#include "device/device.h"
#include "occupancy.h"
#include "tesela/occupancy.h"

enum { SHOWN = 10 }; /* differences that are printed */

typedef struct bench {
    tsl_context *context;
    const tsl_multiprocessor *m;
    tsl_device_properties card;
    uint64_t state;
    int different;
    int refused;   /* by the runtime with an error, where the rule has no blocks */
    int blocks[2]; /* launches without blocks, and with */
} bench;

static int chance(bench *b, int low, int high)
{
    b->state ^= b->state << 13;
    b->state ^= b->state >> 7;
    b->state ^= b->state << 17;
    return low + (int)((b->state >> 16) % (uint64_t)(high - low + 1));
}

/* The card's limits and the table's. */
static void compare_limits(bench *b)
{
    const tsl_multiprocessor *m = b->m;
    const tsl_device_limits *card = &b->card.limits;
    const struct {
        const char *what;
        int64_t table, card;
    } limits[] = {{"threads of a multiprocessor", (int64_t)m->warps * TSL_WARP, card->threads},
                  {"blocks of a multiprocessor", m->blocks, card->blocks},
                  {"registers of a multiprocessor", m->registers, card->registers},
                  {"shared memory of a multiprocessor", m->shared, card->shared},
                  {"threads of a block", m->block_threads, card->block_threads},
                  {"registers of a block", m->block_registers, card->block_registers},
                  {"shared memory of a block", m->block_shared, card->block_shared},
                  {"shared memory of a block, opt-in", m->block_shared_opt_in, b->card.shared},
                  {"reserved of a block", m->reserved_shared, card->block_shared_reserved}};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        const bool same = limits[i].table == limits[i].card;
        printf("  %-34s table %8" PRId64 "   card %8" PRId64 "%s\n", limits[i].what,
               limits[i].table, limits[i].card, same ? "" : "   DIFFERENT");
        b->different += !same;
    }
}

static void compare_launch(bench *b, bool carveouts)
{
    const int number = chance(b, 0, card_kernel_count() - 1);
    const int most = (int)b->m->block_shared_opt_in;
    card_kernel takes;
    tsl_occupancy_kernel k = TSL_OCCUPANCY_KERNEL_INIT;
    tsl_occupancy_result ours;
    int theirs = 0;
    const char *error = card_describe(&takes, number);
    k.threads = chance(b, 0, 3) > 0 ? 32 * chance(b, 1, 32) : chance(b, 1, 1024);
    k.registers = takes.registers;
    k.static_shared = takes.static_shared;
    k.barriers = takes.barriers;
    k.dynamic_shared = chance(b, 0, 2) > 0 ? chance(b, 0, chance(b, 0, 1) ? 16384 : most) : 0;
    k.carveout = carveouts ? chance(b, 0, 100) : TSL_CARVEOUT_DEFAULT;
    const int64_t room = most - k.static_shared;
    const int64_t allowed = k.dynamic_shared < room ? k.dynamic_shared : room;
    if (error == NULL) {
        error = card_blocks(&theirs, number, k.threads, k.dynamic_shared, allowed, k.carveout);
    }
    const bool computed = tsl_occupancy(&ours, b->m, &k) == TSL_OK;
    b->blocks[computed && ours.blocks > 0]++;
    if (computed && error != NULL && ours.blocks == 0) {
        b->refused++;
    } else if ((!computed || error != NULL || ours.blocks != theirs) && b->different++ < SHOWN) {
        printf("  DIFFERENT: %d threads, %d registers, %" PRId64 " + %" PRId64
               " bytes, %d barriers, carve-out %d: %d blocks, runtime %d %s\n",
               k.threads, k.registers, k.static_shared, k.dynamic_shared, k.barriers, k.carveout,
               computed ? ours.blocks : -1, theirs, error != NULL ? error : "");
    }
}

static void compare(bench *b, int configurations, bool carveouts)
{
    const int before = b->different;
    b->state = UINT64_C(88172645463325252);
    b->refused = b->blocks[0] = b->blocks[1] = 0;
    for (int i = 0; i < configurations; i++) {
        compare_launch(b, carveouts);
    }
    printf("  %s: %d of %d equal (%d launchable; %d refused by the runtime with an error)\n",
           carveouts ? "random carve-outs" : "default carve-out",
           configurations - (b->different - before), configurations, b->blocks[1], b->refused);
    if (b->blocks[1] < configurations / 4) {
        printf("  too few could be launched to say anything\n");
        b->different++;
    }
}

static int run(bench *b, int device, int configurations)
{
    const char *error = card_open(device);
    if (error != NULL || b->context->ops->properties(b->context->device, &b->card) != TSL_OK) {
        fprintf(stderr, "occupancy: %s\n", error != NULL ? error : "no properties");
        return 3;
    }
    b->m = tsl_multiprocessor_find(b->card.capability[0], b->card.capability[1]);
    printf("%s, compute capability %d.%d\n", b->card.model, b->card.capability[0],
           b->card.capability[1]);
    if (b->m == NULL) {
        printf("  not in the table\n");
        return 1;
    }
    compare_limits(b);
    compare(b, configurations, false);
    compare(b, configurations, true);
    return b->different > 0;
}

int main(int argc, char **argv)
{
    bench b = {0};
    int device = 0;
    const int configurations = argc == 3 ? atoi(argv[2]) : 0;
    if (configurations < 1 || sscanf(argv[1], "cuda:%d", &device) != 1) {
        fprintf(stderr, "usage: occupancy cuda:0 CONFIGURATIONS\n");
        return 2;
    }
    tsl_context_options options = TSL_CONTEXT_OPTIONS_INIT;
    options.device = argv[1];
    if (tsl_context_create(&b.context, &options) != TSL_OK) {
        printf("skipped: %s\n", tsl_last_error(NULL));
        return 77;
    }
    const int status = run(&b, device, configurations);
    tsl_context_destroy(b.context);
    return status;
}
