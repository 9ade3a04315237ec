/** @file transpose.h
 *  Transposition of three-dimensional arrays: the six orders of their axes, out of place and in
 *  place, on a context's device.
 *
 *  An array of shape (nx, ny, nz) holds A(x, y, z) at element
 *
 *      x + nx (y + ny z)            0 <= x < nx, 0 <= y < ny, 0 <= z < nz
 *
 *  x varies fastest. A permutation names the axes of the result, fastest first: `yzx` puts
 *  A(x, y, z) at element y + ny (z + nz x). yxz, zyx and xzy are their own inverses; yzx and zxy
 *  are each other's. Elements are moved as they are, whatever they mean.
 *
 *  In numpy's terms, for an array of C order and shape (nz, ny, nx), yzx is
 *  numpy.transpose(a, (2, 0, 1)).
 *
 *  Sources: Ruetsch & Micikevicius, Optimizing matrix transpose in CUDA, NVIDIA (2009), for tiles;
 *  Jodra, Gurrutxaga & Muguerza, Int. J. Parallel Prog. 43 (2015) 876, for bricks in place.
 */
#ifndef TESELA_TRANSPOSE_H
#define TESELA_TRANSPOSE_H

#include <stddef.h>
#include <stdint.h>

#include "tesela/buffer.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Order of the axes of the result, fastest axis first. */
typedef enum tsl_permutation {
    TSL_PERMUTATION_XYZ = 0, /**< a copy */
    TSL_PERMUTATION_YXZ = 1, /**< x and y exchanged: each xy-plane transposed */
    TSL_PERMUTATION_ZYX = 2, /**< x and z exchanged */
    TSL_PERMUTATION_XZY = 3, /**< y and z exchanged: rows keep their contents */
    TSL_PERMUTATION_YZX = 4, /**< rotation: the matrix nx by (ny nz), transposed */
    TSL_PERMUTATION_ZXY = 5  /**< rotation: the matrix (nx ny) by nz, transposed */
} tsl_permutation;

enum { TSL_PERMUTATIONS = 6 }; /**< their number */

/** Convert a name to a permutation: "yzx" to TSL_PERMUTATION_YZX, and so on.
 *  @param[out] out   untouched unless the text is one of the six names
 *  @param[in]  text  three letters
 *  @return TSL_OK; TSL_E_ARG for an unknown name. Thread-safe. */
TSL_API tsl_status tsl_permutation_parse(tsl_permutation *out, const char *text);

/** Name of a permutation, "yzx"; NULL for any other number. The string is static. */
TSL_API const char *tsl_permutation_name(tsl_permutation permutation);

/** The inverse permutation. A number that is not a permutation is returned unchanged. */
TSL_API tsl_permutation tsl_permutation_inverse(tsl_permutation permutation);

/** Shape of the result: out[i] is the length of its axis i, fastest first. For a number that is not
 *  a permutation it is `shape`. `out` and `shape` may be the same array. */
TSL_API void tsl_permutation_shape(int64_t out[3], const int64_t shape[3],
                                   tsl_permutation permutation);

/** What to transpose. Initialise with TSL_TRANSPOSE_OPTIONS_INIT. */
typedef struct tsl_transpose_options {
    size_t size;      /**< sizeof(tsl_transpose_options) */
    int64_t shape[3]; /**< nx, ny, nz, each >= 1; the array may have more than 2^31 elements */
    tsl_permutation permutation;
    int element;       /**< bytes of an element: 4, 8 or 16 */
    int in_place;      /**< not 0: the result takes the array's place */
    int64_t auxiliary; /**< in place: device memory that the plan may allocate, bytes; 0: the larger
                            of 32 MiB and 1 % of the array */
    int tile;       /**< side of the tiles that are exchanged, elements; 0: chosen for the device */
    int per_thread; /**< elements of a tile that a thread moves; 0: chosen for the device */
} tsl_transpose_options;

#define TSL_TRANSPOSE_OPTIONS_INIT                                                                 \
    {                                                                                              \
        sizeof(tsl_transpose_options), {0, 0, 0}, TSL_PERMUTATION_XYZ, 8, 0, 0, 0, 0               \
    }

/** A plan for a transposition, which can be executed any number of times. */
typedef struct tsl_transpose_plan tsl_transpose_plan;

/** Plan a transposition and allocate the memory it needs.
 *
 *  Out of place, only the plan itself is allocated. In place there are three cases:
 *  - Square planes (yxz, zyx and xzy whose two exchanged lengths are equal) and rotations of cubes
 *    need no further memory. They pass over the array once.
 *  - Rows of at least 1024 bytes (xzy) are moved directly to their places, in one pass.
 *  - All other shapes use auxiliary memory. If the array fits into it, it is transposed in one
 *    piece, otherwise in pieces that fit. The pieces are then put in order along the cycles of
 *    their permutation. This passes over the array two or three times, or five times if the pieces
 *    do not divide the array; zyx takes up to twice as many.
 *
 *  Memory is at most `auxiliary` bytes and 24 bytes for each piece. Unless `auxiliary` says
 *  otherwise, together this is less than the larger of 32 MiB and 2 % of the array.
 *
 *  @param[out] out      the new plan, owned by the caller: tsl_transpose_plan_destroy()
 *  @param[in]  options  what to transpose
 *  @return TSL_OK; TSL_E_ARG if an option is out of its range; TSL_E_UNSUPPORTED if the device has
 *          no kernels for that tile and per_thread; TSL_E_NOMEM if `auxiliary` is too small for two
 *          lines of the shorter of two exchanged lengths, or memory is exhausted; TSL_E_DEVICE.
 */
TSL_API tsl_status tsl_transpose_plan_create(tsl_transpose_plan **out, tsl_context *context,
                                             const tsl_transpose_options *options);

/** Release a plan. A plan that holds device memory waits for its work first. NULL is allowed. */
TSL_API void tsl_transpose_plan_destroy(tsl_transpose_plan *plan);

/** Device memory that the plan holds, bytes. */
TSL_API int64_t tsl_transpose_plan_bytes(const tsl_transpose_plan *plan);

/** Transpose an array.
 *
 *  @param[out] out  at least nx ny nz elements. For a plan out of place they must not overlap those
 *                   of `in`; for a plan in place they must be the same memory. The addresses of
 *                   both must be multiples of 16
 *  @param[in]  in   nx ny nz elements, unchanged unless the plan is in place
 *  @return TSL_OK; TSL_E_ARG if a buffer is too small or misaligned, or shared where it may not be;
 *          TSL_E_DEVICE.
 *
 *  Exact: elements are copied bit for bit. Asynchronous on the context's stream. Allocates nothing
 *  on the device.
 */
TSL_API tsl_status tsl_transpose_execute(tsl_transpose_plan *plan, tsl_buffer *out,
                                         const tsl_buffer *in);

#ifdef __cplusplus
}
#endif

#endif
