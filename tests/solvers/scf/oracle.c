#include "oracle.h"

#include "support/devices.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool oracle_open(oracle *out, const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s%s", ORACLE_FOLDER, name);
    FILE *file = fopen(path, "rb");
    out->text = NULL;
    if (file == NULL) {
        print_message("skipped: %s is not at hand\n", name);
        return false;
    }
    fseek(file, 0, SEEK_END);
    const long size = ftell(file);
    rewind(file);
    out->text = calloc(1, (size_t)size + 1);
    assert_non_null(out->text);
    assert_int_equal(fread(out->text, 1, (size_t)size, file), size);
    fclose(file);
    return true;
}

void oracle_close(oracle *o)
{
    free(o->text);
    o->text = NULL;
}

static const char *after(const char *text, const char *key)
{
    char quoted[128];
    snprintf(quoted, sizeof quoted, "\"%s\":", key);
    const char *at = strstr(text, quoted);
    if (at == NULL) {
        fail_msg("there is no %s", quoted);
        return "";
    }
    return at + strlen(quoted);
}

size_t oracle_numbers(const oracle *o, const char *section, const char *key, double *out,
                      size_t room)
{
    const char *at = after(section != NULL ? after(o->text, section) : o->text, key);
    size_t count = 0;
    int depth = 0;
    do {
        char *end;
        const double value = strtod(at, &end);
        if (end != at) {
            assert_true(count < room);
            out[count++] = value;
            at = end;
            continue;
        }
        depth += (*at == '[') - (*at == ']');
        at++;
    } while (depth > 0 && *at != 0);
    return count;
}
