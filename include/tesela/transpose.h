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

/** Order of the axes of the result, fastest first. */
typedef enum tsl_permutation {
    TSL_PERMUTATION_XYZ = 0, /**< a copy */
    TSL_PERMUTATION_YXZ = 1, /**< x and y exchanged: each xy-plane transposed */
    TSL_PERMUTATION_ZYX = 2, /**< x and z exchanged */
    TSL_PERMUTATION_XZY = 3, /**< y and z exchanged: rows keep their contents */
    TSL_PERMUTATION_YZX = 4, /**< rotation: the matrix nx by (ny nz), transposed */
    TSL_PERMUTATION_ZXY = 5  /**< rotation: the matrix (nx ny) by nz, transposed */
} tsl_permutation;

enum { TSL_PERMUTATIONS = 6 }; /**< their number */

/** "yzx" to TSL_PERMUTATION_YZX, and so on.
 *  @param[out] out  untouched unless the text is one of the six names
 *  @return TSL_OK; TSL_E_ARG. Thread-safe. */
TSL_API tsl_status tsl_permutation_parse(tsl_permutation *out, const char *text);

/** Name of a permutation, "yzx"; NULL for any other number. The string is static. */
TSL_API const char *tsl_permutation_name(tsl_permutation permutation);

/** The permutation that takes the result back. A number that is no permutation stays as it is. */
TSL_API tsl_permutation tsl_permutation_inverse(tsl_permutation permutation);

/** Shape of the result: out[i] is the length of its axis i, fastest first; `shape` itself for a
 *  number that is no permutation. `out` may be `shape`. */
TSL_API void tsl_permutation_shape(int64_t out[3], const int64_t shape[3],
                                   tsl_permutation permutation);

/** What to transpose. Initialise with TSL_TRANSPOSE_OPTIONS_INIT. */
typedef struct tsl_transpose_options {
    size_t size;      /**< sizeof(tsl_transpose_options) */
    int64_t shape[3]; /**< nx, ny, nz, each >= 1; the array may have more than 2^31 elements */
    tsl_permutation permutation;
    int element;       /**< bytes of an element: 4, 8 or 16 */
    int in_place;      /**< not 0: the result takes the array's place */
    int64_t auxiliary; /**< in place: device memory the plan may take, bytes; 0: the larger of 32
                            MiB and 1 % of the array */
    int tile;       /**< side of the tiles that are exchanged, elements; 0: what suits the device */
    int per_thread; /**< elements of a tile that a thread moves; 0: what suits the device */
} tsl_transpose_options;

#define TSL_TRANSPOSE_OPTIONS_INIT                                                                 \
    {                                                                                              \
        sizeof(tsl_transpose_options), {0, 0, 0}, TSL_PERMUTATION_XYZ, 8, 0, 0, 0, 0               \
    }

/** A transposition that can be executed any number of times. */
typedef struct tsl_transpose_plan tsl_transpose_plan;

/** Plan a transposition and take the memory it needs.
 *
 *  Out of place nothing but the plan itself is allocated. In place, square planes (yxz, zyx and xzy
 *  with the two lengths alike) and rotations of cubes take none either and pass over the array
 *  once. Any other shape is transposed through auxiliary memory: in one piece if the array fits it,
 *  else in pieces that do, the pieces then put in order along the cycles of their permutation. That
 *  passes over the array two or three times, five where the pieces do not divide it, and zyx up to
 *  twice as often; rows of 1024 bytes and more (xzy) go straight to their places, in one pass. It
 *  needs `auxiliary` bytes plus 24 for each piece at most, together less than the larger of 32 MiB
 *  and 2 % of the array unless `auxiliary` says otherwise.
 *
 *  @param[out] out  the new plan, owned by the caller: tsl_transpose_plan_destroy()
 *  @return TSL_OK; TSL_E_ARG if an option is out of its range; TSL_E_UNSUPPORTED if the device has
 *          no kernels for that tile and per_thread; TSL_E_NOMEM if `auxiliary` is less than two of
 *          the shorter of two exchanged lengths need, or memory is exhausted; TSL_E_DEVICE.
 */
TSL_API tsl_status tsl_transpose_plan_create(tsl_transpose_plan **out, tsl_context *context,
                                             const tsl_transpose_options *options);

/** Release a plan, after its work if it holds device memory; NULL is fine. */
TSL_API void tsl_transpose_plan_destroy(tsl_transpose_plan *plan);

/** Device memory the plan holds, bytes. */
TSL_API int64_t tsl_transpose_plan_bytes(const tsl_transpose_plan *plan);

/** Transpose.
 *
 *  @param[out] out  at least nx ny nz elements; they must not overlap those of `in`, or, for a plan
 *                   in place, be the same memory. Both at addresses that are multiples of 16
 *  @param[in]  in   unchanged if the plan is not in place
 *  @return TSL_OK; TSL_E_ARG if a buffer is too small, misaligned, or shared where it may not be;
 *          TSL_E_DEVICE.
 *
 *  Exact: elements are copied bit for bit. Asynchronous on the context's stream; allocates nothing
 *  on the device.
 */
TSL_API tsl_status tsl_transpose_execute(tsl_transpose_plan *plan, tsl_buffer *out,
                                         const tsl_buffer *in);

#ifdef __cplusplus
}
#endif

#endif
