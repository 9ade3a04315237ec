/* How lines are cut into radices. */
#include "blocks/fft/line.h"

#include <stdbool.h>
#include <string.h>

/* Cut `n` into `passes` radices from `smallest` up to `largest`, the largest first. */
static bool cut(int n, int passes, int smallest, int largest, int *radix)
{
#define TSL_LINE_RADIX(R) R,
    static const int radices[] = {TSL_RADICES(TSL_LINE_RADIX)};
#undef TSL_LINE_RADIX
    if (passes == 0) {
        return n == 1;
    }
    for (int i = (int)(sizeof radices / sizeof *radices) - 1; i >= 0; i--) {
        if (radices[i] >= smallest && radices[i] <= largest && n % radices[i] == 0 &&
            cut(n / radices[i], passes - 1, smallest, radices[i], radix + 1)) {
            radix[0] = radices[i];
            return true;
        }
    }
    return false;
}

static bool cut_evenly(int n, int passes, int most, int *radix)
{
    enum { FEW = 4 };
    for (int largest = 1; largest <= most; largest++) {
        if (cut(n, passes, FEW, largest, radix) || cut(n, passes, 1, largest, radix)) {
            return true;
        }
    }
    return false;
}

tsl_line tsl_line_of(int n, int most)
{
    tsl_line line;
    memset(&line, 0, sizeof line);
    line.n = n;
    for (int passes = 2; n <= TSL_LINE_LONGEST && passes <= TSL_LINE_PASSES; passes++) {
        if (cut_evenly(n, passes, most, line.radix)) {
            line.passes = passes;
            int part = n;
            for (int p = 0; p < passes; p++) {
                part /= line.radix[p];
                line.part[p] = part;
            }
            return line;
        }
    }
    return line;
}
