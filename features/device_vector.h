/* The device vector: what a model sees of a device. Layout 1, 24 entries.
 *
 * Computed from public specifications alone (features/device.h), never from a latency, so that a
 * device nobody has measured gets its vector from its YAML file. Each number v is given as (log2(v)
 * - middle) / scale, cut to -4..4, and is followed by a flag: 1 = known. An absent number is 0 with
 * flag 0. Every entry is finite. v is a field of the description or what the function
 * cdm_device_NAME() of features/device.h gives.
 *
 *   entry   name              v                             unit      middle  scale
 *   0       is_cpu            1 or 0
 *   1       is_gpu            1 or 0
 *   2, 3    peak_fp32         cdm_device_peak_fp32()        FLOP/s    40      3
 *   4, 5    memory_bandwidth  memory_bandwidth_bytes_per_s  B/s       37      3
 *   6, 7    clock             cdm_device_clock()            Hz        30.5    1
 *   8, 9    units             cdm_device_units()            -         4       2
 *   10, 11  unit_rate         cdm_device_unit_rate()        FLOP/cyc  6       2
 *   12, 13  vector_lanes      cdm_device_vector_lanes()     -         4       1
 *   14, 15  l1                cdm_device_l1_per_unit()      B         16      1.5
 *   16, 17  unit_memory       cdm_device_unit_memory()      B         17      2
 *   18, 19  last_cache        cdm_device_last_cache()       B         23      2
 *   20, 21  unit_threads      cdm_device_unit_threads()     -         6       3
 *   22, 23  year              year: (v - 2017) / 4, without log2
 *
 * Units are cores or SMs; unit_memory is the share of L2 on a CPU, shared memory on a GPU. A flag's
 * name is its number's with "_known". Any change of an entry is a new CDM_DEVICE_VECTOR_VERSION: a
 * model file states the version it was trained with. */
#ifndef CDMPP_FEATURES_DEVICE_VECTOR_H
#define CDMPP_FEATURES_DEVICE_VECTOR_H

#include "features/device.h"

enum { CDM_DEVICE_VECTOR_VERSION = 1, CDM_DEVICE_VECTOR_SIZE = 24 };

/* Fills vector[CDM_DEVICE_VECTOR_SIZE]. */
void cdm_device_vector(const struct cdm_device *device, float *vector);

/* The name of an entry, such as "clock" or "clock_known". */
const char *cdm_device_vector_name(size_t entry);

#endif
