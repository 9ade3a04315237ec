/* Planted bugs of textures. */
#include <cstring>

__global__ void fetch(float *out, cudaTextureObject_t t, int *write)
{
    float v = tex1Dfetch<float>(t, threadIdx.x); // BUG race BUG unwritten BUG bounds
    if (write != nullptr && threadIdx.x == 0) {
        write[40] = 1; // ALSO race
    }
    out[threadIdx.x] = v;
}

__global__ void of_plane(float *out, cudaTextureObject_t t)
{
    out[threadIdx.x] = tex2D<float>(t, threadIdx.x, 0); // BUG texture
}

__global__ void of_ints(int *out, cudaTextureObject_t t)
{
    out[threadIdx.x] = tex1Dfetch<int>(t, threadIdx.x); // BUG texture
}

__global__ void of_nothing(float *out, cudaTextureObject_t t)
{
    out[threadIdx.x] = tex1Dfetch<float>(t, threadIdx.x); // BUG texture
}

int main()
{
    float *list, *empty, *given, *out, host[64] = {};
    cudaResourceDesc resource;
    cudaTextureDesc how;
    cudaTextureObject_t good, unwritten, freed, wrong;
    cudaMalloc(&list, 256);
    cudaMalloc(&empty, 256);
    cudaMalloc(&given, 256);
    cudaMalloc(&out, 256);
    cudaMemset(list, 0, 256);
    cudaMemset(given, 0, 256);
    memset(&resource, 0, sizeof resource);
    memset(&how, 0, sizeof how);
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = 256;
    resource.res.linear.devPtr = list;
    cudaCreateTextureObject(&good, &resource, &how, NULL);
    resource.res.linear.devPtr = empty;
    cudaCreateTextureObject(&unwritten, &resource, &how, NULL);
    resource.res.linear.devPtr = given;
    cudaCreateTextureObject(&freed, &resource, &how, NULL);
    cudaFree(given);
    fetch<<<1, 64>>>(out, good, (int *)list);
    fetch<<<1, 64>>>(out, unwritten, nullptr);
    fetch<<<1, 64>>>(out, freed, nullptr);
    cudaDeviceReset();
    of_plane<<<1, 64>>>(out, good);
    cudaDeviceReset();
    of_ints<<<1, 64>>>((int *)out, good);
    cudaDeviceReset();
    cudaDestroyTextureObject(good);
    of_nothing<<<1, 64>>>(out, good);
    cudaDeviceReset();
    cudaDestroyTextureObject(good); // BUG texture

    resource.res.linear.devPtr = list + 1;
    cudaCreateTextureObject(&wrong, &resource, &how, NULL); // BUG texture
    resource.res.linear.devPtr = list;
    resource.res.linear.desc = cudaCreateChannelDesc<float3>();
    cudaCreateTextureObject(&wrong, &resource, &how, NULL); // BUG texture

    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaMallocArray(&array, &format, 4, 4);
    cudaMemcpy2DToArray(array, 4, 0, host, 16, 16, 4, cudaMemcpyHostToDevice); // BUG copy
    cudaMemcpyToArray(array, 0, 1, host, 64, cudaMemcpyHostToDevice);          // BUG copy
    return 0;
}
