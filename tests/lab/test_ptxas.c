/* What the compiler says of kernels, from a compiler of the test's own and, where it is, NVIDIA's.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "lab/ptxas.h"
#include "scratch.h"

/* As nvcc 13.0 prints it, and for 1.x to 3.x as older ones did. */
static const char printed[] =
    "ptxas info    : 0 bytes gmem\n"
    "ptxas info    : Compiling entry function '_ZN3lab3sumIdEEvPT_i' for 'sm_90'\n"
    "ptxas info    : Function properties for _ZN3lab3sumIdEEvPT_i\n"
    "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
    "ptxas info    : Used 14 registers, used 1 barriers, 2048 bytes smem\n"
    "ptxas info    : Compiling entry function '_ZN3lab3sumIfEEvPT_i' for 'sm_90'\n"
    "    16 bytes stack frame, 12 bytes spill stores, 8 bytes spill loads\n"
    "ptxas info    : Used 10 registers, used 2 barriers, 1024 bytes smem, 368 bytes cmem[0]\n"
    "ptxas info    : Function properties for _Z1ff\n"
    "    0 bytes stack frame, 99 bytes spill stores, 0 bytes spill loads\n"
    "ptxas info    : Compiling entry function '_ZN36_GLOBAL__N__4258f66d_4_k_cu_714b28324anonEPf' "
    "for 'sm_90'\n"
    "ptxas info    : Used 255 registers\n"
    "ptxas info    : Compiling entry function 'plain' for 'sm_90'\n"
    "ptxas info    : Used 8 registers, 1024+16 bytes smem, 4 bytes cmem[1]\n"
    "ptxas info    : Compiling entry function '_Z6hiddenPf' for 'sm_90'\n"
    "ptxas info    : Used 7 registers";

static void check(const char *name, int registers, int barriers, int shared, int spilled)
{
    tsl_context context = {0};
    tsl_ptxas_use use = {0};
    assert_int_equal(tsl_ptxas_find(&use, &context, printed, "k.cu", name), TSL_OK);
    assert_int_equal(use.registers, registers);
    assert_int_equal(use.barriers, barriers);
    assert_int_equal(use.static_shared, shared);
    assert_int_equal(use.system_shared, strcmp(name, "plain") == 0 ? 16 : 0);
    assert_int_equal(use.spilled, spilled);
}

static void kernels_are_found_by_their_names(void **state)
{
    (void)state;
    check("_ZN3lab3sumIdEEvPT_i", 14, 1, 2048, 0);
    check("_ZN3lab3sumIfEEvPT_i", 10, 2, 1024, 12);
    check("anon", 255, -1, 0, 0);
    check("plain", 8, -1, 1024, 0);
    check("hidden", 7, -1, 0, 0);
    check("_Z6hiddenPf", 7, -1, 0, 0);
}

static void refuse(const char *text, const char *name, const char *words)
{
    tsl_context context = {0};
    tsl_ptxas_use use = {.registers = 77};
    assert_int_equal(tsl_ptxas_find(&use, &context, text, "k.cu", name), TSL_E_ARG);
    assert_error_names(&context, words);
    assert_int_equal(use.registers, 77);
}

static void other_names_are_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = {"su",     "um", "lab", "lab::", "::sum",
                                        "b::sum", "f",  "Pf",  ""};
    refuse(
        printed, "sum",
        "k.cu: 2 kernels are called sum: give one of _ZN3lab3sumIdEEvPT_i, _ZN3lab3sumIfEEvPT_i");
    refuse(printed, "lab::sum", "k.cu: 2 kernels are called lab::sum");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        refuse(printed, wrong[i], "lab::sum, lab::sum, anon, plain, hidden");
    }
    refuse("ptxas info    : 0 bytes gmem\n", "sum", "the file has none");
    refuse("", "sum", "the file has none");
    char *many = calloc(1, 100000);
    assert_non_null(many);
    for (int i = 0; i < 200; i++) { /* more than a line holds */
        char line[128];
        snprintf(line, sizeof line, "Compiling entry function 'kernel%d_of_%d' for 'sm_90'\n", i,
                 i);
        strcat(many, line);
    }
    refuse(many, "sum", ", ...; ");
    free(many);
}

/* ---- the compiler ------------------------------------------------------------------------- */

static void make_compiler(const char *name, const char *script)
{
    scratch_write_text(scratch_path(name), script);
    assert_int_equal(chmod(scratch_path(name), 0700), 0);
    assert_int_equal(setenv("CUDACXX", scratch_path(name), 1), 0);
    assert_int_equal(setenv("TMPDIR", scratch_folder, 1), 0);
}

static tsl_status measure(tsl_context *context, void *user)
{
    char option[] = "-DN=1";
    char *const extra[] = {option, NULL};
    return tsl_ptxas_measure(user, context, scratch_path("k.cu"), "plain", 10, 3, extra);
}

/* It must be called as nvcc is, and no file of its may stay. */
static void the_compiler_is_asked(void **state)
{
    (void)state;
    char script[4096];
    tsl_context context = {0};
    tsl_ptxas_use use;
    snprintf(script, sizeof script,
             "#!/bin/sh\n[ \"$1 $2 $3 $4 $5 $7 $8 $9\" = \"-arch=sm_103 -cubin -Xptxas -v -o -x cu "
             "-DN=1\" ] || exit 3\n: >\"$6\"\ncat >&2 <<'END'\n%s\nEND\n",
             printed);
    make_compiler("nvcc", script);
    scratch_write_text(scratch_path("k.cu"), "");
    assert_int_equal(measure(&context, &use), TSL_OK);
    assert_int_equal(use.registers, 8);
    assert_survives_no_memory(measure, &use);
    assert_int_equal(scratch_empty(), 2);
}

static void failures_are_told(void **state)
{
    (void)state;
    tsl_context context = {0};
    tsl_ptxas_use use;
    make_compiler("nvcc", "#!/bin/sh\necho; echo hello; echo 'k.cu(3): error: what?'; exit 1\n");
    scratch_write_text(scratch_path("k.cu"), "");
    assert_int_equal(measure(&context, &use), TSL_E_FORMAT);
    assert_error_names(&context, "k.cu: nvcc refuses it for sm_103: k.cu(3): error: what?");
    make_compiler("nvcc", "#!/bin/sh\necho; echo Segmentation\nkill -9 $$\n");
    assert_int_equal(measure(&context, &use), TSL_E_FORMAT);
    assert_error_names(&context, "sm_103: Segmentation");
    make_compiler("nvcc", "#!/bin/sh\nexit 1\n");
    assert_int_equal(measure(&context, &use), TSL_E_FORMAT);
    assert_error_names(&context, "does not say why");
    assert_int_equal(remove(scratch_path("nvcc")), 0);
    assert_int_equal(measure(&context, &use), TSL_E_UNSUPPORTED);
    assert_error_names(&context, "nvcc cannot be run (No such file or directory): set CUDACXX");
    assert_int_equal(remove(scratch_path("k.cu")), 0);
    assert_int_equal(measure(&context, &use), TSL_E_IO);
    assert_error_names(&context, "k.cu: No such file");
    assert_int_equal(setenv("TMPDIR", "/none", 1), 0);
    scratch_write_text(scratch_path("k.cu"), "");
    assert_int_equal(measure(&context, &use), TSL_E_IO);
    assert_error_names(&context, "set TMPDIR");
    assert_int_equal(scratch_empty(), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(kernels_are_found_by_their_names),
                                       cmocka_unit_test(other_names_are_refused),
                                       cmocka_unit_test(the_compiler_is_asked),
                                       cmocka_unit_test(failures_are_told)};
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
