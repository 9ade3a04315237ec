/* From a functional's text to a sum of formulas with their parameters. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "io/file/text.h"
#include "solvers/xc/libxc.h"
#include "solvers/xc/xc.h"

enum { LONGEST = 64, LONGEST_TERM = 256 }; /* characters of a name, and with its parameters */

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
        if (name != NULL ? strcasecmp(c->name, name) == 0 || strcasecmp(c->libxc, name) == 0
                         : c->number == number && c->number != 0) {
            return c;
        }
    }
    return NULL;
}

static double *value_of(tsl_xc_resolved *term, const char *parameter)
{
    for (int i = 0; i < term->set->parameters; i++) {
        if (strcasecmp(term->set->names[i], parameter) == 0) {
            return &term->values[i];
        }
    }
    return NULL;
}

static tsl_status fail_parameter(tsl_context *context, const tsl_xc_set *set, const char *name)
{
    char list[LONGEST_TERM] = "";
    for (int i = 0; i < set->parameters; i++) {
        const size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", i > 0 ? ", " : "", set->names[i]);
    }
    return tsl_fail(context, TSL_E_ARG, "%s has no parameter '%s'%s%s", set->name, name,
                    set->parameters > 0 ? ": there are " : "; it has none", list);
}

/* Set parameters, "omega=0.33, beta=0.0042", of a term. */
static tsl_status set_parameters(tsl_xc_resolved *term, tsl_context *context, const char *text)
{
    while (*text != '\0') {
        char name[LONGEST];
        text += strspn(text, " \t");
        const size_t length = strcspn(text, "=, \t");
        const char *value = text + length + strspn(text + length, " \t");
        const size_t digits = *value == '=' ? strcspn(value + 1, ",") : 0;
        snprintf(name, sizeof name, "%.*s", (int)length, text);
        double *to = value_of(term, name);
        if (to == NULL) {
            return fail_parameter(context, term->set, name);
        }
        const char *number = value + 1 + strspn(value + 1, " \t");
        size_t count = (size_t)(value + 1 + digits - number);
        while (count > 0 && strchr(" \t", number[count - 1]) != NULL) {
            count--;
        }
        if (*value != '=' || !tsl_parse_decimal(number, count, to)) {
            return tsl_fail(context, TSL_E_ARG, "%s(%s): give a number, as in %s=0.3",
                            term->set->name, text, name);
        }
        text = value + 1 + digits;
        text += *text == ',';
    }
    return TSL_OK;
}

/* Exact exchange of a range, of which a sum can have one omega. */
static tsl_status add_exchange(tsl_xc_sum *sum, tsl_context *context, double alpha, double beta,
                               double omega)
{
    if (omega != 0 && sum->omega != 0 && omega != sum->omega) {
        return tsl_fail(context, TSL_E_ARG,
                        "a sum of two range separations, omega %g and %g: give one of them",
                        sum->omega, omega);
    }
    sum->omega = omega != 0 ? omega : sum->omega;
    sum->alpha += alpha;
    sum->beta += beta;
    if (omega == 0) {
        sum->exact_exchange += alpha;
    }
    return TSL_OK;
}

/* Nonlocal correlation, of which a sum can have one; b = 0: none. */
static tsl_status add_nonlocal(tsl_xc_sum *sum, tsl_context *context, double coefficient,
                               const char *name, double b, double c)
{
    if (b != 0) {
        if (sum->vv10_b != 0 || coefficient != 1) {
            return tsl_fail(context, TSL_E_ARG,
                            "%s has a nonlocal part, VV10, of which a sum can have one, as it is",
                            name);
        }
        sum->vv10_b = b;
        sum->vv10_c = c;
    }
    return TSL_OK;
}

/* What a functional leaves to its caller. */
static tsl_status add_remainder(tsl_xc_sum *sum, tsl_context *context, double coefficient,
                                tsl_xc_resolved *term)
{
    const tsl_xc_set *set = term->set;
    const double *omega = set->omega != 0 ? value_of(term, "omega") : NULL;
    tsl_status status = TSL_OK;
    TSL_TRY(add_nonlocal(sum, context, coefficient, set->name, set->vv10_b, set->vv10_c));
    TSL_TRY(add_exchange(sum, context, coefficient * set->alpha, coefficient * set->beta,
                         omega != NULL ? *omega : set->omega));
done:
    return status;
}

static tsl_status add_set(tsl_xc_sum *sum, tsl_context *context, double coefficient,
                          const tsl_xc_set *set, const char *parameters)
{
    tsl_xc_resolved term = {.coefficient = coefficient, .set = set};
    const size_t bytes = sizeof *set->values * (size_t)set->parameters;
    memcpy(term.values, set->values, bytes);
    tsl_status status = set_parameters(&term, context, parameters);
    if (status == TSL_OK) {
        status = add_remainder(sum, context, coefficient, &term);
    }
    if (status != TSL_OK) {
        return status;
    }
    for (int i = 0; i < sum->count; i++) {
        if (sum->term[i].set == set && memcmp(sum->term[i].values, term.values, bytes) == 0) {
            sum->term[i].coefficient += coefficient;
            return TSL_OK;
        }
    }
    if (sum->count == (int)(sizeof sum->term / sizeof *sum->term)) {
        return tsl_fail(context, TSL_E_ARG, "a functional of more than %d parts", sum->count);
    }
    sum->term[sum->count++] = term;
    return TSL_OK;
}

/* A name and, in brackets, parameters: the first without the second, which is returned. Changes the
 * text. */
static const char *split_parameters(char *term)
{
    char *open = strchr(term, '(');
    char *close = strrchr(term, ')');
    if (open == NULL) {
        return "";
    }
    if (close != NULL) {
        *close = '\0';
    }
    *open = '\0';
    return open + 1;
}

static tsl_status add_composite(tsl_xc_sum *sum, tsl_context *context, double coefficient,
                                const tsl_xc_composite *c)
{
    tsl_status status =
        add_exchange(sum, context, coefficient * c->alpha, coefficient * c->beta, c->omega);
    for (int i = 0; i < c->terms && status == TSL_OK; i++) {
        char name[LONGEST_TERM];
        snprintf(name, sizeof name, "%s", c->term[i].set);
        const char *parameters = split_parameters(name);
        status = add_set(sum, context, coefficient * c->term[i].coefficient, find_set(name, 0),
                         parameters);
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
                    "`tesela xc list` have all; `tesela xc eval --allow-libxc` takes Libxc's)",
                    name, near[0], near[1]);
}

/* A term that Libxc evaluates; number 0: it goes by its name. */
static tsl_status add_foreign(tsl_xc_sum *sum, tsl_context *context, double coefficient,
                              const char *name, int number, const char *parameters)
{
    tsl_xc_foreign *f = &sum->foreign[sum->foreigns];
    tsl_status status = TSL_OK;
    if (parameters[0] != '\0') {
        return tsl_fail(context, TSL_E_ARG,
                        "%s is not here, and of Libxc's functionals no parameters can be set",
                        name);
    }
    if (sum->foreigns == TSL_XC_PARTS) {
        return tsl_fail(context, TSL_E_ARG, "a sum of more than %d functionals of Libxc",
                        sum->foreigns);
    }
    *f = (tsl_xc_foreign){.coefficient = coefficient, .number = number};
    snprintf(f->text, sizeof f->text, "%s", name);
    TSL_TRY(tsl_libxc_find(f, context));
    TSL_TRY(add_nonlocal(sum, context, coefficient, name, f->vv10_b, f->vv10_c));
    TSL_TRY(add_exchange(sum, context, coefficient * f->alpha, coefficient * f->beta, f->omega));
    sum->foreigns++;
done:
    return status;
}

/* Add the functional of a name or number, with parameters in brackets. Changes the text. */
static tsl_status add_name(tsl_xc_sum *sum, tsl_context *context, double coefficient, char *name)
{
    int32_t number = 0;
    const char *parameters = split_parameters(name);
    const bool is_number = tsl_parse_integer(name, strlen(name), &number);
    const char *known = is_number ? NULL : strncasecmp(name, "xc_", 3) == 0 ? name + 3 : name;
    if (known != NULL && strcasecmp(known, "hf") == 0) {
        return add_exchange(sum, context, coefficient, 0, 0);
    }
    const tsl_xc_composite *composite = find_composite(known, number);
    if (composite != NULL && parameters[0] != '\0') {
        return tsl_fail(context, TSL_E_ARG,
                        "%s is a sum: give it as such to set parameters of its parts", name);
    }
    if (composite != NULL) {
        return add_composite(sum, context, coefficient, composite);
    }
    const tsl_xc_set *set = find_set(known, number);
    if (set == NULL && sum->takes_foreign) {
        return add_foreign(sum, context, coefficient, name, number, parameters);
    }
    return set != NULL ? add_set(sum, context, coefficient, set, parameters)
                       : fail_unknown(context, name);
}

static const char name_letters[] =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";

static void replace_hyphens(char *name)
{
    for (; *name != '\0' && *name != '('; name++) {
        *name = *name == '-' ? '_' : *name;
    }
}

/* The length of a name that others write with hyphens, "cam-b3lyp", and which has underscores here;
 * `length`, that of its first word, if there is no such name. */
static size_t hyphenated_length(const char *at, size_t length)
{
    size_t known = length, whole = length;
    while (at[whole] == '-' && isalnum((unsigned char)at[whole + 1])) {
        char name[LONGEST];
        whole += 1 + strspn(at + whole + 1, name_letters);
        if (whole >= sizeof name) {
            break;
        }
        memcpy(name, at, whole);
        name[whole] = '\0';
        replace_hyphens(name);
        if (find_composite(name, 0) != NULL || find_set(name, 0) != NULL) {
            known = whole;
        }
    }
    return known;
}

static size_t word_length(const char *at)
{
    size_t length = hyphenated_length(at, strspn(at, name_letters));
    if (at[length] == '(') {
        length += strcspn(at + length, ")");
        length += at[length] == ')';
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
    char name[LONGEST_TERM] = "";
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
    const size_t of_name = strcspn(*at, "(") < length ? strcspn(*at, "(") : length;
    if (length == 0 || length >= sizeof name || of_name >= LONGEST ||
        (*after != '\0' && *after != '+' && *after != '-')) {
        return tsl_fail(context, TSL_E_ARG,
                        "functional '%s': give a name, or a sum such as 0.25*hf + 0.75*gga_x_pbe + "
                        "gga_c_pbe, parameters in brackets as in gga_x_ityh(omega=0.33)",
                        text);
    }
    memcpy(name, *at, length);
    replace_hyphens(name);
    *at = after;
    return add_name(sum, context, sign * coefficient, name);
}

static tsl_status parse(tsl_xc_sum *out, tsl_context *context, const char *text, bool foreign)
{
    const char *at = skip_blanks(text);
    double sign = 1;
    memset(out, 0, sizeof *out);
    out->takes_foreign = foreign;
    tsl_status status = TSL_OK;
    do {
        if (*at == '+' || *at == '-') {
            sign = *at == '-' ? -1 : 1;
            at = skip_blanks(at + 1);
        }
        status = add_term(out, context, text, &at, sign);
    } while (status == TSL_OK && *at != '\0');
    if (status == TSL_OK && out->count + out->foreigns == 0) {
        return tsl_fail(context, TSL_E_ARG,
                        "functional '%s' is exact exchange alone: there is nothing "
                        "to evaluate",
                        text);
    }
    return status;
}

tsl_status tsl_xc_parse(tsl_xc_sum *out, tsl_context *context, const char *text)
{
    return parse(out, context, text, false);
}

tsl_status tsl_xc_parse_foreign(tsl_xc_sum *out, tsl_context *context, const char *text)
{
    return parse(out, context, text, true);
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

const char *tsl_xc_libxc_name(int index, int *number)
{
    const char *name = NULL;
    int of = 0;
    if (index < tsl_xc_set_count) {
        name = tsl_xc_sets[index].name;
        of = tsl_xc_sets[index].number;
    }
    index -= tsl_xc_set_count;
    for (int i = 0; i < tsl_xc_composite_count && index >= 0; i++) {
        if (tsl_xc_composites[i].number > 0 && index-- == 0) {
            name = tsl_xc_composites[i].libxc;
            of = tsl_xc_composites[i].number;
        }
    }
    if (number != NULL) {
        *number = of;
    }
    return name;
}
