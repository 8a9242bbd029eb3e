#include "features/device_vector.h"

#include <math.h>

static const double largest = 4;

static struct cdm_quantity memory_bandwidth(const struct cdm_device *device)
{
    return device->memory_bandwidth_bytes_per_s;
}

static struct cdm_quantity year(const struct cdm_device *device)
{
    return device->year;
}

enum { FIRST_NUMBER = 2 };

static const struct {
    const char *name;
    const char *flag_name;
    struct cdm_quantity (*value)(const struct cdm_device *device);
    double middle;
    double scale;
    bool is_linear; /* no log2 */
} entries[] = {
    {"peak_fp32", "peak_fp32_known", cdm_device_peak_fp32, 40, 3, false},
    {"memory_bandwidth", "memory_bandwidth_known", memory_bandwidth, 37, 3, false},
    {"clock", "clock_known", cdm_device_clock, 30.5, 1, false},
    {"units", "units_known", cdm_device_units, 4, 2, false},
    {"unit_rate", "unit_rate_known", cdm_device_unit_rate, 6, 2, false},
    {"vector_lanes", "vector_lanes_known", cdm_device_vector_lanes, 4, 1, false},
    {"l1", "l1_known", cdm_device_l1_per_unit, 16, 1.5, false},
    {"unit_memory", "unit_memory_known", cdm_device_unit_memory, 17, 2, false},
    {"last_cache", "last_cache_known", cdm_device_last_cache, 23, 2, false},
    {"unit_threads", "unit_threads_known", cdm_device_unit_threads, 6, 3, false},
    {"year", "year_known", year, 2017, 4, true},
};

enum { N_ENTRIES = sizeof entries / sizeof *entries };
_Static_assert(FIRST_NUMBER + 2 * N_ENTRIES == CDM_DEVICE_VECTOR_SIZE, "size of the device vector");

void cdm_device_vector(const struct cdm_device *device, float *vector)
{
    vector[0] = device->kind == DEVICE_CPU ? 1 : 0;
    vector[1] = device->kind == DEVICE_GPU ? 1 : 0;
    for (size_t i = 0; i < N_ENTRIES; i++) {
        struct cdm_quantity number = entries[i].value(device);
        bool known = number.known && number.value > 0 && isfinite(number.value);
        double x = entries[i].is_linear ? number.value : log2(known ? number.value : 1);
        x = known ? (x - entries[i].middle) / entries[i].scale : 0;
        vector[FIRST_NUMBER + 2 * i] = (float)fmin(fmax(x, -largest), largest);
        vector[FIRST_NUMBER + 2 * i + 1] = known ? 1 : 0;
    }
}

const char *cdm_device_vector_name(size_t entry)
{
    if (entry < FIRST_NUMBER)
        return entry ? "is_gpu" : "is_cpu";
    size_t i = (entry - FIRST_NUMBER) / 2;
    return (entry - FIRST_NUMBER) % 2 ? entries[i].flag_name : entries[i].name;
}
