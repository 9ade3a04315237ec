/* Textures by CUDA's texture objects: channel formats, arrays of one to three axes, descriptions,
 * fetches. Work is done when it is asked for, as all of cuda_api.h. Not there: texture references,
 * surfaces, layers, cube maps, mipmaps, resource views. */
#ifndef TESELA_LAB_CUDA_TEXTURE_H
#define TESELA_LAB_CUDA_TEXTURE_H

#include <new>

#include "cuda_api.h"
#include "lab_texture.h"

/* Reports of what these call name the learner's line. */
#define TSL_LAB_CALL TSL_LAB_HOST __attribute__((always_inline)) inline

/* ---- formats -------------------------------------------------------------------------------- */

enum cudaChannelFormatKind {
    cudaChannelFormatKindSigned = TSL_LAB_SIGNED,
    cudaChannelFormatKindUnsigned = TSL_LAB_UNSIGNED,
    cudaChannelFormatKindFloat = TSL_LAB_FLOATING,
    cudaChannelFormatKindNone = 3
};
struct cudaChannelFormatDesc {
    int x, y, z, w; /* bits */
    enum cudaChannelFormatKind f;
};
inline cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                   enum cudaChannelFormatKind f)
{
    return cudaChannelFormatDesc{x, y, z, w, f};
}
inline cudaChannelFormatDesc cudaCreateChannelDescHalf(void)
{
    return cudaChannelFormatDesc{16, 0, 0, 0, cudaChannelFormatKindFloat};
}
namespace tsl_lab
{
/* What a texel's type is made of: numbers, or vectors of numbers. */
template <class T, class = void> struct texel {
    typedef T number;
};
template <class T> struct texel<T, std::void_t<decltype(T::x)>> {
    typedef decltype(T::x) number;
};
} // namespace tsl_lab
template <class T> inline cudaChannelFormatDesc cudaCreateChannelDesc(void)
{
    typedef typename tsl_lab::texel<T>::number number;
    const int bits = 8 * (int)sizeof(number), channels = (int)(sizeof(T) / sizeof(number));
    return cudaChannelFormatDesc{bits, channels > 1 ? bits : 0, channels > 2 ? bits : 0,
                                 channels > 3 ? bits : 0,
                                 std::is_floating_point<number>::value ? cudaChannelFormatKindFloat
                                 : std::is_signed<number>::value       ? cudaChannelFormatKindSigned
                                                                 : cudaChannelFormatKindUnsigned};
}

namespace tsl_lab
{
/* Texels of a format, one after the other; channels of unlike width are left to the runtime, which
 * refuses 0 channels. */
inline tsl_lab_texels texels(void *memory, const cudaChannelFormatDesc &f, size_t x, size_t y,
                             size_t z)
{
    const int channels = (f.x > 0) + (f.y > 0) + (f.z > 0) + (f.w > 0);
    const bool alike = (f.y == f.x || f.y == 0) && (f.z == f.x || f.z == 0) &&
                       (f.w == f.x || f.w == 0) && f.f <= cudaChannelFormatKindFloat;
    const size_t row = x * (size_t)(channels * f.x / 8);
    return tsl_lab_texels{(char *)memory,
                          {x, y > 0 ? y : 1, z > 0 ? z : 1},
                          row,
                          row * (y > 0 ? y : 1),
                          alike ? channels : 0,
                          f.x,
                          (int)f.f};
}
} // namespace tsl_lab

/* ---- arrays --------------------------------------------------------------------------------- */

typedef struct cudaArray *cudaArray_t;
typedef const struct cudaArray *cudaArray_const_t;
enum {
    cudaArrayDefault = 0,
    cudaArrayLayered = 1,
    cudaArraySurfaceLoadStore = 2,
    cudaArrayCubemap = 4,
    cudaArrayTextureGather = 8
};
struct cudaExtent {
    size_t width, height, depth;
};
struct cudaPos {
    size_t x, y, z;
};
struct cudaPitchedPtr {
    void *ptr;
    size_t pitch, xsize, ysize;
};
struct cudaArray {
    tsl_lab_texels texels;
    cudaChannelFormatDesc format;
    size_t height, depth; /* 0 as they were given */
    size_t texel_bytes() const
    {
        return (size_t)(texels.channels * texels.bits) / 8;
    }
    char *at(const cudaPos &p) const
    {
        return texels.memory + p.z * texels.plane + p.y * texels.row + p.x * texel_bytes();
    }
};
inline cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth)
{
    return cudaExtent{width, height, depth};
}
inline cudaPos make_cudaPos(size_t x, size_t y, size_t z)
{
    return cudaPos{x, y, z};
}
inline cudaPitchedPtr make_cudaPitchedPtr(void *memory, size_t pitch, size_t xsize, size_t ysize)
{
    return cudaPitchedPtr{memory, pitch, xsize, ysize};
}

/* Rows of an array are a multiple of 32 bytes apart. Only plain arrays can be made. */
TSL_LAB_CALL cudaError_t cudaMalloc3DArray(cudaArray_t *out, const cudaChannelFormatDesc *format,
                                           cudaExtent extent, unsigned flags = 0)
{
    if (flags != cudaArrayDefault) {
        return cudaErrorNotSupported;
    }
    cudaArray *const array = new (std::nothrow) cudaArray;
    if (array == nullptr) {
        return cudaErrorMemoryAllocation;
    }
    tsl_lab_texels t = tsl_lab::texels(nullptr, *format, extent.width, extent.height, extent.depth);
    t.row = (t.row + 31) / 32 * 32;
    t.plane = t.row * t.extent[1];
    const size_t bytes = t.plane * t.extent[2];
    const cudaError_t error = t.channels == 0 || bytes == 0
                                  ? cudaErrorInvalidValue
                                  : (cudaError_t)tsl_lab_malloc((void **)&t.memory, bytes);
    *array = cudaArray{t, *format, extent.height, extent.depth};
    if (error != cudaSuccess) {
        delete array;
        return error;
    }
    *out = array;
    return cudaSuccess;
}
TSL_LAB_CALL cudaError_t cudaMallocArray(cudaArray_t *out, const cudaChannelFormatDesc *format,
                                         size_t width, size_t height = 0, unsigned flags = 0)
{
    return cudaMalloc3DArray(out, format, make_cudaExtent(width, height, 0), flags);
}
TSL_LAB_CALL cudaError_t cudaFreeArray(cudaArray_t array)
{
    const cudaError_t error = array != nullptr ? cudaFree(array->texels.memory) : cudaSuccess;
    delete array;
    return error;
}
TSL_LAB_CALL cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc *format, cudaExtent *extent,
                                          unsigned *flags, cudaArray_t array)
{
    if (format != nullptr) {
        *format = array->format;
    }
    if (extent != nullptr) {
        *extent = make_cudaExtent(array->texels.extent[0], array->height, array->depth);
    }
    if (flags != nullptr) {
        *flags = cudaArrayDefault;
    }
    return cudaSuccess;
}

/* ---- copies: widths and offsets along x in bytes --------------------------------------------- */

TSL_LAB_CALL cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void *from,
                                             size_t pitch, size_t width, size_t height,
                                             enum cudaMemcpyKind kind)
{
    return (cudaError_t)tsl_lab_copy_texels(&to->texels, x, y, 0, (void *)from, pitch, width,
                                            height, true, kind);
}
TSL_LAB_CALL cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_const_t from,
                                               size_t x, size_t y, size_t width, size_t height,
                                               enum cudaMemcpyKind kind)
{
    return (cudaError_t)tsl_lab_copy_texels(&from->texels, x, y, 0, to, pitch, width, height, false,
                                            kind);
}
TSL_LAB_CALL cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y,
                                                  const void *from, size_t pitch, size_t width,
                                                  size_t height, enum cudaMemcpyKind kind,
                                                  cudaStream_t stream = 0)
{
    return tsl_lab_is_capturing(stream)
               ? cudaErrorNotSupported
               : cudaMemcpy2DToArray(to, x, y, from, pitch, width, height, kind);
}
TSL_LAB_CALL cudaError_t cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, cudaArray_const_t from,
                                                    size_t x, size_t y, size_t width, size_t height,
                                                    enum cudaMemcpyKind kind,
                                                    cudaStream_t stream = 0)
{
    return tsl_lab_is_capturing(stream)
               ? cudaErrorNotSupported
               : cudaMemcpy2DFromArray(to, pitch, from, x, y, width, height, kind);
}
/* `bytes` of plain memory fill an array row by row, from column x of row y on. */
TSL_LAB_CALL cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void *from,
                                           size_t bytes, enum cudaMemcpyKind kind)
{
    const size_t row = to->texels.extent[0] * to->texel_bytes();
    cudaError_t error = cudaSuccess;
    for (size_t done = 0, now; done < bytes && error == cudaSuccess; done += now) {
        now = x < row && row - x < bytes - done ? row - x : bytes - done;
        error = cudaMemcpy2DToArray(to, x, y++, (const char *)from + done, now, now, 1, kind);
        x = 0;
    }
    return error;
}
TSL_LAB_CALL cudaError_t cudaMemcpyFromArray(void *to, cudaArray_const_t from, size_t x, size_t y,
                                             size_t bytes, enum cudaMemcpyKind kind)
{
    const size_t row = from->texels.extent[0] * from->texel_bytes();
    cudaError_t error = cudaSuccess;
    for (size_t done = 0, now; done < bytes && error == cudaSuccess; done += now) {
        now = x < row && row - x < bytes - done ? row - x : bytes - done;
        error = cudaMemcpy2DFromArray((char *)to + done, now, from, x, y++, now, 1, kind);
        x = 0;
    }
    return error;
}

/* A copy of a box between arrays and memory. The extent's width, and positions along x, are texels
 * where an array takes part, else bytes. */
struct cudaMemcpy3DParms {
    cudaArray_t srcArray;
    cudaPos srcPos;
    cudaPitchedPtr srcPtr;
    cudaArray_t dstArray;
    cudaPos dstPos;
    cudaPitchedPtr dstPtr;
    cudaExtent extent;
    enum cudaMemcpyKind kind;
};
namespace tsl_lab
{
/* A plane of a box in memory, from its position on. */
inline char *plane_of(const cudaPitchedPtr &p, const cudaPos &at, size_t unit)
{
    return (char *)p.ptr + (at.z * p.ysize + at.y) * p.pitch + at.x * unit;
}
} // namespace tsl_lab
TSL_LAB_CALL cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms *p)
{
    const cudaArray_t array = p->dstArray != nullptr ? p->dstArray : p->srcArray;
    const size_t unit = array != nullptr ? array->texel_bytes() : 1;
    const size_t width = p->extent.width * unit, height = p->extent.height;
    cudaError_t error = cudaSuccess;
    if ((p->dstArray != nullptr) == (p->dstPtr.ptr != nullptr) ||
        (p->srcArray != nullptr) == (p->srcPtr.ptr != nullptr)) {
        return cudaErrorInvalidValue;
    }
    for (size_t z = 0; z < p->extent.depth && error == cudaSuccess; z++) {
        const cudaPos at = {p->srcPos.x, p->srcPos.y, p->srcPos.z + z};
        char *const from =
            p->srcArray != nullptr ? p->srcArray->at(at) : tsl_lab::plane_of(p->srcPtr, at, unit);
        const cudaPos to = {p->dstPos.x, p->dstPos.y, p->dstPos.z + z};
        const size_t pitch = p->srcArray != nullptr ? p->srcArray->texels.row : p->srcPtr.pitch;
        if (p->dstArray != nullptr) {
            error = (cudaError_t)tsl_lab_copy_texels(&p->dstArray->texels, p->dstPos.x * unit,
                                                     p->dstPos.y, p->dstPos.z + z, from, pitch,
                                                     width, height, true, p->kind);
        } else if (p->srcArray != nullptr) {
            error = (cudaError_t)tsl_lab_copy_texels(
                &p->srcArray->texels, p->srcPos.x * unit, p->srcPos.y, p->srcPos.z + z,
                tsl_lab::plane_of(p->dstPtr, to, unit), p->dstPtr.pitch, width, height, false,
                p->kind);
        } else {
            error = cudaMemcpy2D(tsl_lab::plane_of(p->dstPtr, to, unit), p->dstPtr.pitch, from,
                                 pitch, width, height, p->kind);
        }
    }
    return error;
}

/* ---- texture objects ------------------------------------------------------------------------- */

enum cudaResourceType {
    cudaResourceTypeArray,
    cudaResourceTypeMipmappedArray,
    cudaResourceTypeLinear,
    cudaResourceTypePitch2D
};
struct cudaResourceDesc {
    enum cudaResourceType resType;
    union {
        struct {
            cudaArray_t array;
        } array;
        struct {
            void *devPtr;
            cudaChannelFormatDesc desc;
            size_t sizeInBytes;
        } linear;
        struct {
            void *devPtr;
            cudaChannelFormatDesc desc;
            size_t width, height, pitchInBytes;
        } pitch2D;
    } res;
    unsigned flags;
};
enum cudaTextureAddressMode {
    cudaAddressModeWrap = TSL_LAB_WRAP,
    cudaAddressModeClamp = TSL_LAB_CLAMP,
    cudaAddressModeMirror = TSL_LAB_MIRROR,
    cudaAddressModeBorder = TSL_LAB_BORDER
};
enum cudaTextureFilterMode { cudaFilterModePoint, cudaFilterModeLinear };
enum cudaTextureReadMode { cudaReadModeElementType, cudaReadModeNormalizedFloat };
struct cudaTextureDesc {
    enum cudaTextureAddressMode addressMode[3];
    enum cudaTextureFilterMode filterMode;
    enum cudaTextureReadMode readMode;
    int sRGB;
    float borderColor[4];
    int normalizedCoords;
    unsigned maxAnisotropy;
    enum cudaTextureFilterMode mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
    int disableTrilinearOptimization;
    int seamlessCubemap;
};
struct cudaResourceViewDesc;
typedef unsigned long long cudaTextureObject_t;

namespace tsl_lab
{
inline tsl_lab_texels texels_of(const cudaResourceDesc &r)
{
    if (r.resType == cudaResourceTypeArray) {
        return r.res.array.array != nullptr ? r.res.array.array->texels : tsl_lab_texels{};
    }
    const bool list = r.resType == cudaResourceTypeLinear;
    tsl_lab_texels t = list ? texels(r.res.linear.devPtr, r.res.linear.desc, 1, 1, 1)
                            : texels(r.res.pitch2D.devPtr, r.res.pitch2D.desc, r.res.pitch2D.width,
                                     r.res.pitch2D.height, 1);
    if (list) {
        t.extent[0] = t.row > 0 ? r.res.linear.sizeInBytes / t.row : 0;
    } else {
        t.row = r.res.pitch2D.pitchInBytes;
    }
    return t;
}
} // namespace tsl_lab
TSL_LAB_CALL cudaError_t cudaCreateTextureObject(cudaTextureObject_t *out,
                                                 const cudaResourceDesc *resource,
                                                 const cudaTextureDesc *how,
                                                 const cudaResourceViewDesc *view)
{
    if (view != nullptr || how->sRGB != 0 || resource->resType == cudaResourceTypeMipmappedArray) {
        return cudaErrorNotSupported;
    }
    tsl_lab_texture t = {};
    t.texels = tsl_lab::texels_of(*resource);
    t.list = resource->resType == cudaResourceTypeLinear;
    t.linear = how->filterMode == cudaFilterModeLinear;
    t.to_float = how->readMode == cudaReadModeNormalizedFloat;
    t.normalized = how->normalizedCoords != 0;
    for (int i = 0; i < 3; i++) {
        t.address[i] = how->addressMode[i];
    }
    __builtin_memcpy(t.border, how->borderColor, sizeof t.border);
    return (cudaError_t)tsl_lab_texture_create(out, &t);
}
TSL_LAB_CALL cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture)
{
    return (cudaError_t)tsl_lab_texture_destroy(texture);
}

/* ---- fetches --------------------------------------------------------------------------------- */

namespace tsl_lab
{
template <class T>
TSL_LAB_MEETING T fetch(cudaTextureObject_t texture, int how, float x, float y, float z, int index)
{
    typedef typename texel<T>::number number;
    const float at[3] = {x, y, z};
    const int floats = std::is_floating_point<number>::value ? TSL_LAB_FETCH_FLOAT : 0;
    uint32_t bits[4];
    number numbers[sizeof(T) / sizeof(number)];
    T out;
    tsl_lab_fetch(texture, how | floats, at, index, bits);
    for (unsigned c = 0; c < sizeof numbers / sizeof *numbers; c++) {
        if (floats) {
            __builtin_memcpy(&numbers[c], &bits[c], sizeof numbers[c]);
        } else {
            numbers[c] = (number)bits[c];
        }
    }
    __builtin_memcpy((void *)&out, numbers, sizeof out);
    return out;
}
} // namespace tsl_lab

#define TSL_LAB_FETCH(name, parameters, how, x, y, z, index)                                       \
    template <class T> TSL_LAB_MEETING T name parameters                                           \
    {                                                                                              \
        return tsl_lab::fetch<T>(texture, how, x, y, z, index);                                    \
    }
/* clang-format off */
TSL_LAB_FETCH(tex1Dfetch, (cudaTextureObject_t texture, int i), TSL_LAB_FETCH_LIST, 0, 0, 0, i)
TSL_LAB_FETCH(tex1D, (cudaTextureObject_t texture, float x), TSL_LAB_FETCH_AXIS, x, 0, 0, 0)
TSL_LAB_FETCH(tex2D, (cudaTextureObject_t texture, float x, float y), 2 * TSL_LAB_FETCH_AXIS, x, y, 0, 0)
TSL_LAB_FETCH(tex3D, (cudaTextureObject_t texture, float x, float y, float z), 3 * TSL_LAB_FETCH_AXIS, x, y, z, 0)
/* clang-format on */
template <class T> TSL_LAB_MEETING void tex1Dfetch(T *out, cudaTextureObject_t texture, int i)
{
    *out = tex1Dfetch<T>(texture, i);
}
template <class T> TSL_LAB_MEETING void tex1D(T *out, cudaTextureObject_t texture, float x)
{
    *out = tex1D<T>(texture, x);
}
template <class T> TSL_LAB_MEETING void tex2D(T *out, cudaTextureObject_t texture, float x, float y)
{
    *out = tex2D<T>(texture, x, y);
}
template <class T>
TSL_LAB_MEETING void tex3D(T *out, cudaTextureObject_t texture, float x, float y, float z)
{
    *out = tex3D<T>(texture, x, y, z);
}

#endif
