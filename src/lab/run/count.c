/* Counts of a warp's accesses: requests, sectors of 32 bytes, wavefronts of shared memory. */
#include <string.h>
#include <sys/mman.h>

#include "lab/run/run.h"

enum { SECTOR = 5, BANKS = 32, SLOTS = 2 * TSL_MOST_SITES };

/* Counts that a process writes, and the pcs of its sites: forked workers have one each, all in
 * memory that they share. */
typedef struct count_table {
    uint32_t sites;
    uint16_t slot[SLOTS]; /* site whose pc hashes here; 0: none */
    uintptr_t pc[TSL_MOST_SITES];
    tsl_count count[TSL_MOST_SITES][TSL_SPACES];
} count_table;

static count_table *tables; /* of the process itself and its workers */
static count_table *table;  /* the one in use */

void tsl_counts_allocate(void)
{
    const size_t bytes = sizeof(count_table) * (size_t)(TSL_MOST_WORKERS + 1);
    tables = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE,
                  -1, 0);
    if (tables == MAP_FAILED) {
        tsl_fatal("cannot map %zu bytes for counts", bytes);
    }
    table = tables;
}

void tsl_counts_use(int worker)
{
    table = tables + worker;
    tsl_counts_clear();
}

void tsl_counts_clear(void)
{
    memset(table->count, 0, sizeof table->count[0] * (table->sites + 1));
}

/* ---- sites ---------------------------------------------------------------------------------- */

static uint32_t add_site(uintptr_t pc, size_t at)
{
    if (table->sites + 1 >= TSL_MOST_SITES) {
        return 0;
    }
    const uint32_t site = ++table->sites;
    table->pc[site] = pc;
    table->slot[at] = (uint16_t)site;
    return site;
}

uint32_t tsl_site(uintptr_t pc)
{
    size_t at = (pc ^ pc >> 13) & (SLOTS - 1);
    for (;;) {
        const uint32_t site = table->slot[at];
        if (site == 0) {
            return add_site(pc, at);
        }
        if (table->pc[site] == pc) {
            return site;
        }
        at = (at + 1) & (SLOTS - 1);
    }
}

uintptr_t tsl_site_pc(uint32_t site)
{
    return table->pc[site];
}

/* ---- global memory -------------------------------------------------------------------------- */

/* Distinct values among those added; few of them, so that a small table does. */
typedef struct distinct {
    uint64_t key[128];
    unsigned char used[128];
    uint64_t last;
    unsigned count;
} distinct;

static inline void distinct_add(distinct *d, uint64_t key)
{
    if (d->count > 0 && key == d->last) {
        return;
    }
    d->last = key;
    unsigned at = (unsigned)(key ^ key >> 7) & 127;
    while (d->used[at] && d->key[at] != key) {
        at = (at + 1) & 127;
    }
    if (!d->used[at]) {
        d->used[at] = 1;
        d->key[at] = key;
        d->count++;
    }
}

/* Are the lanes of a full warp's group side by side? Then counts need no table. */
static bool is_contiguous(const tsl_fiber *lanes, uint32_t group, unsigned size)
{
    if (group != UINT32_MAX) {
        return false;
    }
    const uintptr_t first = lanes[0].address;
    for (unsigned i = 1; i < TSL_LANES; i++) {
        if (lanes[i].address != first + (uintptr_t)i * size) {
            return false;
        }
    }
    return true;
}

static void count_half_warps(tsl_count *count, const tsl_fiber *lanes, uint32_t group,
                             unsigned size)
{
    const bool strict = tsl_now.device_minor < 2;
    for (unsigned half = 0; half < 2; half++) {
        const uint32_t part = group >> (16 * half) & 0xffff;
        uintptr_t address[16] = {0};
        unsigned bytes[16];
        for (unsigned i = 0; i < 16; i++) {
            address[i] = lanes[16 * half + i].address;
        }
        if (part == 0) {
            continue;
        }
        if (strict) {
            const tsl_half found = tsl_half_strict(address, part, size);
            count->transactions += found.transactions;
            count->uncoalesced += !found.coalesced;
        } else {
            const unsigned segments = tsl_half_segments(address, part, size, bytes);
            count->transactions += segments;
        }
    }
}

static void count_global(tsl_count *count, const tsl_fiber *lanes, uint32_t group, unsigned size)
{
    if (is_contiguous(lanes, group, size)) {
        const uintptr_t first = lanes[0].address;
        const uintptr_t last = first + (uintptr_t)TSL_LANES * size - 1;
        count->sectors += (last >> SECTOR) - (first >> SECTOR) + 1;
        count->least += (uint64_t)size * TSL_LANES >> SECTOR;
    } else {
        distinct sectors = {.count = 0};
        distinct places = {.count = 0};
        memset(sectors.used, 0, sizeof sectors.used);
        memset(places.used, 0, sizeof places.used);
        for (uint32_t left = group; left != 0; left &= left - 1) {
            const uintptr_t address = lanes[__builtin_ctz(left)].address;
            distinct_add(&places, address);
            distinct_add(&sectors, address >> SECTOR);
            distinct_add(&sectors, (address + size - 1) >> SECTOR);
        }
        count->sectors += sectors.count;
        count->least += ((uint64_t)places.count * size + (1u << SECTOR) - 1) >> SECTOR;
    }
    if (tsl_now.device_major == 1) {
        count_half_warps(count, lanes, group, size);
    }
}

/* ---- shared memory -------------------------------------------------------------------------- */

/* The most distinct words of `bytes` that fall into one bank. */
static unsigned most_in_a_bank(const tsl_fiber *lanes, uint32_t group, unsigned size,
                               unsigned banks)
{
    uintptr_t word[BANKS][4 * TSL_LANES];
    unsigned char words[BANKS];
    unsigned most = 1;
    memset(words, 0, sizeof words);
    for (uint32_t left = group; left != 0; left &= left - 1) {
        const uintptr_t address = lanes[__builtin_ctz(left)].address;
        for (uintptr_t w = address >> 2; w <= (address + size - 1) >> 2; w++) {
            const unsigned bank = (unsigned)(w & (banks - 1));
            unsigned i = 0;
            while (i < words[bank] && word[bank][i] != w) {
                i++;
            }
            if (i == words[bank]) {
                word[bank][words[bank]++] = w;
                most = words[bank] > most ? words[bank] : most;
            }
        }
    }
    return most;
}

/* Words of 8 bytes go by half-warps, of 16 bytes by quarters; those of 1.x always by half-warps and
 * 16 banks. */
static void count_shared(tsl_count *count, const tsl_fiber *lanes, uint32_t group, unsigned size)
{
    const bool old = tsl_now.device_major == 1;
    const unsigned parts = old ? 2 : size == 16 ? 4 : size == 8 ? 2 : 1;
    const unsigned width = TSL_LANES / parts;
    if (parts == 1 && is_contiguous(lanes, group, 4)) {
        count->wavefronts++;
        return;
    }
    for (unsigned part = 0; part < parts; part++) {
        const uint32_t mask = parts == 1 ? UINT32_MAX : ((1u << width) - 1) << (part * width);
        if ((group & mask) != 0) {
            const unsigned most = most_in_a_bank(lanes, group & mask, size, old ? 16 : BANKS);
            count->wavefronts += most;
            count->conflicts += most - 1;
        }
    }
}

void tsl_count_group(const tsl_warp *warp, uint32_t group)
{
    const tsl_fiber *const lanes = warp->lanes;
    const tsl_fiber *const first = &lanes[__builtin_ctz(group)];
    const unsigned size = first->size;
    const uintptr_t address = first->address;
    enum tsl_space_kind kind;
    if (address - tsl_now.shared.begin < tsl_now.shared.bytes) {
        kind = TSL_SPACE_SHARED;
    } else if (address - tsl_now.global.begin < tsl_now.global.bytes ||
               address - tsl_now.variables.begin < tsl_now.variables.bytes) {
        kind = TSL_SPACE_GLOBAL;
    } else if (address - tsl_now.constant_begin < tsl_now.constant_end - tsl_now.constant_begin) {
        kind = TSL_SPACE_CONSTANT;
    } else {
        return;
    }
    tsl_count *const count = &table->count[tsl_site(first->pc)][kind];
    const unsigned lanes_here = (unsigned)__builtin_popcount(group);
    count->requests++;
    count->lanes += lanes_here;
    count->kind |= first->kind;
    count->size = size;
    tsl_now.accesses += lanes_here;
    if (kind == TSL_SPACE_GLOBAL) {
        count_global(count, lanes, group, size);
    } else if (kind == TSL_SPACE_SHARED) {
        count_shared(count, lanes, group, size);
    }
}

/* ---- results -------------------------------------------------------------------------------- */

static void add(tsl_count *sum, const tsl_count *part)
{
    sum->requests += part->requests;
    sum->lanes += part->lanes;
    sum->sectors += part->sectors;
    sum->least += part->least;
    sum->wavefronts += part->wavefronts;
    sum->conflicts += part->conflicts;
    sum->transactions += part->transactions;
    sum->uncoalesced += part->uncoalesced;
    sum->kind |= part->kind;
    sum->size = part->size != 0 ? part->size : sum->size;
}

void tsl_counts_merge(int worker)
{
    const count_table *const other = tables + worker;
    for (uint32_t site = 1; site <= other->sites; site++) {
        const uint32_t own = tsl_site(other->pc[site]);
        for (int kind = 0; kind < TSL_SPACES; kind++) {
            add(&table->count[own][kind], &other->count[site][kind]);
        }
    }
}

void tsl_counts_write(uint64_t launch)
{
    for (uint32_t site = 0; site <= table->sites; site++) {
        for (int kind = 0; kind < TSL_SPACES; kind++) {
            const tsl_count *c = &table->count[site][kind];
            if (c->requests > 0) {
                tsl_write_line(
                    "count %llu %llx %d %u %u %llu %llu %llu %llu %llu %llu %llu %llu",
                    (unsigned long long)launch, (unsigned long long)table->pc[site], kind, c->kind,
                    c->size, (unsigned long long)c->requests, (unsigned long long)c->lanes,
                    (unsigned long long)c->sectors, (unsigned long long)c->least,
                    (unsigned long long)c->wavefronts, (unsigned long long)c->conflicts,
                    (unsigned long long)c->transactions, (unsigned long long)c->uncoalesced);
            }
        }
    }
}
