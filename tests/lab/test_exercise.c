/* The file of an exercise: its fields and parts, the texts made of its solution, predictions, and
 * its texts as HTML. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "lab/course/grade.h"
#include "lab/course/messages.h"
#include "lab/course/site.h"

static char path[] = "/tmp/tesela-exercise-XXXXXX";
static tsl_context *context;

static const char file[] = "```exercise\n"
                           "id: 7.12\n"
                           "name: double\n"
                           "kind: repair\n"
                           "covers: K1 C2\n"
                           "sizes: 1 33x17\n"
                           "output: la suma / the sum\n"
                           "limit: excess <= 0\n"
                           "```\n\n"
                           "## es: Doblar\n\nTexto.\n\n```\ncode\n```\n\n"
                           "### Pista\n\nUna.\n\n### Explicación\n\nFin.\n\n"
                           "## en: Double\n\nText.\n\n"
                           "### Hint\n\nOne.\n\n### Explanation\n\nEnd.\n\n"
                           "```cuda solution\n"
                           "void f()\n{\n    //<\n    //: wrong();\n    right();\n    //>\n"
                           "    //<\n    rest();\n    //>\n}\n```\n"
                           "```cuda act\nact\n```\n```cpp judge\njudge\n```\n"
                           "```diff values\n-    right();\n+    left();\n```\n"
                           "```diff race\n right();\n-rest();\n```\n"
                           "```diff lost\n-nowhere();\n```\n";

static int begin(void **state)
{
    tsl_context_options options = TSL_CONTEXT_OPTIONS_INIT;
    (void)state;
    options.device = "cpu";
    const int made = mkstemp(path);
    const bool written =
        made >= 0 && write(made, file, sizeof file - 1) == (ssize_t)sizeof file - 1;
    return !written || close(made) != 0 || tsl_context_create(&context, &options) != TSL_OK;
}

static int end(void **state)
{
    (void)state;
    unlink(path);
    tsl_context_destroy(context);
    return 0;
}

static void read_file(tsl_lab_exercise *e)
{
    memset(e, 0, sizeof *e);
    assert_int_equal(tsl_lab_exercise_read(e, context, path), TSL_OK);
}

static void release(tsl_lab_exercise *e)
{
    tsl_release(e->text);
    tsl_release(e->path);
}

static void test_parts(void **state)
{
    tsl_lab_exercise e;
    char name[64];
    (void)state;
    read_file(&e);
    assert_string_equal(e.id, "7.12");
    assert_int_equal(e.module, 7);
    assert_int_equal(e.number, 12);
    assert_int_equal(e.output_count, 1);
    assert_string_equal(e.outputs[0], "la suma / the sum");
    assert_int_equal(e.kind, TSL_LAB_TO_REPAIR);
    assert_string_equal(e.sizes[1], "33x17");
    assert_string_equal(e.limits[0], "excess <= 0");
    assert_string_equal(e.words[TSL_LAB_SPANISH].title, "Doblar");
    assert_non_null(strstr(e.words[TSL_LAB_SPANISH].task, "code\n```"));
    assert_string_equal(e.words[TSL_LAB_ENGLISH].hints[0], "\nOne.\n\n");
    assert_string_equal(e.words[TSL_LAB_ENGLISH].after, "\nEnd.\n\n");
    assert_string_equal(e.act, "act\n");
    assert_string_equal(e.judge, "judge\n");
    assert_int_equal(e.wrong_count, 3);
    assert_string_equal(e.wrong[1].reason, "race");
    tsl_lab_answer_name(name, sizeof name, &e);
    assert_string_equal(name, "7.12-double.cu");
    release(&e);
}

static void test_answers(void **state)
{
    tsl_lab_exercise e;
    tsl_lab_buffer text;
    (void)state;
    read_file(&e);
    assert_int_equal(tsl_lab_solution(&text, context, &e), TSL_OK);
    assert_string_equal(text.data, "void f()\n{\n    right();\n    rest();\n}\n");
    tsl_lab_buffer_release(&text);
    assert_int_equal(tsl_lab_skeleton(&text, context, &e, TSL_LAB_ENGLISH), TSL_OK);
    assert_string_equal(text.data, "// 7.12 Double\nvoid f()\n{\n    wrong();\n"
                                   "    // write here\n}\n");
    tsl_lab_buffer_release(&text);
    assert_int_equal(tsl_lab_wrong_answer(&text, context, &e, 0), TSL_OK);
    assert_string_equal(text.data, "void f()\n{\n    left();\n    rest();\n}\n");
    tsl_lab_buffer_release(&text);
    assert_int_equal(tsl_lab_wrong_answer(&text, context, &e, 1), TSL_OK);
    assert_string_equal(text.data, "void f()\n{\n    right();\n}\n");
    tsl_lab_buffer_release(&text);
    assert_int_equal(tsl_lab_wrong_answer(&text, context, &e, 2), TSL_E_FORMAT);
    tsl_lab_buffer_release(&text);
    release(&e);
}

static void test_predictions(void **state)
{
    static const struct {
        const char *given, *right;
        bool same;
    } cases[] = {{"8", "8", true},
                 {"8.0", "8", true},
                 {"8.01", "8", false},
                 {"16777218", "16777216", false},
                 {"66.67", "66.7", true},
                 {"67.5", "66.7", false},
                 {"nan", "8", false},
                 {"inf", "8", false},
                 {"?", "8", false},
                 {"GPU", "gpu", true},
                 {"cpu", "gpu", false},
                 {"", "gpu", false},
                 {"1 500 000", "1500000", true},
                 {"65,536", "65536", true},
                 {"65.536", "65536", true},
                 {"66,7", "66.7", true},
                 {"25 %", "25", true},
                 {"1.000", "1", true},
                 {"65,53", "65536", false},
                 {"65,5360", "65536", false},
                 {"1 50", "150", false},
                 {"0.125", "125", false},
                 {"1234.567", "1234567", false},
                 {"2.625", "2625.0", false}};
    char value[16];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(tsl_lab_same_value(cases[i].given, cases[i].right), cases[i].same);
    }
    assert_true(tsl_lab_prediction(value, sizeof value, "# a = 1\nab = 2\n a  =  3 \n", "a"));
    assert_string_equal(value, "3");
    assert_false(tsl_lab_prediction(value, sizeof value, "ab = 2\n", "a"));
}

static void test_details(void **state)
{
    static const struct {
        const char *english;
        const char *spanish;
    } cases[] = {
        {"read of 4 bytes out of bounds by thread 1 of block 0: 8 bytes past the end of the 4 that "
         "cudaMalloc() gave",
         "lectura de 4 bytes del hilo 1 del bloque 0: 8 bytes después del final de los 4 que dio "
         "cudaMalloc()"},
        {"shared memory: thread 3 reads what thread 5 of another block has written: "
         "byte 8 of 512 of sm",
         "memoria compartida: el hilo 3 lee, sin nada por medio, lo que ha escrito el hilo 5 de "
         "otro bloque: byte 8 de los 512 de sm"},
        {"lane 9 calls __shfl_down_sync with mask 0xff, which leaves it out",
         "el hilo 9 del warp llama a __shfl_down_sync con la máscara 0xff, en la que no está"},
        {"the program tries to start a process: it is kept from that here (--unguarded lets it)",
         "intenta iniciar un proceso"},
        {"no such report", ""}};
    char text[320];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const bool known = tsl_lab_detail(text, sizeof text, cases[i].english, TSL_LAB_SPANISH);
        assert_string_equal(text, cases[i].spanish);
        assert_int_equal(known, cases[i].spanish[0] != '\0');
        assert_true(tsl_lab_detail(text, sizeof text, cases[i].english, TSL_LAB_ENGLISH));
        assert_string_equal(text, cases[i].english);
    }
}

static void test_html(void **state)
{
    static const char *const cases[][2] = {
        {"a < `b\n<<<c` & **d** *e f*\n", "<p>a &lt; <code>b\n&lt;&lt;&lt;c</code> &amp; "
                                          "<strong>d</strong> <em>e f</em></p>\n"},
        {"- one\n- two\n  more\n", "<ul>\n<li>one</li>\n<li>two\n  more</li></ul>\n"},
        {"1. one\n2. two\n", "<ol>\n<li>one</li>\n<li>two</li></ol>\n"},
        {"```\n<a>\n\n*b*\n```\n", "<pre><code>&lt;a&gt;\n\n*b*\n</code></pre>\n"},
        {"| a | b |\n| --- | --- |\n| 1 | 2 |\n",
         "<table><thead>\n<tr><th scope=\"col\"> a </th><th scope=\"col\"> b </th></tr>\n"
         "</thead><tbody>\n<tr><td> 1 </td><td> 2 </td></tr>\n</tbody></table>\n"},
        {"2 * 3 * 4", "<p>2 * 3 * 4</p>\n"},
        {"[a](b.html)", "<p><a href=\"b.html\">a</a></p>\n"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tsl_lab_buffer out = {.data = NULL};
        tsl_lab_html(&out, cases[i][0]);
        assert_string_equal(out.data, cases[i][1]);
        tsl_lab_buffer_release(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_parts), cmocka_unit_test(test_answers),
                                       cmocka_unit_test(test_predictions),
                                       cmocka_unit_test(test_details), cmocka_unit_test(test_html)};
    return cmocka_run_group_tests(tests, begin, end);
}
