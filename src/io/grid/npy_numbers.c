/* Elements of NumPy's arrays as numbers. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "io/grid/npy.h"

/* Kinds of elements, each with a bit for each size that it may have. */
static const struct {
    char kind;
    int sizes;
} numbers[] = {{'i', 1 | 2 | 4 | 8},
               {'u', 1 | 2 | 4 | 8},
               {'b', 1},
               {'f', 2 | 4 | 8 | 16},
               {'c', 8 | 16 | 32}};
enum { NUMBERS = sizeof numbers / sizeof *numbers, INTEGERS = 2 };

/* Bytes of a part of an element: complex numbers have two parts, others one. */
enum { LONGEST_PART = 16 };

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

bool tsl_npy_is_native(const tsl_npy *header)
{
    return !is_foreign(header);
}

static bool is_among(const tsl_npy *header, int kinds)
{
    for (int i = 0; i < kinds; i++) {
        if (header->type[1] == numbers[i].kind) {
            return header->item <= 32 && (header->item & numbers[i].sizes) != 0;
        }
    }
    return false;
}

bool tsl_npy_has_integers(const tsl_npy *header)
{
    return is_among(header, INTEGERS);
}

/* Numbers of 16 bytes in the other byte order are left out: other machines have several kinds. */
bool tsl_npy_has_numbers(const tsl_npy *header)
{
    const bool wide = (header->type[1] == 'f' && header->item == 16) ||
                      (header->type[1] == 'c' && header->item == 32);
    return is_among(header, NUMBERS) &&
           (!wide || (sizeof(long double) == 16 && !is_foreign(header)));
}

/* `bytes` bytes of an element in this machine's order. */
static void take_bytes(const tsl_npy *header, char *out, const char *at, int64_t bytes)
{
    if (!is_foreign(header)) {
        memcpy(out, at, (size_t)bytes);
        return;
    }
    for (int64_t i = 0; i < bytes; i++) {
        out[i] = at[bytes - 1 - i];
    }
}

int64_t tsl_npy_integer(const tsl_npy *header, const void *data, int64_t i)
{
    const bool is_signed = header->type[1] == 'i';
    union {
        char bytes[8];
        int8_t i1;
        int16_t i2;
        int32_t i4;
        int64_t i8;
        uint8_t u1;
        uint16_t u2;
        uint32_t u4;
    } element;
    take_bytes(header, element.bytes, (const char *)data + i * header->item, header->item);
    switch (header->item) {
    case 1:
        return is_signed ? element.i1 : element.u1;
    case 2:
        return is_signed ? element.i2 : element.u2;
    case 4:
        return is_signed ? (int64_t)element.i4 : (int64_t)element.u4;
    default:
        return element.i8; /* unsigned numbers beyond its range become negative */
    }
}

/* IEEE 754's binary16: a sign, 5 bits of exponent, 10 of the fraction. */
static double half_value(uint16_t bits)
{
    const int exponent = bits >> 10 & 31;
    const int fraction = bits & 1023;
    const double size = exponent == 31 ? (fraction != 0 ? (double)NAN : (double)INFINITY)
                        : exponent > 0 ? ldexp(1024 + fraction, exponent - 25)
                                       : ldexp(fraction, -24);
    return (bits & 0x8000) != 0 ? -size : size;
}

static double real_value(const tsl_npy *header, const char *at, int64_t bytes)
{
    union {
        char bytes[LONGEST_PART];
        uint16_t half;
        float single;
        double real;
        long double wide;
    } part;
    take_bytes(header, part.bytes, at, bytes);
    switch (bytes) {
    case 2:
        return half_value(part.half);
    case 4:
        return part.single;
    case 8:
        return part.real;
    default:
        return (double)part.wide;
    }
}

double tsl_npy_number(const tsl_npy *header, const void *data, int64_t i, double *imaginary)
{
    const char *at = (const char *)data + i * header->item;
    const char kind = header->type[1];
    *imaginary = 0;
    if (kind == 'c') {
        const int64_t half = header->item / 2;
        *imaginary = real_value(header, at + half, half);
        return real_value(header, at, half);
    }
    if (kind == 'f') {
        return real_value(header, at, header->item);
    }
    const int64_t value = tsl_npy_integer(header, data, i);
    return kind == 'u' ? (double)(uint64_t)value : (double)value;
}
