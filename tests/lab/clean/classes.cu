/* Clean: objects with constructors and destructors of the host's that kernels take by value. Those
 * run on the host alone, for its one copy a launch; threads have the copy's bytes. */
#include "expect.h"

static int copied, destroyed;

/* Memory of the device with a count of its owners, which only the host can touch. */
class Buffer
{
  public:
    explicit Buffer(int n) : owners(new int(1)), size(n)
    {
        cudaMalloc(&data, n * sizeof(int));
        cudaMemset(data, 0, n * sizeof(int));
    }
    Buffer(const Buffer &other) : owners(other.owners), data(other.data), size(other.size)
    {
        ++*owners;
        ++copied;
    }
    Buffer &operator=(const Buffer &) = delete;
    ~Buffer()
    {
        ++destroyed;
        if (--*owners == 0) {
            cudaFree(data);
            delete owners;
        }
    }
    __device__ int &operator[](int i)
    {
        return data[i];
    }
    int *owners, *data, size;
};

/* A copy knows that it is one; nothing is destroyed. */
struct Marked {
    int value;
    explicit Marked(int v) : value(v)
    {
    }
    Marked(const Marked &other) : value(other.value + 100)
    {
        ++copied;
    }
};

/* Nothing but a destructor, and made of a number. */
struct Closed {
    double value;
    __host__ __device__ Closed(double v) : value(v)
    {
    }
    ~Closed()
    {
        ++destroyed;
    }
};

__global__ void fill(Buffer b, int add)
{
    __shared__ int last;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= b.size) {
        return;
    }
    if (threadIdx.x == 0) {
        last = add;
    }
    __syncthreads();
    b[i] += i + last;
    b.size = 0; /* of this thread's copy */
}

__global__ void mixed(int *out, Marked m, Closed c, float4 v, Buffer b)
{
    out[threadIdx.x] = m.value + (int)c.value + (int)v.z + b[threadIdx.x];
}

template <class T> __global__ void marks(int *out, T m)
{
    out[threadIdx.x] = m.value;
}

template <class F> __global__ void call(int *out, F f)
{
    out[threadIdx.x] = f(threadIdx.x);
}

__global__ void closed(int *out, Closed c)
{
    if (threadIdx.x % 2 == 0) {
        out[threadIdx.x] = (int)c.value;
    }
}

/* Did the host copy and destroy as often as that since it was asked last? */
static void expectCalls(const char *what, int copies, int ends)
{
    if (copied != copies || destroyed != ends) {
        printf("%d copied, %d destroyed\n", copied, destroyed);
    }
    expect(what, copied == copies && destroyed == ends);
    copied = destroyed = 0;
}

static void expectGraph(Buffer &b)
{
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t runs;
    cudaStreamCreate(&stream);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    fill<<<2, 32, 0, stream>>>(b, 5);
    cudaStreamEndCapture(stream, &graph);
    expectCalls("a launch that is captured", 1, 1);
    cudaGraphInstantiate(&runs, graph, NULL, NULL, 0);
    cudaGraphLaunch(runs, stream);
    cudaGraphLaunch(runs, stream);
    cudaStreamSynchronize(stream);
    expectCalls("launches of a graph", 0, 0);
    cudaGraphExecDestroy(runs);
    cudaGraphDestroy(graph);
}

int main()
{
    int *out;
    cudaMalloc(&out, 64 * sizeof(int));
    {
        Buffer b(60);
        Marked m(1);
        fill<<<2, 32>>>(b, 1000);
        expectCalls("a variable", 1, 1);
        expect("an owner", *b.owners == 1 && host(b.data, 60)[59] == 1059);
        mixed<<<1, 32>>>(out, m, Closed(2), make_float4(0, 0, 3, 0), b);
        expectCalls("a variable and a value", 2, 2);
        expect("mixed arguments", host(out, 32)[31] == 101 + 2 + 3 + 1031);
        marks<<<1, 32>>>(out, m);
        expectCalls("no destructor", 1, 0);
        expect("the host's copy", host(out, 32)[7] == 101);
        marks<<<1, 32>>>(out, Marked(3));
        expectCalls("a value", 0, 0);
        expect("the value itself", host(out, 32)[7] == 3);
        closed<<<1, 32>>>(out, 5); /* each thread makes a Closed of the number */
        destroyed = 0;
        expect("a number", host(out, 32)[8] == 5);
        void *arguments[] = {&out, &m};
        cudaLaunchKernel(marks<Marked>, dim3(1), dim3(32), arguments);
        expectCalls("cudaLaunchKernel()", 0, 0);
        expect("what it was given", host(out, 32)[7] == 1);
        auto get = [b](int i) mutable { return b[i] + 1; };
        copied = 0;
        call<<<1, 32>>>(out, get);
        expectCalls("a function with a copy", 1, 1);
        expect("what it returns", host(out, 32)[31] == 1032);
        expectGraph(b);
        expect("after the graph", host(b.data, 60)[59] == 1059 + 2 * 64);
    }
    expect("the last owner", destroyed == 2); /* get and b */
    return finish();
}
