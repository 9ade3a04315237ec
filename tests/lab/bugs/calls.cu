/* Planted bugs of calls: functions of the C library in kernels. The first two kernels do what is
 * counted.
 */
#include <cstdio>
#include <cstring>
#include <cwchar>

__global__ void copied(int *a, const int *b, char *c)
{
    memcpy(a + threadIdx.x, b + threadIdx.x, sizeof *a);
    memset(c + threadIdx.x, 0, 1);
}

__global__ void looped(char *a, const char *b)
{
    for (int k = 0; k < 4; k++) {
        a[4 * threadIdx.x + k] = b[4 * threadIdx.x + k];
    }
}

__global__ void words(int *a, const int *b)
{
    __shared__ int s[64];
    wmemcpy((wchar_t *)s + threadIdx.x, (const wchar_t *)b + threadIdx.x, 1); /* BUG call */
    wmemset((wchar_t *)a + threadIdx.x, 7, 1);                                /* BUG call */
}

__global__ void letters(char *c, const char *text)
{
    if (threadIdx.x == 0) {
        strcpy(c, text);                        /* BUG call */
        c[0] = (char)strlen(text);              /* BUG call */
        c[1] = memcmp(c, text, 4) == 0;         /* BUG call */
        snprintf(c, 16, "%d", (int)blockIdx.x); /* BUG call */
    }
}

int main()
{
    int *a, *b;
    char *c, host[64] = "";
    cudaMalloc(&a, 256);
    cudaMalloc(&b, 256);
    cudaMalloc(&c, 128);
    cudaMemset(b, 0, 256);
    strcpy(host, "text");
    cudaMemcpy(c + 64, host, strlen(host) + 1, cudaMemcpyHostToDevice);
    copied<<<1, 64>>>(a, b, c);
    looped<<<1, 64>>>((char *)a, (const char *)b);
    words<<<1, 64>>>(a, b);
    letters<<<1, 64>>>(c, c + 64);
    cudaDeviceSynchronize();
    return 0;
}
