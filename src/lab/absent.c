/* What the simulated device has not. */
#include <string.h>

#include "lab/absent.h"

typedef struct absent {
    const char *name; /* one that ends in '*' is the beginning of many */
    const char *what; /* comes after "the simulated device has no " */
} absent;

static const char tensor_cores[] = "tensor cores";
static const char libraries[] = "libraries of CUDA";
static const char bfloat[] = "numbers of bfloat16 or of 8 bits";
static const char windows[] = "windows of OpenGL";
static const char driver[] = "driver interface: call the runtime's functions, cuda...()";
static const char layers[] = "layers, cube maps or mipmaps of textures";
static const char surfaces[] = "surfaces: write to memory that cudaMalloc() gave";
static const char nodes[] = "graphs made node by node: capture a stream";
static const char references[] = "texture references, nor has CUDA 12: make texture objects";
static const char pools[] = "pools of memory: take cudaMalloc()";

static const absent headers[] = {
    {"mma.h", tensor_cores},        {"crt/mma.h", tensor_cores}, {"cuda_bf16.h", bfloat},
    {"cuda_fp8.h", bfloat},         {"cublas*", libraries},      {"cufft*", libraries},
    {"curand*", libraries},         {"cusparse*", libraries},    {"cusolver*", libraries},
    {"cudnn*", libraries},          {"nccl.h", libraries},       {"npp*", libraries},
    {"thrust/*", libraries},        {"cub/*", libraries},        {"cuda/*", libraries},
    {"cuda_gl_interop.h", windows}, {"GL/*", windows},           {"surface_functions.h", surfaces},
};

static const absent words[] = {
    {"__nv_bfloat16", bfloat},
    {"__nv_bfloat162", bfloat},
    {"cuInit", driver},
    {"cuLaunchKernel", driver},
    {"cuModuleLoad*", driver},
    {"cuCtxCreate*", driver},
    {"tex1DLayered", layers},
    {"tex2DLayered", layers},
    {"tex1DLod", layers},
    {"tex2DLod", layers},
    {"tex3DLod", layers},
    {"texCubemap*", layers},
    {"cudaMallocMipmappedArray", layers},
    {"cudaSurfaceObject_t", surfaces},
    {"cudaCreateSurfaceObject", surfaces},
    {"surf1Dread", surfaces},
    {"surf2Dread", surfaces},
    {"surf2Dwrite", surfaces},
    {"cudaGraphAdd*", nodes},
    {"cudaBindTexture*", references},
    {"cudaMemPool*", pools},
    {"cudaDeviceGetDefaultMemPool", pools},
    {"cudaMallocFromPoolAsync", pools},
};

static const char *find(const absent *list, size_t count, const char *name, size_t length)
{
    for (size_t i = 0; i < count; i++) {
        const size_t known = strlen(list[i].name);
        const bool many = list[i].name[known - 1] == '*';
        const size_t same = many ? known - 1 : known;
        if ((many ? length >= same : length == same) && memcmp(name, list[i].name, same) == 0) {
            return list[i].what;
        }
    }
    return NULL;
}

const char *tsl_lab_absent_header(const char *name, size_t length)
{
    return find(headers, sizeof headers / sizeof *headers, name, length);
}

const char *tsl_lab_absent_word(const tsl_lab_source *source, size_t at, bool in_function)
{
    const size_t end = tsl_lab_word_end(source, at);
    const size_t next = tsl_lab_skip_blanks(source, end);
    if (!in_function && tsl_lab_word_is(source, at, "texture") && source->blank[next] == '<') {
        return references;
    }
    return find(words, sizeof words / sizeof *words, source->blank + at, end - at);
}
