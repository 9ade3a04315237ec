#include "io/molecule/columns.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

void tsl_columns_text(char *line, int first, int width, const char *text)
{
    memcpy(line + first - 1, text, strnlen(text, (size_t)width));
}

void tsl_columns_number(char *line, int first, int width, int decimals, double value)
{
    static const double scales[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6};
    char text[400]; /* as long as the longest double */
    char *at = text + sizeof text;
    const double scaled = fabs(value) * scales[decimals];
    const double whole = floor(scaled);
    const double rest = scaled - whole;
    if (!(scaled < 1e9) || fabs(rest - 0.5) < 1e-6) { /* an error of the product might show */
        snprintf(text, sizeof text, "%*.*f", width, decimals, value);
        tsl_columns_text(line, first, width, text);
        return;
    }
    int64_t left = (int64_t)whole + (rest > 0.5);
    for (int digits = 0; left > 0 || digits <= decimals; digits++) {
        if (digits == decimals && decimals > 0) {
            *--at = '.';
        }
        *--at = (char)('0' + left % 10);
        left /= 10;
    }
    if (signbit(value)) {
        *--at = '-';
    }
    int length = (int)(text + sizeof text - at);
    for (; length < width; length++) {
        *--at = ' ';
    }
    memcpy(line + first - 1, at, (size_t)width);
}
