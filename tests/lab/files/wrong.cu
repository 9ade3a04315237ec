// clang-format off
float helper(float x) { return 2 * x; }
__global__ float result(float *a) { return a[0]; }
__global__ void calls(float *a) { a[threadIdx.x] = helper(a[threadIdx.x]); }
__global__ void allocates(float *a) { void *p; cudaMalloc(&p, 4); }
void waits(float *a) { __syncthreads(); }
int main() { float *a = 0; calls(a); calls<<<1>>>(a); }
