/* Programs that do harm, chosen by their first argument: each must be told, none may hang. */
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

__global__ void endless(volatile int *a)
{
    while (a[0] == 0) {
    }
}

__global__ void endlessSilent(int *a)
{
    volatile int k = 0;
    while (k == 0) {
    }
    a[0] = k;
}

__global__ void spinsAtBarrier(volatile int *a)
{
    if (threadIdx.x == 0) {
        while (a[1] == 0) {
        }
    }
    __syncthreads();
}

__device__ int deep(int n)
{
    volatile int room[256];
    room[n & 255] = n;
    return n == 0 ? room[0] : deep(n - 1) + room[n & 255];
}

__global__ void recursion(int *a)
{
    a[0] = deep(1000000);
}

__global__ void wild(long *a)
{
    for (long i = 0; i < 1000000; i++) {
        ((long *)0x400000)[i] = i;
    }
    a[0] = 1;
}

static void harm_by_kernel(const char *what, int *a)
{
    if (strcmp(what, "endless") == 0) {
        endless<<<2, 64>>>(a);
    } else if (strcmp(what, "endless-silent") == 0) {
        endlessSilent<<<2, 64>>>(a);
    } else if (strcmp(what, "barrier") == 0) {
        spinsAtBarrier<<<1, 64>>>(a);
    } else if (strcmp(what, "recursion") == 0) {
        recursion<<<1, 32>>>(a);
    } else if (strcmp(what, "wild") == 0) {
        wild<<<1, 32>>>((long *)a);
    }
}

static void take_memory()
{
    for (int i = 0; i < 100; i++) {
        char *volatile p = (char *)malloc((size_t)1 << 30);
        for (size_t k = 0; k < (size_t)1 << 30; k += 4096) {
            p[k] = 1;
        }
    }
}

static void write_file(const char *path)
{
    FILE *file = fopen(path, "w");
    fputs("harm\n", file);
    fclose(file);
}

static int harm_by_host(const char *what, const char *path)
{
    if (strcmp(what, "endless-host") == 0) {
        for (volatile int i = 0;; i = i + 1) {
        }
    } else if (strcmp(what, "deaf") == 0) { /* SIGTERM does not end it */
        signal(SIGTERM, SIG_IGN);
        for (;;) {
            pause();
        }
    } else if (strcmp(what, "fork") == 0) {
        for (;;) {
            fork();
        }
    } else if (strcmp(what, "system") == 0) {
        return system("touch /tmp/tesela-lab-hostile") == 0;
    } else if (strcmp(what, "write") == 0) {
        write_file(path);
    } else if (strcmp(what, "remove") == 0) {
        return remove(path);
    } else if (strcmp(what, "network") == 0) {
        return socket(AF_INET, SOCK_STREAM, 0);
    } else if (strcmp(what, "kill") == 0) {
        kill(getppid(), SIGKILL);
    } else if (strcmp(what, "thread-kill") == 0) {
        syscall(SYS_tgkill, getppid(), getppid(), SIGKILL);
    } else if (strcmp(what, "late-call") == 0) {
        const uint64_t how[3] = {O_WRONLY | O_CREAT, 0600, 0};
        return (int)syscall(437 /* openat2 */, AT_FDCWD, path, how, sizeof how);
    } else if (strcmp(what, "shared") == 0) {
        return mmap(nullptr, (size_t)100 << 30, PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) == MAP_FAILED;
    } else if (strcmp(what, "session") == 0) {
        setsid();
    } else if (strcmp(what, "memory") == 0) {
        take_memory();
    } else if (strcmp(what, "device-memory") == 0) {
        void *p;
        return cudaMalloc(&p, (size_t)100 << 30) == cudaErrorMemoryAllocation ? 0 : 5;
    } else if (strcmp(what, "abort") == 0) {
        abort();
    }
    return 0;
}

int main(int argc, char **argv)
{
    int *a;
    const char *what = argc > 1 ? argv[1] : "";
    cudaMalloc(&a, 1024);
    cudaMemset(a, 0, 1024);
    harm_by_kernel(what, a);
    if (strcmp(what, "close") == 0) { /* the file of results too */
        for (int i = 3; i < 256; i++) {
            close(i);
        }
        _exit(0);
    }
    while (strcmp(what, "flood") == 0) {
        puts("and on");
    }
    cudaDeviceSynchronize();
    return harm_by_host(what, argc > 2 ? argv[2] : "");
}
