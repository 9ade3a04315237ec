/* What checks of exercises are written with. The same file serves two programs: the answer's, which
 * makes the input and calls the answer, and the judge's (LAB_JUDGE), which has nothing of the
 * answer in it, makes the same input again and says what is right. */
#ifndef TESELA_LAB_CHECK_H
#define TESELA_LAB_CHECK_H

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <unistd.h>
#include <vector>

namespace lab
{
#ifdef LAB_CARD
inline std::vector<void *> held; /* memory of a case, which a card gets back after it */
#endif

/* One size with its input. Each stream of numbers depends on the seed, the case and the stream's
 * number, so that both programs have the same. */
struct Case {
    int number;
    long n; /* elements: nx ny nz */
    long nx, ny, nz;
    uint64_t seed;
    int file;   /* outputs are written to or read from it */
    int pass;   /* of the judge */
    int output; /* the next one */
    bool lost;  /* the judge has said that outputs are missing */
    bool wrong; /* the judge has found something wrong */

    uint64_t random(uint64_t stream, uint64_t i) const
    {
        uint64_t x = seed + 0x9e3779b97f4a7c15u * (stream * 1000003u + i + 1);
        x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
        x = (x ^ x >> 27) * 0x94d049bb133111ebu;
        return x ^ x >> 31;
    }
    /* A whole number from low to high. */
    long pick(int stream, long low, long high) const
    {
        return low + (long)(random((uint64_t)stream, 1u << 30) % (uint64_t)(high - low + 1));
    }
    /* Multiples of 1/64 in [-2, 2), so that few sums are rounded. */
    std::vector<float> floats(int stream, long count) const
    {
        std::vector<float> v((size_t)count);
        for (long i = 0; i < count; i++) {
            v[(size_t)i] = (float)((long)(random((uint64_t)stream, (uint64_t)i) % 256) - 128) / 64;
        }
        return v;
    }
    /* Any float in [-1, 1). */
    std::vector<float> reals(int stream, long count) const
    {
        std::vector<float> v((size_t)count);
        for (long i = 0; i < count; i++) {
            v[(size_t)i] =
                (float)((double)(random((uint64_t)stream, (uint64_t)i) >> 40) * (2.0 / 16777216) -
                        1);
        }
        return v;
    }
    std::vector<int> ints(int stream, long count, long low, long high) const
    {
        std::vector<int> v((size_t)count);
        for (long i = 0; i < count; i++) {
            v[(size_t)i] = (int)(low + (long)(random((uint64_t)stream, (uint64_t)i) %
                                              (uint64_t)(high - low + 1)));
        }
        return v;
    }

#ifdef LAB_JUDGE
    bool take(void *to, size_t bytes)
    {
        for (size_t got = 0; got < bytes;) {
            const ssize_t more = read(file, (char *)to + got, bytes - got);
            if (more <= 0) {
                return false;
            }
            got += (size_t)more;
        }
        return true;
    }
    template <class T> bool next(std::vector<T> &got, size_t count)
    {
        int64_t head[4] = {0, 0, 0, 0};
        got.resize(count);
        const bool whole = !lost && take(head, sizeof head) && head[0] == number &&
                           head[1] == output && head[2] == (int64_t)sizeof(T) &&
                           head[3] == (int64_t)count && take(got.data(), count * sizeof(T));
        if (!whole) {
            printf("missing %d %d %d\n", pass, number, output);
            lost = wrong = true;
        }
        output++;
        return whole;
    }
    struct text {
        char text[32];
    };
    /* A number as messages have it: whole ones with all digits, others with 9. */
    template <class T> static text number_text(T value)
    {
        text to;
        if (std::is_integral<T>::value) {
            snprintf(to.text, sizeof to.text, "%lld", (long long)value);
        } else {
            snprintf(to.text, sizeof to.text, "%.9g", (double)value);
        }
        return to;
    }
    /* Whole numbers that are to be the same are compared as they are: a double does not hold all.
     */
    template <class T> static bool meets(T got, T wanted, double bound, double relative)
    {
        const double difference = std::fabs((double)got - (double)wanted);
        return std::is_integral<T>::value && bound == 0 && relative == 0
                   ? got == wanted
                   : difference <= bound + relative * std::fabs((double)wanted);
    }
    /* The next output is `wanted`; |difference| <= bound + relative |wanted|, which no
     * not-a-number meets. */
    template <class T>
    void expect(const std::vector<T> &wanted, double bound = 0, double relative = 0)
    {
        std::vector<T> got;
        if (!next(got, wanted.size())) {
            return;
        }
        for (size_t i = 0; i < wanted.size(); i++) {
            if (!meets(got[i], wanted[i], bound, relative)) {
                wrong = true;
                printf("values %d %d %d %zu %zu %s %s\n", pass, number, output - 1, wanted.size(),
                       i, number_text(got[i]).text, number_text(wanted[i]).text);
                return;
            }
        }
    }
    template <class T> void expect_one(T wanted, double bound = 0, double relative = 0)
    {
        expect(std::vector<T>{wanted}, bound, relative);
    }
#else
    /* Memory of the device with these values; of 0 elements, one that nobody may touch. */
    template <class T> T *input(const std::vector<T> &v)
    {
        T *to = empty<T>((long)v.size());
        if (!v.empty()) {
            cudaMemcpy(to, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice);
        }
        return to;
    }
    template <class T> T *empty(long count)
    {
        T *to = nullptr;
        cudaMalloc(&to, (count > 0 ? (size_t)count : 1) * sizeof(T));
#ifdef LAB_CARD
        held.push_back(to);
#endif
        return to;
    }
    template <class T> T *zeros(long count)
    {
        T *to = empty<T>(count);
        if (count > 0) {
            cudaMemset(to, 0, (size_t)count * sizeof(T));
        }
        return to;
    }
    void put(const void *from, size_t bytes)
    {
        for (size_t put = 0; put < bytes;) {
            const ssize_t more = write(file, (const char *)from + put, bytes - put);
            if (more <= 0) {
                return;
            }
            put += (size_t)more;
        }
    }
    /* Hand over what the answer made, on the device or on the host. */
    template <class T> void output_host(const T *from, long count)
    {
        const int64_t head[4] = {number, output++, (int64_t)sizeof(T), count};
        put(head, sizeof head);
        put(from, (size_t)count * sizeof(T));
    }
    template <class T> void outputs(const T *from, long count)
    {
        std::vector<T> v((size_t)count);
        const cudaError_t error = count == 0 ? cudaDeviceSynchronize()
                                             : cudaMemcpy(v.data(), from, (size_t)count * sizeof(T),
                                                          cudaMemcpyDeviceToHost);
        if (error == cudaSuccess) {
            output_host(v.data(), count);
        }
    }
#endif
};

inline uint64_t seed_of(const char *text, int number)
{
    return strtoull(text, nullptr, 10) * 6364136223846793005u +
           1442695040888963407u * (uint64_t)(number + 1);
}

inline Case case_of(const char *seed, const char *size, int number)
{
    Case c = {};
    c.number = number;
    c.nx = c.ny = c.nz = 1;
    sscanf(size, "%ldx%ldx%ld", &c.nx, &c.ny, &c.nz);
    c.n = c.nx * c.ny * c.nz;
    c.seed = seed_of(seed, number);
    return c;
}

/* Arguments: the seed, then sizes; the judge's also "--" and files, "-" for none. */
inline int run_cases(int count, char **arguments, void (*run)(Case &))
{
    int sizes = 2;
    while (sizes < count && strcmp(arguments[sizes], "--") != 0) {
        sizes++;
    }
#ifdef LAB_JUDGE
    for (int pass = 0; sizes + 1 + pass < count; pass++) {
        FILE *file = fopen(arguments[sizes + 1 + pass], "rb");
        bool lost = false;
        for (int i = 2; i < sizes && file != nullptr; i++) {
            Case c = case_of(arguments[1], arguments[i], i - 2);
            c.file = fileno(file);
            c.pass = pass;
            c.lost = lost;
            run(c);
            lost = c.lost;
            if (!c.wrong) {
                printf("right %d %d\n", pass, i - 2);
            }
            fflush(stdout);
            if (lost) {
                break; /* one line says it */
            }
        }
        if (file != nullptr) {
            fclose(file);
        } else {
            printf("missing %d 0 0\n", pass);
        }
    }
    printf("judged\n");
#else
    for (int i = 2; i < sizes; i++) {
        Case c = case_of(arguments[1], arguments[i], i - 2);
        c.file = tsl_lab_outputs();
        run(c);
    }
#endif
    return 0;
}
} // namespace lab

#endif
