// Shortest decimals. C has no fast way to them; the C++ library has had one since GCC 11.
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>

extern "C" {
// As in number.h, which is for C.
enum { CDM_NUMBER_SIZE = 32 };
size_t cdm_format_double(char *text, double value);
size_t cdm_format_float(char *text, float value);
size_t cdm_format_int64(char *text, int64_t value);
}

namespace
{

// Whole numbers are written as such: to_chars() would turn 100000 into 1e+05.
template <typename T> size_t format(char *text, T value, T largest_exact)
{
    if (value == std::trunc(value) && std::fabs(value) < largest_exact &&
        !(value == 0 && std::signbit(value)))
        return cdm_format_int64(text, static_cast<int64_t>(value));
    std::to_chars_result result = std::to_chars(text, text + CDM_NUMBER_SIZE - 1, value);
    *result.ptr = '\0';
    return static_cast<size_t>(result.ptr - text);
}

} // namespace

size_t cdm_format_double(char *text, double value)
{
    return format(text, value, 1e15);
}

size_t cdm_format_float(char *text, float value)
{
    return format(text, value, 16777216.0F);
}
