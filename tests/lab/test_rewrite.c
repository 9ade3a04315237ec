/* What the rewriter makes of CUDA's own tokens, what it refuses, and that it ends well when memory
 * runs out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "io/file/text.h"
#include "lab/rewrite.h"

static char folder[] = "/tmp/tesela-rewrite-XXXXXX";
static tsl_context *context;

static int begin(void **state)
{
    tsl_context_options options = TSL_CONTEXT_OPTIONS_INIT;
    (void)state;
    options.device = "cpu";
    return mkdtemp(folder) == NULL || tsl_context_create(&context, &options) != TSL_OK;
}

static void path_of(char out[64], const char *name)
{
    snprintf(out, 64, "%s/%s", folder, name);
}

static int end(void **state)
{
    static const char *const names[] = {"in.cu", "own.h", "source.cpp", "include1.h"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[64];
        path_of(path, names[i]);
        unlink(path);
    }
    tsl_context_destroy(context);
    return rmdir(folder);
}

static void write_text(const char *name, const char *text)
{
    char path[64];
    path_of(path, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static tsl_status rewrite(void)
{
    tsl_lab_sources sources;
    char path[64];
    path_of(path, "in.cu");
    const tsl_status status = tsl_lab_rewrite(&sources, context, path, folder, NULL);
    tsl_lab_sources_release(&sources);
    return status;
}

/* CUDA, and a part of the C++ that is made of it. */
static const struct {
    const char *from;
    const char *to;
} pairs[] = {
    {"void f() { k<<<g, 32>>>(a, b); }",
     "::tsl_lab::start(\"k\", ::tsl_lab::config(g, 32), 0, [=](auto... tsl_lab_a) { "
     "k(::tsl_lab::given(tsl_lab_a)...), tsl_lab_leave(); }, a, b); }"},
    {"void f() { k <<< g, b >>> (); }",
     "{ k(::tsl_lab::given(tsl_lab_a)...), tsl_lab_leave(); }); }"},
    {"void f() { n::k<T, 3><<<1, 2, 3, s>>>(NULL); }",
     "{ n::k<T, 3>(::tsl_lab::given(tsl_lab_a)...), tsl_lab_leave(); }, nullptr); }"},
    {"const char *s = \"k<<<1, 2>>>()\"; // __shared__ int x;\n/* k<<<1, 2>>>() */",
     "\"k<<<1, 2>>>()\"; // __shared__ int x;\n/* k<<<1, 2>>>() */"},
    {"__global__ void k() { __shared__ float s[4][5]; }",
     "typedef  float  tsl_lab_0[4][5]; TSL_LAB_BLOCK_VARIABLE(0, tsl_lab_0, s); }"},
    {"__global__ void k() { volatile __shared__ int s[4]; }",
     "{ typedef volatile  int  tsl_lab_0[4]; "},
    {"__global__ void k() { extern __shared__ T s[]; }",
     "{ typedef  T  tsl_lab_0[]; TSL_LAB_DYNAMIC_VARIABLE(tsl_lab_0, s); }"},
    {"extern __shared__ int s[];\n", "extern   int s[] __asm__(\"tsl_dynamic_shared\");\n"},
    {"__shared__ int s[3];", "TSL_LAB_SHARED(0) int s[3];"},
    {"__device__ int count;", "TSL_LAB_VARIABLE(0) int count;"},
    {"__device__ float table[2] = {1, 2};", "TSL_LAB_VARIABLE(0) float table[2] = {1, 2};"},
    {"__device__ int f(int x) { return x; }", "\n__device__ int f(int x) { return x; }"},
    {"struct s { __device__ int operator[](int i); };", "{ __device__ int operator[](int i); };"},
    {"__constant__ float c[5];", "TSL_LAB_CONSTANT(0) float c[5];"},
    {"__constant__ const int c = 5;", "\n  const int c = 5;"},
    {"__device__ __managed__ int m;", "\n__device__ TSL_LAB_MANAGED(0) int m;"},
    {"struct p { float x; };", "{sizeof(::p), alignof(::p), TSL_LAB_NUMBER(0)}, {0, 0, -1}"},
    {"#include <cstdio>\nstruct p { float x; };", "{sizeof(::p), alignof(::p), TSL_LAB_NUMBER(0)}"},
    {"namespace a { struct p { int i[3]; }; }", "{sizeof(::a::p), alignof(::a::p), 0}"},
    {"typedef struct { int a; } named;", "{sizeof(::named), alignof(::named), TSL_LAB_NUMBER(0)}"},
    {"struct __align__(16) q { float x, y; };",
     "template <int = 0> TSL_LAB_MADE constexpr q(::tsl_lab::leading<decltype(x)>::type tsl_lab_0, "
     "decltype(y) tsl_lab_1 = {}) : x(tsl_lab_0), y(tsl_lab_1) {} TSL_LAB_WHOLE(q) }"},
    {"struct __align__(8) p { unsigned a : 3, b : 5; };", "{sizeof(::p), alignof(::p), -1}"},
    {"struct p { std::int8_t a; };", "{sizeof(::p), alignof(::p), TSL_LAB_NUMBER(0)}"},
    {"void f() { cudaLaunchKernel((void *)k, g, b, a); }", "cudaLaunchKernel( k, g, b, a)"},
};

static void test_pairs(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char path[64];
        tsl_text text;
        tsl_lab_buffer whole = {.data = NULL};
        write_text("in.cu", pairs[i].from);
        assert_int_equal(rewrite(), TSL_OK);
        path_of(path, "source.cpp");
        assert_int_equal(tsl_text_read(&text, context, path, 1 << 20), TSL_OK);
        tsl_lab_buffer_add(&whole, text.data, text.size);
        if (strstr(whole.data, pairs[i].to) == NULL) {
            fail_msg("%s\nis no part of\n%s", pairs[i].to, whole.data);
        }
        tsl_lab_buffer_release(&whole);
        tsl_text_release(&text);
    }
}

static void test_refused(void **state)
{
    static const struct {
        const char *text;
        tsl_status status;
        const char *message;
    } cases[] = {
        {"int a;\nvoid f() { k<<<1, 2>>>; }\n", TSL_E_FORMAT, "in.cu:2: a launch is"},
        {"void f() { k<<<1, 2(a); }\n", TSL_E_FORMAT, "in.cu:1: a launch is"},
        {"\n\nvoid f() { <<<1, 2>>>(a); }\n", TSL_E_FORMAT, "in.cu:3: a launch is"},
        {"\nvoid f() { asm volatile(\"exit;\"); }\n", TSL_E_UNSUPPORTED, "in.cu:2: inline PTX"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_text("in.cu", cases[i].text);
        assert_int_equal(rewrite(), cases[i].status);
        assert_non_null(strstr(tsl_last_error(context), cases[i].message));
    }
    write_text("in.cu", "#ifdef __CUDA_ARCH__\nvoid f() { asm(\"exit;\"); }\n#endif\n");
    assert_int_equal(rewrite(), TSL_OK);
}

static void test_memory(void **state)
{
    (void)state;
    write_text("own.h", "struct p { int a, b; };\n__device__ int count;\n");
    write_text("in.cu", "#include \"own.h\"\nstruct __align__(8) q { float x, y; };\n"
                        "__global__ void k(int *a) { __shared__ int s[4], t; s[0] = 1; }\n"
                        "void f(int *a) { k<<<1, 32>>>(a); }\n");
    const int64_t live = tsl_test_live_allocations();
    tsl_status status = TSL_E_NOMEM;
    for (int64_t k = 1; status != TSL_OK; k++) {
        assert_in_range(k, 1, 1000);
        tsl_test_fail_allocation(k);
        status = rewrite();
        tsl_test_fail_allocation(0);
        assert_true(status == TSL_OK || status == TSL_E_NOMEM);
        assert_int_equal(tsl_test_live_allocations(), live);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pairs), cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(tests, begin, end);
}
