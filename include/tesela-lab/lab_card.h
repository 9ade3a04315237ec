/* An answer on a card: what its check needs there, in place of the lab's runtime. For nvcc. The
 * linker's --wrap lets launches go through a timer, and calls of cudaMalloc(), cudaFree() and
 * cudaMemGetInfo() through an account of memory.
 *
 * Settings: TESELA_LAB_CARD, the card's number; TESELA_LAB_OUTPUTS, a descriptor to which outputs
 * are written; TESELA_LAB_SPEED, a file for times, where speed is asked for. */
#ifndef TESELA_LAB_CARD_H
#define TESELA_LAB_CARD_H

#include <cstdlib>
#include <map>

inline int tsl_lab_setting(const char *name)
{
    const char *value = getenv(name);
    return value != nullptr ? atoi(value) : -1;
}

inline int tsl_lab_outputs()
{
    return tsl_lab_setting("TESELA_LAB_OUTPUTS");
}

#define LAB_CARD
#include "lab_check.h"
#include "lab_rates.h"

namespace lab_card
{
using namespace lab_rates;

/* Times launches while it is on. The first launch of a case waits until the level-2 cache, where
 * its input may be, is filled with something else. */
struct Timer {
    bool on = false, first = true;
    const Flush *flush = nullptr;
    std::vector<cudaEvent_t> events; /* pairs, of which `used` are recorded */
    size_t used = 0;

    void begin()
    {
        on = first = true;
        used = 0;
    }
    cudaEvent_t next()
    {
        if (used == events.size()) {
            cudaEvent_t event;
            cudaEventCreate(&event);
            events.push_back(event);
        }
        return events[used++];
    }
    /* Milliseconds of all launches since begin(). */
    double end()
    {
        double sum = 0;
        on = false;
        cudaDeviceSynchronize();
        for (size_t i = 0; i + 1 < used; i += 2) {
            float ms = 0;
            cudaEventElapsedTime(&ms, events[i], events[i + 1]);
            sum += ms;
        }
        return sum;
    }
};
inline Timer timer;
} // namespace lab_card

namespace lab_card
{
/* Time a launch, if the timer is on. */
template <class Launch> cudaError_t timed(cudaStream_t stream, Launch launch)
{
    if (!timer.on) {
        return launch();
    }
    if (timer.first) {
        (*timer.flush)(stream);
        timer.first = false;
    }
    const cudaEvent_t begin = timer.next(), end = timer.next();
    cudaEventRecord(begin, stream);
    const cudaError_t error = launch();
    cudaEventRecord(end, stream);
    return error;
}
} // namespace lab_card

extern "C" cudaError_t __real_cudaLaunchKernel(const void *, dim3, dim3, void **, size_t,
                                               cudaStream_t);
extern "C" cudaError_t __wrap_cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block,
                                               void **arguments, size_t shared, cudaStream_t stream)
{
    return lab_card::timed(stream, [&] {
        return __real_cudaLaunchKernel(kernel, grid, block, arguments, shared, stream);
    });
}
#if CUDART_VERSION >= 13000 /* what <<<>>> calls since then */
extern "C" cudaError_t __real___cudaLaunchKernel(cudaKernel_t, dim3, dim3, void **, size_t,
                                                 cudaStream_t);
extern "C" cudaError_t __wrap___cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block,
                                                 void **arguments, size_t shared,
                                                 cudaStream_t stream)
{
    return lab_card::timed(stream, [&] {
        return __real___cudaLaunchKernel(kernel, grid, block, arguments, shared, stream);
    });
}
#endif

/* Other programs use the card's memory too, and kernels take some of it when they are loaded: what
 * is free here is all but what this program's cudaMalloc() has given and not got back. */
namespace lab_card
{
inline std::map<void *, size_t> given;
}
extern "C" cudaError_t __real_cudaMalloc(void **, size_t);
extern "C" cudaError_t __wrap_cudaMalloc(void **to, size_t bytes)
{
    const cudaError_t error = __real_cudaMalloc(to, bytes);
    if (error == cudaSuccess) {
        lab_card::given[*to] = bytes;
    }
    return error;
}
extern "C" cudaError_t __real_cudaFree(void *);
extern "C" cudaError_t __wrap_cudaFree(void *memory)
{
    const cudaError_t error = __real_cudaFree(memory);
    if (error == cudaSuccess) {
        lab_card::given.erase(memory);
    }
    return error;
}
extern "C" cudaError_t __real_cudaMemGetInfo(size_t *, size_t *);
extern "C" cudaError_t __wrap_cudaMemGetInfo(size_t *left, size_t *all)
{
    const cudaError_t error = __real_cudaMemGetInfo(left, all);
    *left = *all;
    for (const auto &each : lab_card::given) {
        *left -= each.second;
    }
    return error;
}

namespace lab_card
{
using lab::Case;

inline void run_one(const char *seed, const char *size, int number, void (*act)(Case &))
{
    Case c = lab::case_of(seed, size, number);
    c.file = tsl_lab_outputs();
    act(c);
    for (void *memory : lab::held) {
        cudaFree(memory);
    }
    lab::held.clear();
    cudaGetLastError(); /* what this case leaves is not the next one's */
}

/* What a card copies, or reads, before and after the answer's runs, and their times. */
inline void run_timed(FILE *times, int count, char **arguments, int first, const char *against,
                      void (*act)(Case &))
{
    const Flush flush;
    auto rate = [&] { /* as large as exercises' arrays: a launch's own time counts alike */
                      const Arrays m(1l << 25);
                      return strcmp(against, "read") == 0 ? read_rate(flush, m)
                                                          : copy_rate(flush, m);
    };
    timer.flush = &flush;
    fprintf(times, "rate %.6e\n", rate());
    for (int i = first; i < count; i++) {
        timer.begin();
        run_one(arguments[1], arguments[i], i - 2, act);
        fprintf(times, "time %.6e\n", timer.end() / 1e3);
    }
    fprintf(times, "rate %.6e\n", rate());
}

/* Arguments: the seed and sizes; of a size with "+" before it, and those after it, the launches are
 * timed, and compared with what the word of that name, "copy" or "read", says: "+copy". */
inline int run_on_card(int count, char **arguments, void (*act)(Case &))
{
    const char *path = getenv("TESELA_LAB_SPEED");
    int timed = 2;
    if (cudaSetDevice(tsl_lab_setting("TESELA_LAB_CARD")) != cudaSuccess) {
        return 1;
    }
    while (timed < count && arguments[timed][0] != '+') {
        run_one(arguments[1], arguments[timed], timed - 2, act);
        timed++;
    }
    if (timed < count && path != nullptr) {
        FILE *times = fopen(path, "w");
        const char *against = arguments[timed] + 1;
        for (int i = timed; i + 1 < count; i++) { /* numbers of cases are those of sizes */
            arguments[i] = arguments[i + 1];
        }
        if (times == nullptr) {
            return 1;
        }
        run_timed(times, count - 1, arguments, timed, against, act);
        fclose(times);
    }
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
} // namespace lab_card

#endif
