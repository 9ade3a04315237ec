/* Memory of the simulated device: one reserved range, closed to the host while no kernel runs; the
 * file's variables in sections that the linker has gathered; shared memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lab/run/memory.h"

enum { PAGE = 4096, GAP = 64 << 10, SMALL_GAP = 4 << 10, ALIGN = 512 };
#define RANGE ((size_t)64 << 30)      /* of addresses; memory is taken as it is touched */
#define OPEN_RANGE ((size_t)16 << 30) /* that the host may use too, at the end of it */

/* Sections of the learner's file, set out by the linker script of src/lab/build.c: each variable
 * with a gap behind it. */
extern char tsl_shared_begin[], tsl_shared_end[];
extern char tsl_device_begin[], tsl_device_end[];
extern char tsl_constant_begin[], tsl_constant_end[];
extern char tsl_managed_begin[], tsl_managed_end[];
extern const tsl_lab_type tsl_lab_types[] __attribute__((weak));

/* The dynamic piece of shared memory, where the linker script puts it: after the variables. */
char tsl_dynamic_shared[TSL_SHARED_BYTES] __attribute__((section("tsl_dynamic"), aligned(1024)));

/* Before it, the variables of functions, which are given places launch by launch. */
enum { STATIC_ROOM = 96 << 10, STATIC_MOST = 48 << 10, MOST_VARIABLES = 256 };
static char static_shared[STATIC_ROOM] __attribute__((section("tsl_static"), aligned(1024)));

typedef struct variable {
    const char *where; /* the function's text; its address tells instances of templates apart */
    const char *name;
    int number;
    size_t at;
    size_t bytes;
} variable;

static variable variables[MOST_VARIABLES];
static int variable_count;
static size_t static_top, static_bytes;

/* So that the sections are there in a file without such variables. */
__attribute__((section("tsl_pad.device"), used)) static char device_pad[16];
__attribute__((section("tsl_pad.managed"), used)) static char managed_pad[16];
__attribute__((section("tsl_pad.constant"), used)) static char constant_pad[16];

typedef struct piece {
    uintptr_t begin;
    size_t bytes;
    bool host_too;
} piece;

static piece *pieces; /* in the order of addresses, with those given back left out */
static size_t piece_count, piece_room;
static uintptr_t top[2]; /* of the closed and of the open part */
static char *alias;      /* the same memory at addresses that stay open */
static int64_t taken;

/* ---- begin ---------------------------------------------------------------------------------- */

static void *map_shared(size_t bytes)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE,
                    -1, 0);
    if (at == MAP_FAILED) {
        tsl_fatal("cannot reserve %zu bytes of addresses", bytes);
    }
    return at;
}

static void add_knowledge(tsl_space *space, bool valid)
{
    space->cells = map_shared((space->bytes / 4 + 8) * sizeof(tsl_cell));
    space->written = map_shared(space->bytes / 8 + 16);
    space->valid = valid ? map_shared(space->bytes / 8 + 16) : NULL;
}

/* Processes that share a launch's blocks share the device's variables too. */
static void share_section(char *begin, char *end)
{
    const size_t bytes = (size_t)(end - begin);
    char *copy = bytes > 0 ? malloc(bytes) : NULL;
    if (copy == NULL) {
        return;
    }
    memcpy(copy, begin, bytes);
    if (mmap(begin, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
        MAP_FAILED) {
        tsl_fatal("cannot map the device's variables");
    }
    memcpy(begin, copy, bytes);
    free(copy);
}

static void begin_variables(void)
{
    tsl_space *const v = &tsl_now.variables;
    share_section(tsl_device_begin, tsl_managed_end); /* side by side: see the script */
    *v = (tsl_space){.begin = (uintptr_t)tsl_device_begin,
                     .bytes = (size_t)(tsl_managed_end - tsl_device_begin),
                     .kind = TSL_SPACE_GLOBAL};
    add_knowledge(v, true);
    memset(v->written, 255, v->bytes / 8 + 8); /* initialised, or 0 as C says */
    tsl_now.constant_begin = (uintptr_t)tsl_constant_begin;
    tsl_now.constant_end = (uintptr_t)tsl_constant_end;
}

static void mark_valid(const tsl_space *space, uintptr_t address, size_t bytes)
{
    for (size_t at = address - space->begin, end = at + bytes; at < end; at++) {
        space->valid[at >> 3] = (uint8_t)(space->valid[at >> 3] | 1u << (at & 7));
    }
}

static void clear_valid(const tsl_space *space, uintptr_t address, size_t bytes)
{
    for (size_t at = address - space->begin, end = at + bytes; at < end; at++) {
        space->valid[at >> 3] = (uint8_t)(space->valid[at >> 3] & ~(1u << (at & 7)));
    }
}

static void on_symbol(void *user, uintptr_t address, size_t bytes)
{
    const tsl_space *const spaces[] = {&tsl_now.shared, &tsl_now.variables};
    (void)user;
    for (int i = 0; i < 2; i++) {
        const bool dynamic =
            address == (uintptr_t)tsl_dynamic_shared || address == (uintptr_t)static_shared;
        if (!dynamic && address - spaces[i]->begin < spaces[i]->bytes &&
            bytes <= spaces[i]->bytes) {
            mark_valid(spaces[i], address, bytes);
        }
    }
}

void tsl_memory_begin(void)
{
    const int file = memfd_create("tesela-lab", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, (off_t)RANGE) != 0) {
        tsl_fatal("cannot make the device's memory");
    }
    void *closed = mmap(NULL, RANGE, PROT_NONE, MAP_SHARED | MAP_NORESERVE, file, 0);
    void *open = mmap(NULL, RANGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
    if (closed == MAP_FAILED || open == MAP_FAILED) {
        tsl_fatal("cannot reserve %zu bytes of addresses", RANGE);
    }
    close(file);
    alias = open;
    tsl_now.global =
        (tsl_space){.begin = (uintptr_t)closed, .bytes = RANGE, .kind = TSL_SPACE_GLOBAL};
    add_knowledge(&tsl_now.global, false);
    top[0] = tsl_now.global.begin + (2 << 20);
    top[1] = tsl_now.global.begin + RANGE - OPEN_RANGE;
    if (mprotect((void *)top[1], OPEN_RANGE, PROT_READ | PROT_WRITE) != 0) {
        tsl_fatal("cannot open memory to the host");
    }
    tsl_now.shared =
        (tsl_space){.begin = (uintptr_t)tsl_shared_begin,
                    .bytes = (size_t)(tsl_dynamic_shared + TSL_SHARED_BYTES - tsl_shared_begin),
                    .kind = TSL_SPACE_SHARED};
    add_knowledge(&tsl_now.shared, true);
    begin_variables();
    tsl_symbols_read(on_symbol, NULL);
}

void *tsl_lab_shared(int number, const char *where, const char *name, size_t bytes,
                     size_t alignment)
{
    for (int i = 0; i < variable_count; i++) {
        if (variables[i].number == number && variables[i].where == where) {
            return static_shared + variables[i].at;
        }
    }
    const size_t unit = alignment > 128 ? alignment : 128; /* of banks: gaps change no conflict */
    const size_t at = (static_top + unit - 1) / unit * unit;
    static_bytes += bytes;
    if (static_bytes > (tsl_now.device_major == 1 ? 16u << 10 : STATIC_MOST) ||
        at + bytes + 128 > STATIC_ROOM || variable_count == MOST_VARIABLES) {
        tsl_fatal("%s: the __shared__ variables of a kernel take more than %d bytes: take dynamic "
                  "shared memory for it",
                  name, tsl_now.device_major == 1 ? 16 << 10 : STATIC_MOST);
    }
    variables[variable_count++] = (variable){where, name, number, at, bytes};
    static_top = at + bytes + 128;
    mark_valid(&tsl_now.shared, (uintptr_t)static_shared + at, bytes);
    return static_shared + at;
}

static void forget_variables(void)
{
    for (int i = 0; i < variable_count; i++) {
        clear_valid(&tsl_now.shared, (uintptr_t)static_shared + variables[i].at,
                    variables[i].bytes);
    }
    variable_count = 0;
    static_top = static_bytes = 0;
}

static const variable *variable_at(uintptr_t address)
{
    const uintptr_t at = address - (uintptr_t)static_shared;
    const variable *best = NULL;
    for (int i = 0; i < variable_count; i++) {
        const bool before =
            variables[i].at <= at && at < variables[i].at + variables[i].bytes + 4096;
        best = before && (best == NULL || best->at < variables[i].at) ? &variables[i] : best;
    }
    return best;
}

void tsl_memory_begin_shared(size_t dynamic)
{
    tsl_space *const shared = &tsl_now.shared;
    const uintptr_t at = (uintptr_t)tsl_dynamic_shared;
    forget_variables();
    clear_valid(shared, at, tsl_now.dynamic_shared);
    mark_valid(shared, at, dynamic);
    tsl_now.dynamic_shared = dynamic;
    tsl_now.shared_used = at + dynamic - shared->begin;
}

/* ---- host and device ------------------------------------------------------------------------ */

void tsl_memory_open(bool open)
{
    const int protection = open ? PROT_READ | PROT_WRITE : PROT_NONE;
    const uintptr_t begin = tsl_now.global.begin;
    const size_t closed = RANGE - OPEN_RANGE;
    mprotect((void *)begin, closed, protection);
    if (tsl_now.variables.bytes > 0) {
        mprotect(tsl_device_begin, (size_t)(tsl_managed_begin - tsl_device_begin), protection);
    }
    if (tsl_now.constant_end > tsl_now.constant_begin) {
        mprotect(tsl_constant_begin, (size_t)(tsl_constant_end - tsl_constant_begin),
                 open ? PROT_READ : PROT_NONE);
    }
}

void tsl_memory_open_variables(bool open)
{
    const int protection = open ? PROT_READ | PROT_WRITE : PROT_NONE;
    mprotect(tsl_device_begin, (size_t)(tsl_managed_begin - tsl_device_begin), protection);
    mprotect(tsl_constant_begin, (size_t)(tsl_constant_end - tsl_constant_begin), protection);
}

bool tsl_memory_is_variable(uintptr_t address)
{
    return address - (uintptr_t)tsl_device_begin < (size_t)(tsl_managed_begin - tsl_device_begin) ||
           address - tsl_now.constant_begin < tsl_now.constant_end - tsl_now.constant_begin;
}

bool tsl_memory_is_closed(uintptr_t address)
{
    return address - tsl_now.global.begin < RANGE - OPEN_RANGE || tsl_memory_is_variable(address);
}

void *tsl_memory_alias(const void *address)
{
    const uintptr_t at = (uintptr_t)address - tsl_now.global.begin;
    return at < RANGE ? alias + at : (void *)(uintptr_t)address;
}

/* ---- pieces --------------------------------------------------------------------------------- */

/* Place of the first piece that begins after `address`. */
static size_t after(uintptr_t address)
{
    size_t low = 0;
    size_t high = piece_count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (pieces[middle].begin <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

int64_t tsl_memory_free(void)
{
    return tsl_now.memory - taken;
}

void *tsl_memory_take(size_t bytes, bool host_too)
{
    const size_t gap = bytes >= SMALL_GAP ? GAP : SMALL_GAP;
    const size_t room = (bytes + ALIGN - 1) / ALIGN * ALIGN + gap;
    const uintptr_t end = tsl_now.global.begin + (host_too ? RANGE : RANGE - OPEN_RANGE);
    if ((int64_t)bytes > tsl_memory_free() || top[host_too] + room > end) {
        return NULL;
    }
    if (piece_count == piece_room) {
        const size_t more = piece_room == 0 ? 256 : 2 * piece_room;
        piece *grown = realloc(pieces, more * sizeof *grown);
        if (grown == NULL) {
            return NULL;
        }
        pieces = grown;
        piece_room = more;
    }
    const uintptr_t begin = top[host_too];
    const size_t at = after(begin);
    memmove(pieces + at + 1, pieces + at, (piece_count - at) * sizeof *pieces);
    pieces[at] = (piece){.begin = begin, .bytes = bytes, .host_too = host_too};
    piece_count++;
    top[host_too] += room;
    taken += (int64_t)bytes;
    return (void *)begin;
}

bool tsl_memory_give(void *memory)
{
    const size_t at = after((uintptr_t)memory);
    if (at == 0 || pieces[at - 1].begin != (uintptr_t)memory) {
        return false;
    }
    const piece old = pieces[at - 1];
    const uintptr_t page = (old.begin + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
    const uintptr_t end = (old.begin + old.bytes) & ~(uintptr_t)(PAGE - 1);
    if (end > page) {
        madvise(tsl_memory_alias((void *)page), end - page, MADV_REMOVE);
    }
    memmove(pieces + at - 1, pieces + at, (piece_count - at) * sizeof *pieces);
    piece_count--;
    taken -= (int64_t)old.bytes;
    tsl_now.piece_bytes = 0;
    tsl_now.piece = 0;
    return true;
}

bool tsl_memory_holds(uintptr_t address, size_t size)
{
    const size_t at = after(address);
    if (at == 0 || address + size > pieces[at - 1].begin + pieces[at - 1].bytes) {
        return false;
    }
    tsl_now.piece = pieces[at - 1].begin;
    tsl_now.piece_bytes = pieces[at - 1].bytes;
    return true;
}

bool tsl_memory_piece(uintptr_t address, uintptr_t *begin, size_t *bytes, bool *host_too)
{
    const size_t at = after(address);
    const bool found = at > 0 && address - pieces[at - 1].begin < pieces[at - 1].bytes;
    if (found) {
        *begin = pieces[at - 1].begin;
        *bytes = pieces[at - 1].bytes;
        *host_too = pieces[at - 1].host_too;
    }
    return found;
}

/* ---- words for an address ------------------------------------------------------------------- */

static void describe_piece(char *text, size_t bytes, uintptr_t address)
{
    const size_t at = after(address);
    const piece *before = at > 0 ? &pieces[at - 1] : NULL;
    const piece *behind = at < piece_count ? &pieces[at] : NULL;
    if (before != NULL && address < before->begin + before->bytes) {
        snprintf(text, bytes, "byte %zu of the %zu that cudaMalloc() gave",
                 (size_t)(address - before->begin), before->bytes);
    } else if (before != NULL && (behind == NULL || address - before->begin - before->bytes <
                                                        behind->begin - address)) {
        const size_t past = (size_t)(address - before->begin - before->bytes);
        if (past == 0) {
            snprintf(text, bytes, "just past the end of the %zu bytes that cudaMalloc() gave",
                     before->bytes);
        } else {
            snprintf(text, bytes, "%zu bytes past the end of the %zu that cudaMalloc() gave", past,
                     before->bytes);
        }
    } else if (behind != NULL) {
        snprintf(text, bytes, "%zu bytes before the %zu that cudaMalloc() gave",
                 (size_t)(behind->begin - address), behind->bytes);
    } else {
        snprintf(text, bytes, "global memory of which nothing is allocated");
    }
}

static void describe_variable(char *text, size_t bytes, const char *name, size_t length, size_t at)
{
    if (at < length) {
        snprintf(text, bytes, "byte %zu of %zu of %s", at, length, name);
    } else {
        snprintf(text, bytes, "%zu bytes past the end of %s, of %zu", at - length, name, length);
    }
}

void tsl_memory_describe(char *text, size_t bytes, uintptr_t address, size_t size)
{
    char name[128];
    uintptr_t begin;
    size_t length;
    const uintptr_t dynamic = (uintptr_t)tsl_dynamic_shared;
    (void)size;
    const variable *const v =
        address - (uintptr_t)static_shared < STATIC_ROOM ? variable_at(address) : NULL;
    if (v != NULL) {
        describe_variable(text, bytes, v->name, v->bytes,
                          address - (uintptr_t)static_shared - v->at);
    } else if (address - tsl_now.global.begin < tsl_now.global.bytes) {
        describe_piece(text, bytes, address);
    } else if (address - dynamic < TSL_SHARED_BYTES) {
        snprintf(text, bytes, "byte %zu of %zu of dynamic shared memory",
                 (size_t)(address - dynamic), tsl_now.dynamic_shared);
    } else if (tsl_symbol_at(address, name, sizeof name, &begin, &length)) {
        describe_variable(text, bytes, name, length, address - begin);
    } else if (address < PAGE) {
        snprintf(text, bytes, "a null pointer%s", address > 0 ? " and a little more" : "");
    } else {
        snprintf(text, bytes, "memory of the host, or of nobody: pass what cudaMalloc() gave");
    }
}

size_t tsl_type_alignment(size_t bytes)
{
    size_t found = 0;
    for (const tsl_lab_type *t = tsl_lab_types; t != NULL && t->bytes != 0; t++) {
        if (t->bytes == bytes && (found == 0 || t->alignment < found)) {
            found = t->alignment;
        }
    }
    return found;
}

void tsl_types_write(void)
{
    for (const tsl_lab_type *t = tsl_lab_types; t != NULL && t->bytes != 0; t++) {
        tsl_write_line("type %zu %zu %d", t->bytes, t->alignment, t->number);
    }
}
