/* From a functional's text to a sum of formulas with their parameters. */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "io/file/text.h"
#include "solvers/xc/xc.h"

enum { LONGEST = 64 }; /* characters of a name */

static const tsl_xc_set *find_set(const char *name, int number)
{
    for (int i = 0; i < tsl_xc_set_count; i++) {
        const tsl_xc_set *set = &tsl_xc_sets[i];
        if (name != NULL ? strcasecmp(set->name, name) == 0 : set->number == number) {
            return set;
        }
    }
    return NULL;
}

static const tsl_xc_composite *find_composite(const char *name, int number)
{
    for (int i = 0; i < tsl_xc_composite_count; i++) {
        const tsl_xc_composite *c = &tsl_xc_composites[i];
        if (name != NULL ? strcasecmp(c->name, name) == 0 : c->number == number && c->number != 0) {
            return c;
        }
    }
    return NULL;
}

static tsl_status add_set(tsl_xc_sum *sum, tsl_context *context, double coefficient,
                          const tsl_xc_set *set)
{
    for (int i = 0; i < sum->count; i++) {
        if (sum->term[i].set == set) {
            sum->term[i].coefficient += coefficient;
            return TSL_OK;
        }
    }
    if (sum->count == (int)(sizeof sum->term / sizeof *sum->term)) {
        return tsl_fail(context, TSL_E_ARG, "a functional of more than %d parts", sum->count);
    }
    sum->term[sum->count++] = (tsl_xc_resolved){.coefficient = coefficient, .set = set};
    return TSL_OK;
}

static tsl_status add_composite(tsl_xc_sum *sum, tsl_context *context, double coefficient,
                                const tsl_xc_composite *c)
{
    if (c->omega != 0 && sum->omega != 0 && c->omega != sum->omega) {
        return tsl_fail(context, TSL_E_ARG,
                        "a sum of two range separations, omega %g and %g: give one of them",
                        sum->omega, c->omega);
    }
    sum->omega = c->omega != 0 ? c->omega : sum->omega;
    sum->alpha += coefficient * c->alpha;
    sum->beta += coefficient * c->beta;
    if (c->omega == 0) {
        sum->exact_exchange += coefficient * c->alpha;
    }
    tsl_status status = TSL_OK;
    for (int i = 0; i < c->terms && status == TSL_OK; i++) {
        status = add_set(sum, context, coefficient * c->term[i].coefficient,
                         find_set(c->term[i].set, 0));
    }
    return status;
}

/* Letters to be changed, added or taken out to make one word of another, `most` + 1 if more. */
static int distance(const char *a, const char *b)
{
    int row[LONGEST + 1];
    const int n = (int)strlen(b);
    for (int j = 0; j <= n; j++) {
        row[j] = j;
    }
    for (int i = 0; a[i] != '\0'; i++) {
        int diagonal = row[0];
        row[0] = i + 1;
        for (int j = 1; j <= n; j++) {
            const int above = row[j];
            const int change = diagonal + (tolower((unsigned char)a[i]) != b[j - 1]);
            const int grow = 1 + (above < row[j - 1] ? above : row[j - 1]);
            row[j] = change < grow ? change : grow;
            diagonal = above;
        }
    }
    return row[n];
}

static tsl_status fail_unknown(tsl_context *context, const char *name)
{
    const char *near[2] = {NULL, NULL};
    int best[2] = {LONGEST, LONGEST};
    const char *candidate;
    for (int i = 0; (candidate = tsl_xc_name(i, NULL)) != NULL; i++) {
        const int d = distance(name, candidate);
        const int place = d < best[0] ? 0 : d < best[1] ? 1 : 2;
        if (place == 0) {
            best[1] = best[0];
            near[1] = near[0];
        }
        if (place < 2) {
            best[place] = d;
            near[place] = candidate;
        }
    }
    return tsl_fail(context, TSL_E_ARG,
                    "there is no functional '%s' here; nearest are %s and %s (tsl_xc_name() and "
                    "`tesela xc list` have all)",
                    name, near[0], near[1]);
}

/* Add the functional of a name or number. */
static tsl_status add_name(tsl_xc_sum *sum, tsl_context *context, double coefficient,
                           const char *name)
{
    int32_t number = 0;
    const bool is_number = tsl_parse_integer(name, strlen(name), &number);
    const char *known = is_number ? NULL : strncasecmp(name, "xc_", 3) == 0 ? name + 3 : name;
    if (known != NULL && strcasecmp(known, "hf") == 0) {
        sum->exact_exchange += coefficient;
        sum->alpha += coefficient;
        return TSL_OK;
    }
    const tsl_xc_composite *composite = find_composite(known, number);
    if (composite != NULL) {
        return add_composite(sum, context, coefficient, composite);
    }
    const tsl_xc_set *set = find_set(known, number);
    return set != NULL ? add_set(sum, context, coefficient, set) : fail_unknown(context, name);
}

static size_t word_length(const char *at)
{
    size_t length = 0;
    while (isalnum((unsigned char)at[length]) || (at[length] != '\0' && strchr("_.", at[length]))) {
        length++;
    }
    return length;
}

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t");
}

/* One term, "0.25*hf" or "pbe", from *at on. */
static tsl_status add_term(tsl_xc_sum *sum, tsl_context *context, const char *text, const char **at,
                           double sign)
{
    double coefficient = 1;
    char name[LONGEST] = "";
    size_t length = word_length(*at);
    const char *after = skip_blanks(*at + length);
    if (*after == '*') {
        if (!tsl_parse_decimal(*at, length, &coefficient)) {
            return tsl_fail(context, TSL_E_ARG, "functional '%s': '%.*s' is no number", text,
                            (int)length, *at);
        }
        *at = skip_blanks(after + 1);
        length = word_length(*at);
        after = skip_blanks(*at + length);
    }
    if (length == 0 || length >= sizeof name ||
        (*after != '\0' && *after != '+' && *after != '-')) {
        return tsl_fail(context, TSL_E_ARG,
                        "functional '%s': give a name, or a sum such as 0.25*hf + 0.75*gga_x_pbe + "
                        "gga_c_pbe",
                        text);
    }
    memcpy(name, *at, length);
    *at = after;
    return add_name(sum, context, sign * coefficient, name);
}

tsl_status tsl_xc_parse(tsl_xc_sum *out, tsl_context *context, const char *text)
{
    const char *at = skip_blanks(text);
    double sign = 1;
    memset(out, 0, sizeof *out);
    tsl_status status = TSL_OK;
    do {
        if (*at == '+' || *at == '-') {
            sign = *at == '-' ? -1 : 1;
            at = skip_blanks(at + 1);
        }
        status = add_term(out, context, text, &at, sign);
    } while (status == TSL_OK && *at != '\0');
    if (status == TSL_OK && out->count == 0) {
        return tsl_fail(context, TSL_E_ARG,
                        "functional '%s' is exact exchange alone: there is nothing "
                        "to evaluate",
                        text);
    }
    return status;
}

/* Both tables are in alphabetical order: the index-th of the two merged. */
const char *tsl_xc_name(int index, int *number)
{
    int set = 0;
    int composite = 0;
    const char *name = NULL;
    for (int i = 0; i <= index; i++) {
        const bool more = set < tsl_xc_set_count;
        if (!more && composite == tsl_xc_composite_count) {
            return NULL;
        }
        int of = 0;
        if (composite < tsl_xc_composite_count &&
            (!more || strcmp(tsl_xc_composites[composite].name, tsl_xc_sets[set].name) < 0)) {
            name = tsl_xc_composites[composite].name;
            of = tsl_xc_composites[composite++].number;
        } else {
            name = tsl_xc_sets[set].name;
            of = tsl_xc_sets[set++].number;
        }
        if (number != NULL) {
            *number = of;
        }
    }
    return name;
}
