/* Clean: element by element, shapes, types of 1 to 16 bytes. */
#include "expect.h"

__global__ void saxpy(float *y, const float *x, float a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = a * x[i] + y[i];
    }
}

__global__ void gridStride(int *a, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        a[i] = 2 * a[i] + 1;
    }
}

__global__ void add2d(float *c, const float *a, const float *b, int rows, int columns)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < columns && y < rows) {
        c[y * columns + x] = a[y * columns + x] + b[y * columns + x];
    }
}

__global__ void index3d(int *a, int nx, int ny, int nz)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < nx && y < ny && z < nz) {
        a[(z * ny + y) * nx + x] = x + 100 * y + 10000 * z;
    }
}

/* Neighbours write the bytes of one word. */
__global__ void upper(char *text, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && text[i] >= 'a' && text[i] <= 'z') {
        text[i] -= 32;
    }
}

__global__ void halves(short *a, int n)
{
    int i = threadIdx.x;
    if (i < n) {
        a[i] = (short)(a[i] + i);
    }
}

__global__ void vectors(float4 *out, const float4 *in, int n)
{
    int i = threadIdx.x;
    if (i < n) {
        float4 v = in[i];
        v.w = v.x + v.y + v.z;
        out[i] = v;
    }
}

struct particle {
    float x, y, z;
    int id;
};

__device__ particle moved(particle p, float by)
{
    p.x += by;
    return p;
}

__global__ void particles(particle *p, int n)
{
    int i = threadIdx.x;
    if (i < n) {
        p[i] = moved(p[i], 0.5f);
    }
}

/* All that write write the same. */
__global__ void anyNegative(int *found, const int *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && a[i] < 0) {
        *found = 1;
    }
}

int main()
{
    const int n = 1000;
    std::vector<float> x(n), y(n);
    std::vector<int> a(n);
    for (int i = 0; i < n; i++) {
        x[i] = i, y[i] = 1, a[i] = i - 3;
    }
    float *dx = device(x), *dy = device(y), *dz;
    int *da = device(a), *found, *cube;
    saxpy<<<(n + 255) / 256, 256>>>(dy, dx, 2.0f, n);
    expect("saxpy", host(dy, n)[999] == 1999);
    gridStride<<<2, 64>>>(da, n);
    expect("grid-stride loop", host(da, n)[999] == 1993);
    cudaMalloc(&dz, n * sizeof(float));
    add2d<<<dim3(2, 3), dim3(32, 8)>>>(dz, dx, dx, 20, 50);
    expect("sum of matrices", host(dz, n)[999] == 1998);
    cudaMalloc(&cube, 5 * 6 * 7 * sizeof(int));
    index3d<<<dim3(2, 2, 2), dim3(4, 4, 4)>>>(cube, 5, 6, 7);
    expect("three axes", host(cube, 210)[209] == 60504);
    std::vector<char> text(100, 'q');
    char *dt = device(text);
    upper<<<2, 64>>>(dt, 100);
    expect("bytes", host(dt, 100)[99] == 'Q');
    std::vector<short> s(77, 5);
    short *ds = device(s);
    halves<<<1, 96>>>(ds, 77);
    expect("shorts", host(ds, 77)[76] == 81);
    std::vector<float> q(256, 1);
    float *dq = device(q);
    vectors<<<1, 64>>>((float4 *)dq, (const float4 *)dq, 64);
    expect("float4", host(dq, 256)[255] == 3);
    std::vector<particle> p(50, particle{1, 2, 3, 4});
    particle *dp = device(p);
    particles<<<1, 64>>>(dp, 50);
    expect("structs", host(dp, 50)[49].x == 1.5f);
    cudaMalloc(&found, sizeof(int));
    cudaMemset(found, 0, sizeof(int));
    anyNegative<<<4, 256>>>(found, da, n);
    expect("same value", host(found, 1)[0] == 1);
    return finish();
}
