/* Numbers and words in the values of options. */
#include <math.h>
#include <string.h>

#include "cli/shared/cli.h"
#include "io/file/text.h"

bool cli_parse_integer(const char *text, int *out)
{
    int32_t value;
    const bool valid = tsl_parse_integer(text, strlen(text), &value);
    if (valid) {
        *out = value;
    }
    return valid;
}

bool cli_parse_real(const char *text, double *out)
{
    double value;
    if (!tsl_parse_decimal(text, strlen(text), &value) ||
        (value == 0 && text[strcspn(text, "123456789eE")] >= '1' &&
         /* only a number that is written as 0 may be 0 */
         text[strcspn(text, "123456789eE")] <= '9')) {
        return false;
    }
    *out = value;
    return true;
}

bool cli_parse_bytes(const char *text, int64_t *out)
{
    static const char suffixes[] = "KMGT";
    size_t length = strlen(text);
    double value = 0;
    int power = 0;
    if (length > 3 && strcmp(text + length - 2, "iB") == 0) { /* 4GiB means 4G */
        length -= 2;
    }
    for (int i = 0; i < 4 && length > 0; i++) {
        if (text[length - 1] == suffixes[i] || text[length - 1] == suffixes[i] + 'a' - 'A') {
            power = i + 1;
        }
    }
    if (!tsl_parse_decimal(text, length - (power > 0), &value)) {
        return false;
    }
    value *= ldexp(1, 10 * power);
    if (!(value >= 1 && value < 9e18)) {
        return false;
    }
    *out = (int64_t)value;
    return true;
}

bool cli_find(const char *word, const char *const names[], int *out)
{
    int i = 0;
    while (names[i] != NULL && strcmp(word, names[i]) != 0) {
        i++;
    }
    *out = names[i] != NULL ? i : *out;
    return names[i] != NULL;
}
