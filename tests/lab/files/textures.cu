/* Textures of all kinds: each line is a texture, coordinates and what is fetched there, which
 * test_textures.py computes anew. */
#include <cstdio>
#include <cstring>

#define W 5
#define H 3
#define D 2
#define STEPS 40

/* Coordinates of a step: some between texels' centres, some on them, some far out. */
__host__ __device__ float coordinate(int step, float extent, float shift)
{
    return (step * 7 % STEPS - 12) * extent / 16 + shift;
}

__global__ void list(float *out, cudaTextureObject_t texture)
{
    int i = threadIdx.x;
    out[i] = tex1Dfetch<float>(texture, i - 2);
}

template <int AXES> __global__ void floats(float *out, cudaTextureObject_t texture, float3 extent)
{
    int i = threadIdx.x;
    float x = coordinate(i, extent.x, 0.013f), y = coordinate(3 * i, extent.y, 0);
    float z = coordinate(i + 5, extent.z, 0.25f);
    if (AXES == 1) {
        out[i] = tex1D<float>(texture, x);
    } else if (AXES == 2) {
        out[i] = tex2D<float>(texture, x, y);
    } else {
        tex3D(&out[i], texture, x, y, z);
    }
}

__global__ void colours(float4 *out, cudaTextureObject_t texture)
{
    int i = threadIdx.x;
    out[i] = tex2D<float4>(texture, coordinate(i, W, 0.013f), coordinate(3 * i, H, 0));
}

__global__ void shorts(int2 *out, cudaTextureObject_t texture)
{
    int i = threadIdx.x;
    short2 v = tex2D<short2>(texture, coordinate(i, W, 0.013f), coordinate(3 * i, H, 0));
    out[i] = make_int2(v.x, v.y);
}

static float *device;
static float host[4 * STEPS];

static cudaTextureObject_t make(const cudaResourceDesc &resource, cudaTextureAddressMode address,
                                cudaTextureFilterMode filter, cudaTextureReadMode read,
                                bool normalized)
{
    cudaTextureDesc how;
    cudaTextureObject_t texture = 0;
    memset(&how, 0, sizeof how);
    for (int i = 0; i < 3; i++) {
        how.addressMode[i] = address;
    }
    how.filterMode = filter;
    how.readMode = read;
    how.normalizedCoords = normalized;
    if (read == cudaReadModeNormalizedFloat || filter == cudaFilterModeLinear) {
        how.borderColor[0] = 7;
    }
    if (cudaCreateTextureObject(&texture, &resource, &how, NULL) != cudaSuccess) {
        printf("no texture\n");
    }
    return texture;
}

static cudaResourceDesc resource_of(cudaArray_t array)
{
    cudaResourceDesc resource;
    memset(&resource, 0, sizeof resource);
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    return resource;
}

static void tell(const char *name, cudaTextureObject_t texture, int channels)
{
    cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < STEPS; i++) {
        printf("%s %d", name, i);
        for (int c = 0; c < channels; c++) {
            printf(" %a", host[i * channels + c]);
        }
        printf("\n");
    }
    cudaDestroyTextureObject(texture);
}

static void all_modes(const char *name, cudaArray_t array, int axes, float3 extent)
{
    const char *addresses[] = {"wrap", "clamp", "mirror", "border"};
    for (int k = 0; k < 12; k++) {
        char text[64];
        const bool linear = k / 4 > 0, normalized = k / 4 < 2;
        const float3 one = {1, 1, 1}, scale = normalized ? one : extent;
        const cudaTextureObject_t texture =
            make(resource_of(array), (cudaTextureAddressMode)(k % 4),
                 linear ? cudaFilterModeLinear : cudaFilterModePoint, cudaReadModeElementType,
                 normalized);
        snprintf(text, sizeof text, "%s %s %s %s", name, addresses[k % 4],
                 linear ? "linear" : "point", normalized ? "normalized" : "texels");
        if (axes == 1) {
            floats<1><<<1, STEPS>>>(device, texture, scale);
        } else if (axes == 2) {
            floats<2><<<1, STEPS>>>(device, texture, scale);
        } else {
            floats<3><<<1, STEPS>>>(device, texture, scale);
        }
        tell(text, texture, 1);
    }
}

static void arrays()
{
    float texels[D][H][W];
    cudaArray_t line, row, plane, box;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaMemcpy3DParms copy;
    for (int i = 0; i < W * H * D; i++) {
        (&texels[0][0][0])[i] = (float)(i * i % 37 - 9);
    }
    cudaMallocArray(&line, &format, W);
    cudaMallocArray(&row, &format, W, 1);
    cudaMallocArray(&plane, &format, W, H);
    cudaMalloc3DArray(&box, &format, make_cudaExtent(W, H, D));
    cudaMemcpy2DToArray(line, 0, 0, texels, W * 4, W * 4, 1, cudaMemcpyHostToDevice);
    cudaMemcpy2DToArray(row, 0, 0, texels, W * 4, W * 4, 1, cudaMemcpyHostToDevice);
    cudaMemcpy2DToArray(plane, 0, 0, texels, W * 4, W * 4, H, cudaMemcpyHostToDevice);
    memset(&copy, 0, sizeof copy);
    copy.srcPtr = make_cudaPitchedPtr(texels, W * 4, W, H);
    copy.dstArray = box;
    copy.extent = make_cudaExtent(W, H, D);
    copy.kind = cudaMemcpyHostToDevice;
    cudaMemcpy3D(&copy);
    all_modes("line", line, 1, make_float3(W, 1, 1));
    all_modes("row", row, 2, make_float3(W, 1, 1));
    all_modes("plane", plane, 2, make_float3(W, H, 1));
    all_modes("box", box, 3, make_float3(W, H, D));
    cudaFreeArray(line);
    cudaFreeArray(row);
    cudaFreeArray(plane);
    cudaFreeArray(box);
}

static void plain_memory()
{
    float values[W];
    uchar4 pixels[H][W];
    short2 pairs[H][W];
    float *memory;
    uchar4 *pitched;
    size_t pitch;
    cudaResourceDesc resource;
    for (int i = 0; i < W; i++) {
        values[i] = i + 0.5f;
    }
    for (int i = 0; i < W * H; i++) {
        (&pixels[0][0])[i] = make_uchar4(i, 255 - i, 17 * i, 128);
        (&pairs[0][0])[i] = make_short2(100 * i, -300 * i);
    }
    cudaMalloc(&memory, sizeof values);
    cudaMemcpy(memory, values, sizeof values, cudaMemcpyHostToDevice);
    memset(&resource, 0, sizeof resource);
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = memory;
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = sizeof values;
    cudaTextureObject_t texture =
        make(resource, cudaAddressModeClamp, cudaFilterModePoint, cudaReadModeElementType, false);
    list<<<1, STEPS>>>(device, texture);
    tell("list", texture, 1);
    cudaMallocPitch(&pitched, &pitch, W * sizeof(uchar4), H);
    cudaMemcpy2D(pitched, pitch, pixels, sizeof pixels[0], W * 4, H, cudaMemcpyHostToDevice);
    memset(&resource, 0, sizeof resource);
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = pitched;
    resource.res.pitch2D.desc = cudaCreateChannelDesc<uchar4>();
    resource.res.pitch2D.width = W;
    resource.res.pitch2D.height = H;
    resource.res.pitch2D.pitchInBytes = pitch;
    for (int linear = 0; linear < 2; linear++) {
        texture = make(resource, cudaAddressModeClamp,
                       linear ? cudaFilterModeLinear : cudaFilterModePoint,
                       cudaReadModeNormalizedFloat, false);
        colours<<<1, STEPS>>>((float4 *)device, texture);
        tell(linear ? "colours linear" : "colours point", texture, 4);
    }
    cudaMemcpy2D(pitched, pitch, pairs, sizeof pairs[0], W * 4, H, cudaMemcpyHostToDevice);
    resource.res.pitch2D.desc = cudaCreateChannelDesc<short2>();
    texture =
        make(resource, cudaAddressModeBorder, cudaFilterModePoint, cudaReadModeElementType, false);
    shorts<<<1, STEPS>>>((int2 *)device, texture);
    int2 got[STEPS];
    cudaMemcpy(got, device, sizeof got, cudaMemcpyDeviceToHost);
    for (int i = 0; i < STEPS; i++) {
        printf("shorts %d %d %d\n", i, got[i].x, got[i].y);
    }
    cudaDestroyTextureObject(texture);
}

int main()
{
    cudaMalloc(&device, sizeof host);
    cudaMemset(device, 0, sizeof host);
    plain_memory();
    arrays();
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
