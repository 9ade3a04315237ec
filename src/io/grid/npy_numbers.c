/* Elements of NumPy's arrays as numbers. */
#include <string.h>

#include "io/grid/npy.h"

/* Kinds of elements, and bits: bytes they may have. */
static const struct {
    char kind;
    int sizes;
} numbers[] = {{'i', 1 | 2 | 4 | 8}, {'u', 1 | 2 | 4 | 8}, {'b', 1}, {'f', 4 | 8}, {'c', 8 | 16}};
enum { NUMBERS = sizeof numbers / sizeof *numbers, INTEGERS = 2 };

static char own_order(void)
{
    const uint16_t one = 1;
    char low;
    memcpy(&low, &one, 1);
    return low == 1 ? '<' : '>';
}

static bool is_foreign(const tsl_npy *header)
{
    const char order = header->type[0];
    return order != '|' && order != '=' && order != own_order();
}

tsl_status tsl_npy_refuse_foreign(const tsl_npy *header, tsl_context *context, const char *name)
{
    if (!is_foreign(header)) {
        return TSL_OK;
    }
    return tsl_fail(context, TSL_E_UNSUPPORTED,
                    "%s: has numbers of type %s, in the byte order of other machines: save them as "
                    "%c%s, with NumPy's astype()",
                    name, header->type, own_order(), header->type + 1);
}

static bool is_among(const tsl_npy *header, int kinds)
{
    if (is_foreign(header)) {
        return false;
    }
    for (int i = 0; i < kinds; i++) {
        if (header->type[1] == numbers[i].kind) {
            return header->item <= 16 && (header->item & numbers[i].sizes) != 0;
        }
    }
    return false;
}

bool tsl_npy_has_integers(const tsl_npy *header)
{
    return is_among(header, INTEGERS);
}

bool tsl_npy_has_numbers(const tsl_npy *header)
{
    return is_among(header, NUMBERS);
}

int64_t tsl_npy_integer(const tsl_npy *header, const void *data, int64_t i)
{
    const char *at = (const char *)data + i * header->item;
    const bool is_signed = header->type[1] == 'i';
    union {
        int8_t i1;
        int16_t i2;
        int32_t i4;
        int64_t i8;
        uint8_t u1;
        uint16_t u2;
        uint32_t u4;
    } element;
    memcpy(&element, at, (size_t)header->item);
    switch (header->item) {
    case 1:
        return is_signed ? element.i1 : element.u1;
    case 2:
        return is_signed ? element.i2 : element.u2;
    case 4:
        return is_signed ? (int64_t)element.i4 : (int64_t)element.u4;
    default:
        return element.i8; /* of unsigned ones those beyond its range are negative */
    }
}

double tsl_npy_number(const tsl_npy *header, const void *data, int64_t i, double *imaginary)
{
    const char *at = (const char *)data + i * header->item;
    const char kind = header->type[1];
    *imaginary = 0;
    if (kind != 'f' && kind != 'c') {
        const int64_t value = tsl_npy_integer(header, data, i);
        return kind == 'u' ? (double)(uint64_t)value : (double)value;
    }
    float single[2] = {0};
    double real[2] = {0};
    if (header->item == (kind == 'f' ? 4 : 8)) {
        memcpy(single, at, (size_t)header->item);
        real[0] = single[0];
        real[1] = single[1];
    } else {
        memcpy(real, at, (size_t)header->item);
    }
    *imaginary = real[1];
    return real[0];
}
