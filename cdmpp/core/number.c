#include "cdmpp/core/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Reads decimal digits from *text up to `end`. False when there is none or when they do not fit. */
static bool read_digits(const char *text, const char *end, uint64_t *value)
{
    uint64_t result = 0;

    if (text == end)
        return false;
    for (; text < end; text++) {
        unsigned digit = (unsigned)(unsigned char)*text - '0';
        if (digit > 9 || result > UINT64_MAX / 10 ||
            (result == UINT64_MAX / 10 && digit > UINT64_MAX % 10))
            return false;
        result = result * 10 + digit;
    }
    *value = result;
    return true;
}

bool cdm_parse_uint64(struct cdm_view text, uint64_t *value)
{
    return read_digits(text.data, text.data + text.length, value);
}

bool cdm_parse_int64(struct cdm_view text, int64_t *value)
{
    const char *end = text.data + text.length;
    bool negative = text.length > 0 && text.data[0] == '-';
    uint64_t size;

    if (!read_digits(text.data + negative, end, &size))
        return false;
    if (size > (uint64_t)INT64_MAX + negative)
        return false;
    /* Through the complement, since -INT64_MIN does not exist. */
    *value = negative ? (int64_t)(~size + 1) : (int64_t)size;
    return true;
}

/* A decimal number taken apart: digits * 10^exponent. */
struct decimal {
    bool negative;
    bool exact; /* the digits fit */
    uint64_t digits;
    int64_t exponent;
};

static const char *scan_digits(const char *c, const char *end, struct decimal *number)
{
    for (; c < end; c++) {
        unsigned digit = (unsigned)(unsigned char)*c - '0';
        if (digit > 9)
            break;
        if (number->digits > (UINT64_MAX - 9) / 10)
            number->exact = false;
        else
            number->digits = number->digits * 10 + digit;
    }
    return c;
}

/* False when the text has not the form of a number. */
static bool scan_decimal(struct cdm_view text, struct decimal *number)
{
    const char *c = text.data;
    const char *end = c + text.length;

    *number = (struct decimal){.exact = true};
    if (c < end && *c == '-') {
        number->negative = true;
        c++;
    }
    const char *start = c;
    c = scan_digits(c, end, number);
    int64_t n_digits = c - start;
    if (c < end && *c == '.') {
        start = ++c;
        c = scan_digits(c, end, number);
        n_digits += c - start;
        number->exponent = -(c - start);
    }
    if (n_digits == 0)
        return false;
    if (c == end)
        return true;
    if (*c != 'e' && *c != 'E')
        return false;
    c++;
    bool minus = c < end && *c == '-';
    if (c < end && (*c == '-' || *c == '+'))
        c++;
    start = c;
    int64_t exponent = 0;
    for (; c < end && *c >= '0' && *c <= '9'; c++)
        if (exponent < 100000)
            exponent = exponent * 10 + (*c - '0');
    number->exponent += minus ? -exponent : exponent;
    return c == end && c > start;
}

/* strtod needs a NUL. Numbers of ordinary length take no allocation. */
static double slow_double(struct cdm_view text)
{
    char local[128];
    char *copy = local;

    if (text.length >= sizeof local) {
        struct cdm_str str = {0};
        cdm_str_add(&str, text.data, text.length);
        copy = str.data;
    } else {
        memcpy(local, text.data, text.length);
        local[text.length] = '\0';
    }
    double value = strtod(copy, NULL);
    if (copy != local)
        free(copy);
    return value;
}

bool cdm_parse_double(struct cdm_view text, double *value)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    struct decimal number;
    double result;

    if (!scan_decimal(text, &number))
        return false;
    int64_t exponent = number.exponent;
    if (number.exact && number.digits <= (uint64_t)1 << 53 && exponent >= -22 && exponent <= 22) {
        /* Both factors are exact in a double, so one rounding gives the right result. */
        result = (double)number.digits;
        result = exponent < 0 ? result / powers[-exponent] : result * powers[exponent];
        if (number.negative)
            result = -result;
    } else {
        result = slow_double(text);
    }
    if (!isfinite(result))
        return false;
    *value = result;
    return true;
}

size_t cdm_format_int64(char text[CDM_NUMBER_SIZE], int64_t value)
{
    char digits[20];
    size_t n = 0;
    size_t length = 0;
    uint64_t size = value < 0 ? ~(uint64_t)value + 1 : (uint64_t)value;

    do {
        digits[n++] = (char)('0' + size % 10);
        size /= 10;
    } while (size);
    if (value < 0)
        text[length++] = '-';
    while (n > 0)
        text[length++] = digits[--n];
    text[length] = '\0';
    return length;
}

void cdm_str_add_double(struct cdm_str *str, double value)
{
    char text[CDM_NUMBER_SIZE];
    cdm_str_add(str, text, cdm_format_double(text, value));
}

void cdm_str_add_float(struct cdm_str *str, float value)
{
    char text[CDM_NUMBER_SIZE];
    cdm_str_add(str, text, cdm_format_float(text, value));
}

void cdm_str_add_int64(struct cdm_str *str, int64_t value)
{
    char text[CDM_NUMBER_SIZE];
    cdm_str_add(str, text, cdm_format_int64(text, value));
}
