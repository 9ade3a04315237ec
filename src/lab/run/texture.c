/* Textures: see include/tesela-lab/lab_texture.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lab/run/api.h"
#include "lab/run/graph.h"
#include "tesela-lab/half_bits.h"
#include "tesela-lab/lab_texture.h"

#define CALLER ((uintptr_t)__builtin_return_address(0))

enum { ADDRESS_UNIT = 512, PITCH_UNIT = 32, WEIGHTS = 256 };
enum { NORMALIZED_BITS = 16, NORMALIZED_MOST = (1 << NORMALIZED_BITS) - 1 };

typedef struct slot {
    tsl_lab_texture texture;
    bool used;
} slot;

static slot *slots; /* handles count from 1 */
static size_t slot_count, slot_room;

/* ---- textures of the host -------------------------------------------------------------------- */

static size_t texel_bytes(const tsl_lab_texels *t)
{
    return (size_t)(t->channels * t->bits) / 8;
}

/* Why no card takes a texture; NULL if one does. */
static const char *find_fault(const tsl_lab_texture *t)
{
    const tsl_lab_texels *const x = &t->texels;
    const bool floating = x->kind == TSL_LAB_FLOATING;
    if (x->memory == NULL || x->extent[0] == 0) {
        return "it has no memory";
    }
    if ((x->channels != 1 && x->channels != 2 && x->channels != 4) ||
        (x->bits != 8 && x->bits != 16 && x->bits != 32) || (floating && x->bits == 8)) {
        return "texels have 1, 2 or 4 channels alike, of 8, 16 or 32 bits, floats of 16 or 32";
    }
    if ((uintptr_t)x->memory % ADDRESS_UNIT != 0) {
        return "its memory does not begin at a multiple of 512 bytes";
    }
    if (!t->list && x->extent[1] > 1 && x->row % PITCH_UNIT != 0) {
        return "its rows are not a multiple of 32 bytes apart: cudaMallocPitch() gives such memory";
    }
    if (t->to_float && !floating && x->bits > NORMALIZED_BITS) {
        return "only whole numbers of 8 and 16 bits are read as normalized floats";
    }
    if (t->linear && !t->list && !floating && !t->to_float) {
        return "only floats can be filtered: read whole numbers as normalized floats";
    }
    return NULL;
}

int tsl_lab_texture_create(unsigned long long *out, const tsl_lab_texture *texture)
{
    const char *const fault = find_fault(texture);
    if (fault != NULL) {
        tsl_report("texture", CALLER, 0, "no card takes this texture: %s", fault);
        return tsl_api_fail(TSL_INVALID_VALUE);
    }
    if (slot_count == slot_room) {
        const size_t more = slot_room == 0 ? 16 : 2 * slot_room;
        slot *const grown = realloc(slots, more * sizeof *grown);
        if (grown == NULL) {
            return tsl_api_fail(TSL_NO_MEMORY);
        }
        slots = grown;
        slot_room = more;
    }
    slot *const s = &slots[slot_count++];
    *s = (slot){.texture = *texture, .used = true};
    for (int axis = 0; axis < 3; axis++) { /* as a card takes it */
        const int address = texture->address[axis];
        const bool repeats = address == TSL_LAB_WRAP || address == TSL_LAB_MIRROR;
        s->texture.address[axis] = texture->list                     ? TSL_LAB_BORDER
                                   : repeats && !texture->normalized ? TSL_LAB_CLAMP
                                                                     : address;
    }
    *out = slot_count;
    return 0;
}

static slot *find_slot(unsigned long long texture)
{
    return texture - 1 < slot_count && slots[texture - 1].used ? &slots[texture - 1] : NULL;
}

int tsl_lab_texture_destroy(unsigned long long texture)
{
    slot *const found = find_slot(texture);
    if (found == NULL) {
        tsl_report("texture", CALLER, 0,
                   "cudaDestroyTextureObject() of what is no texture, or of one destroyed already");
        return tsl_api_fail(TSL_INVALID_VALUE);
    }
    found->used = false;
    return 0;
}

/* ---- arrays ---------------------------------------------------------------------------------- */

int tsl_lab_copy_texels(const tsl_lab_texels *array, size_t x, size_t y, size_t z, void *other,
                        size_t pitch, size_t width, size_t height, bool to_array, int kind)
{
    const size_t row = array->extent[0] * texel_bytes(array);
    const bool inside = x <= row && width <= row - x && y <= array->extent[1] &&
                        height <= array->extent[1] - y && z < array->extent[2];
    int error = 0;
    if (!inside) {
        tsl_report("copy", CALLER, 0,
                   "a copy of %zu bytes x %zu rows at (%zu, %zu, %zu) leaves an array of %zu bytes "
                   "x %zu rows x %zu",
                   width, height, x, y, z, row, array->extent[1], array->extent[2]);
        return tsl_api_fail(TSL_INVALID_VALUE);
    }
    for (size_t i = 0; i < height && error == 0; i++) {
        char *const here = array->memory + z * array->plane + (y + i) * array->row + x;
        char *const there = (char *)other + i * pitch;
        error = tsl_copy_at(to_array ? here : there, to_array ? there : here, width, kind, CALLER);
    }
    return error;
}

/* ---- texels ---------------------------------------------------------------------------------- */

/* A channel as it stands in memory: the bits of a float, or of a whole number of 32 bits. The
 * texel is not read by memcpy(), which would be taken for the learner's own access. */
static uint32_t read_channel(const tsl_lab_texels *t, const char *at)
{
    const void *const from = at;
    uint32_t bits = t->bits == 8    ? *(const uint8_t *)from
                    : t->bits == 16 ? *(const uint16_t *)from
                                    : *(const uint32_t *)from;
    if (t->kind == TSL_LAB_FLOATING && t->bits == 16) {
        const float value = tsl_lab_half_value((uint16_t)bits);
        memcpy(&bits, &value, sizeof bits);
    } else if (t->kind == TSL_LAB_SIGNED && t->bits < 32) {
        const uint32_t sign = (uint32_t)1 << (t->bits - 1);
        bits = (bits ^ sign) - sign;
    }
    return bits;
}

/* A whole number as a float of [0, 1] or [-1, 1]; the least of the signed ones is -1, too. */
static float normalize(const tsl_lab_texels *t, uint32_t bits)
{
    const bool is_signed = t->kind == TSL_LAB_SIGNED;
    const float most = (float)(((uint32_t)1 << (t->bits - is_signed)) - 1);
    const float value = (is_signed ? (float)(int32_t)bits : (float)bits) / most;
    return value < -1 ? -1 : value;
}

/* Place of index i among n, or false beyond the border. */
static bool place(int64_t *i, int64_t n, int address)
{
    const int64_t period = address == TSL_LAB_MIRROR ? 2 * n : n;
    switch (address) {
    case TSL_LAB_BORDER:
        return *i >= 0 && *i < n;
    case TSL_LAB_WRAP:
    case TSL_LAB_MIRROR:
        *i = (*i % period + period) % period;
        *i = *i >= n ? period - 1 - *i : *i;
        return true;
    default:
        *i = *i < 0 ? 0 : *i >= n ? n - 1 : *i;
        return true;
    }
}

/* The texel at indices that may lie beyond the ends. */
static void read_texel(uint32_t out[4], const tsl_lab_texture *t, const int64_t index[3],
                       uintptr_t pc)
{
    const tsl_lab_texels *const x = &t->texels;
    const size_t steps[3] = {texel_bytes(x), x->row, x->plane};
    const char *at = x->memory;
    bool inside = true;
    for (int axis = 0; axis < 3; axis++) {
        int64_t i = index[axis];
        inside = place(&i, (int64_t)x->extent[axis], t->address[axis]) && inside;
        at += inside ? (size_t)i * steps[axis] : 0;
    }
    if (inside && tsl_now.way == TSL_WAY_CHECKS) {
        tsl_check(tsl_now.current, (uintptr_t)at, (unsigned)steps[0], TSL_READ, pc);
    }
    for (int c = 0; c < x->channels; c++) {
        out[c] = inside ? read_channel(x, at + c * x->bits / 8) : t->border[c];
        if (t->to_float && x->kind != TSL_LAB_FLOATING && inside) {
            const float value = normalize(x, out[c]);
            memcpy(&out[c], &value, sizeof value);
        }
    }
}

/* ---- coordinates ----------------------------------------------------------------------------- */

/* A coordinate in texels. Those far out, and no numbers, are brought to where indices hold them. */
static double in_texels(const tsl_lab_texture *t, int axis, float at)
{
    double x = at;
    if (t->normalized) {
        x -= t->address[axis] == TSL_LAB_WRAP     ? floor(x)
             : t->address[axis] == TSL_LAB_MIRROR ? 2 * floor(x / 2)
                                                  : 0;
        x *= (double)t->texels.extent[axis];
    }
    return x > -1e9 ? (x < 1e9 ? x : 1e9) : -1e9;
}

static void fetch_nearest(uint32_t out[4], const tsl_lab_texture *t, const float at[3],
                          uintptr_t pc)
{
    int64_t index[3];
    for (int axis = 0; axis < 3; axis++) {
        index[axis] = (int64_t)floor(in_texels(t, axis, at[axis]));
    }
    read_texel(out, t, index, pc);
}

/* Weights of the 8 corners of a cell in WEIGHTS-ths, of the shares `beyond` along x, y and z: the
 * whole is split along z, that along x, that along y, and each share is rounded. Axis k of corner c
 * is bit k of c. */
static void weigh(int weight[8], const int beyond[3])
{
    for (int half = 0; half < 2; half++) {
        int *const w = weight + 4 * half;
        const int total = half ? beyond[2] : WEIGHTS - beyond[2];
        const int right = (total * beyond[0] + WEIGHTS / 2) / WEIGHTS;
        const int left = total - right;
        w[3] = (right * beyond[1] + WEIGHTS / 2) / WEIGHTS;
        w[1] = right - w[3];
        w[0] = (left * (WEIGHTS - beyond[1]) + WEIGHTS / 2) / WEIGHTS;
        w[2] = left - w[0];
    }
}

/* The cell of texels around a point, and how far beyond its first corner that is. */
static void find_cell(int64_t first[3], int beyond[3], const tsl_lab_texture *t, const float at[3],
                      int axes)
{
    for (int axis = 0; axis < 3; axis++) {
        double x = axis < axes ? in_texels(t, axis, at[axis]) : axis == 1 ? 0 : 0.5;
        const double last = (double)t->texels.extent[axis] - 0.5;
        if (t->address[axis] == TSL_LAB_CLAMP) {
            x = x < 0.5 ? 0.5 : x > last ? last : x;
        }
        const double from_centre = x - 0.5;
        first[axis] = (int64_t)floor(from_centre);
        beyond[axis] = (int)rint((from_centre - floor(from_centre)) * WEIGHTS);
    }
}

/* The sum over the corners of the cell of texels around a point; corners of no weight are not read.
 * Whole numbers that are read as [0, 1] are summed as multiples of 1 / NORMALIZED_MOST. */
static void fetch_linear(uint32_t out[4], const tsl_lab_texture *t, const float at[3], int axes,
                         uintptr_t pc)
{
    const bool whole = t->to_float && t->texels.kind == TSL_LAB_UNSIGNED;
    int64_t first[3];
    int beyond[3];
    int weight[8];
    double sum[4] = {0, 0, 0, 0};
    find_cell(first, beyond, t, at, axes);
    weigh(weight, beyond);
    for (int corner = 0; corner < 8; corner++) {
        int64_t index[3];
        uint32_t bits[4];
        if (weight[corner] == 0) {
            continue;
        }
        for (int axis = 0; axis < 3; axis++) {
            index[axis] = first[axis] + (corner >> axis & 1);
        }
        read_texel(bits, t, index, pc);
        for (int c = 0; c < t->texels.channels; c++) {
            float value;
            memcpy(&value, &bits[c], sizeof value);
            const double term = whole ? rint((double)value * NORMALIZED_MOST) : (double)value;
            sum[c] += weight[corner] * term;
        }
    }
    for (int c = 0; c < t->texels.channels; c++) {
        const double mean = sum[c] / WEIGHTS;
        const float value = (float)(whole ? rint(mean) / NORMALIZED_MOST : mean);
        memcpy(&out[c], &value, sizeof value);
    }
}

/* ---- fetches --------------------------------------------------------------------------------- */

/* A fetch that means nothing ends the launch. */
static void refuse(uintptr_t pc, const char *why)
{
    tsl_report("texture", pc, 0, "thread %u of block %llu: %s", tsl_now.current->thread,
               (unsigned long long)tsl_now.block->number, why);
    tsl_now.failed = true;
    tsl_now.sticky = 719;
    tsl_stop();
}

static const tsl_lab_texture *find_texture(unsigned long long texture, int how, uintptr_t pc)
{
    const slot *const found = find_slot(texture);
    if (found == NULL) {
        refuse(pc, "a fetch of what is no texture, or of one destroyed already");
    }
    const tsl_lab_texture *const t = &found->texture;
    const bool floats = t->texels.kind == TSL_LAB_FLOATING || t->to_float;
    if ((t->list != 0) != ((how & TSL_LAB_FETCH_LIST) != 0)) {
        refuse(pc, t->list ? "this texture is of plain memory: only tex1Dfetch() reads it"
                           : "tex1Dfetch() reads textures of plain memory only");
    }
    if (floats != ((how & TSL_LAB_FETCH_FLOAT) != 0)) {
        refuse(pc, floats ? "this texture gives floats, and whole numbers are asked for"
                          : "this texture gives whole numbers, and floats are asked for");
    }
    return t;
}

void tsl_lab_fetch(unsigned long long texture, int how, const float at[3], int index,
                   uint32_t out[4])
{
    const uintptr_t pc = CALLER;
    if (tsl_now.current == NULL) {
        abort(); /* the host has called it */
    }
    const tsl_lab_texture *const t = find_texture(texture, how, pc);
    memset(out, 0, 4 * sizeof *out);
    if (t->list) {
        const int64_t element[3] = {index, 0, 0};
        read_texel(out, t, element, pc);
    } else if (t->linear) {
        fetch_linear(out, t, at, how / TSL_LAB_FETCH_AXIS, pc);
    } else {
        fetch_nearest(out, t, at, pc);
    }
}
