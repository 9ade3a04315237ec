#include "io/file/sha256.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "scratch.h"

static void assert_digest(const void *data, size_t bytes, size_t part, const char *expected)
{
    char digest[65];
    tsl_sha256 hash;
    tsl_sha256_begin(&hash);
    for (size_t i = 0; i < bytes; i += part) {
        tsl_sha256_add(&hash, (const char *)data + i, bytes - i < part ? bytes - i : part);
    }
    tsl_sha256_end(&hash, digest);
    assert_string_equal(digest, expected);
}

/* The examples that come with FIPS 180-4. */
static void test_standard(void **state)
{
    (void)state;
    const char *two_blocks = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    assert_digest("", 0, 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert_digest("abc", 3, 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_digest(two_blocks, strlen(two_blocks), 100,
                  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

/* Lengths at which the padding changes its shape, taken in parts of every size. */
static void test_lengths(void **state)
{
    (void)state;
    static const struct {
        size_t length;
        const char *digest;
    } rows[] = {
        {55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"},
        {56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"},
        {63, "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34"},
        {64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"},
        {65, "635361c48bb9eab14198e76ea8ab7f1a41685d6ad62aa9146d301d4f17eb0ae0"},
        {119, "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb"},
        {120, "2f3d335432c70b580af0e8e1b3674a7c020d683aa5f73aaaedfdc55af904c21c"},
    };
    char data[120];
    memset(data, 'a', sizeof data);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (size_t part = 1; part <= rows[i].length; part++) {
            assert_digest(data, rows[i].length, part, rows[i].digest);
        }
    }
}

static void test_file(void **state)
{
    (void)state;
    char digest[65];
    tsl_context context = {0};
    const char *path = scratch_path("million");
    char *data = malloc(1000000);
    assert_non_null(data);
    memset(data, 'a', 1000000);
    scratch_write(path, data, 1000000);
    free(data);
    assert_int_equal(tsl_sha256_file(&context, path, digest), TSL_OK);
    assert_string_equal(digest, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    assert_int_equal(tsl_sha256_file(&context, scratch_path("missing"), digest), TSL_E_IO);
    assert_error_names(&context, "missing: cannot open: No such file");
    assert_int_equal(tsl_sha256_file(&context, scratch_folder, digest), TSL_E_IO);
    assert_error_names(&context, "cannot read: Is a directory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_standard),
        cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_file),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
