/* What a texture is for the runtime: plain C, for cuda_texture.h and src/lab/run/texture.c. */
#ifndef TESELA_LAB_TEXTURE_H
#define TESELA_LAB_TEXTURE_H

#include <stdbool.h>

#include "tesela_lab.h"

/* CUDA's numbers, of cudaChannelFormatKind, cudaTextureAddressMode and cudaError. */
enum { TSL_LAB_SIGNED, TSL_LAB_UNSIGNED, TSL_LAB_FLOATING };
enum { TSL_LAB_WRAP, TSL_LAB_CLAMP, TSL_LAB_MIRROR, TSL_LAB_BORDER };

/* Texels in the device's memory: `extent` of them along each axis, rows `row` and planes `plane`
 * bytes apart; each of 1, 2 or 4 channels of 8, 16 or 32 bits, which are numbers of `kind`. */
typedef struct tsl_lab_texels {
    char *memory;
    size_t extent[3];
    size_t row;
    size_t plane;
    int channels;
    int bits;
    int kind;
} tsl_lab_texels;

/* How texels are read. A list is plain memory, read by tex1Dfetch() only. */
typedef struct tsl_lab_texture {
    tsl_lab_texels texels;
    int list;
    int address[3];     /* what stands beyond the ends of an axis */
    int linear;         /* between texels, else the nearest one */
    int to_float;       /* whole numbers of 8 and 16 bits become [0, 1] or [-1, 1] */
    int normalized;     /* coordinates go from 0 to 1 along an axis, else from 0 to its extent */
    uint32_t border[4]; /* bits of the channels beyond the ends */
} tsl_lab_texture;

/* How a texture is fetched: by tex1Dfetch(); floats are wanted; and that many times the number of
 * coordinates that are given. */
enum { TSL_LAB_FETCH_LIST = 1, TSL_LAB_FETCH_FLOAT = 2, TSL_LAB_FETCH_AXIS = 4 };

#ifdef __cplusplus
extern "C" {
#endif

/* A handle for a texture, whose description is copied. Returns 0, or CUDA's number of an error: 1
 * for a description that no card takes, which is reported, 2 without memory. */
TSL_LAB_HOST int tsl_lab_texture_create(unsigned long long *out, const tsl_lab_texture *texture);
TSL_LAB_HOST int tsl_lab_texture_destroy(unsigned long long texture);

/* Copy `height` rows of `width` bytes between an array, from byte x of row y of plane z on, and
 * other memory, whose rows are `pitch` bytes apart. `kind`: cudaMemcpyKind. Returns 0, or CUDA's
 * number of an error: a copy that leaves the array is reported. */
TSL_LAB_HOST int tsl_lab_copy_texels(const tsl_lab_texels *array, size_t x, size_t y, size_t z,
                                     void *other, size_t pitch, size_t width, size_t height,
                                     bool to_array, int kind);

/* The value of a texture at coordinates `at`, or of element `index` of a list, as a card fetches
 * it: bits of four floats, or of whole numbers of 32 bits; channels that the texture has not are 0.
 * With i = floor(x - 1/2) and a = x - 1/2 - i, of which 8 bits are kept, a linear texture of one
 * axis gives (1 - a) T[i] + a T[i + 1]; of more axes T is summed over the corners of a cell with
 * weights that are products of such shares, kept to 8 bits: the whole is split along z, each part
 * along x, each of those along y, and a share is rounded to 1/256 before it is split on. A clamped
 * coordinate goes from the first texel's centre to the last one's. A texture of one axis is
 * filtered as one of two at y = 0, by which half of it is the border where that is the second axis'
 * mode. Unsigned texels read as [0, 1] are summed in multiples of 1/65535, and the sum is rounded
 * to one. Sources: CUDA C++ Programming Guide, "Texture Fetching", and all values of
 * tests/lab/files/textures.cu on an H200, for what the guide leaves open. Signed texels are summed
 * as floats. Reads are checked as any others, and not counted: a card's texture unit does them. */
TSL_LAB_DEVICE void tsl_lab_fetch(unsigned long long texture, int how, const float at[3], int index,
                                  uint32_t out[4]) TSL_LAB_APART;

#ifdef __cplusplus
}
#endif

#endif
