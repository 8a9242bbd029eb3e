/* A device description: what the vendor publishes about a CPU or GPU, read from a YAML file.
 *
 *     name: v100                    # lower case letters, digits, - . _ ; what -d takes
 *     aliases: [tesla v100]         # other names; case, spaces, - and _ do not count
 *     kind: gpu                     # cpu or gpu
 *     title: NVIDIA Tesla V100      # for people
 *     clock_boost_hz: 1380 MHz      # the numbers are listed in features/device.def
 *     sources:                      # where the numbers come from
 *       - title: vendor's data sheet
 *         gives: [clock_boost_hz]
 *
 * Only name and kind are required. A number that is not there is absent (cdm_quantity.known is
 * false), never 0; the functions below compute some of them from others. A description never holds
 * a measured latency, so that it can be a model's input (features/device_vector.h). */
#ifndef CDMPP_FEATURES_DEVICE_H
#define CDMPP_FEATURES_DEVICE_H

#include "cdmpp/core/yaml.h"

enum cdm_device_kind { DEVICE_CPU, DEVICE_GPU };

/* In which kind of description a number may stand. */
enum cdm_device_kinds { DEVICE_FOR_CPU = 1, DEVICE_FOR_GPU = 2, DEVICE_FOR_ANY = 3 };

/* Index of each number: DEVICE_clock_base_hz, ... */
enum cdm_device_number {
#define DEVICE_NUMBER(key, unit, kinds, flags, min, max, meaning) DEVICE_##key,
#include "features/device.def"
#undef DEVICE_NUMBER
    DEVICE_N_NUMBERS,
};

/* One entry of `sources`. */
struct cdm_device_source {
    const char *title;
    struct cdm_texts gives; /* keys of numbers */
};

struct cdm_device {
    const char *name;
    const char *file;  /* path it was read from; NULL = shipped with the program */
    const char *title; /* this and the next four: NULL when the file does not say */
    const char *vendor;
    const char *architecture;
    const char *chip;
    const char *isa;      /* what a compiler is told: "sm_70", "gfx906", "x86-64 AVX2 FMA" */
    int kind;             /* enum cdm_device_kind */
    bool l1_holds_shared; /* GPU: L1 and shared memory are one memory */
    struct cdm_quantity year;
    struct cdm_texts aliases;
    struct cdm_texts assumptions; /* what the description takes for granted, one sentence each */
    struct cdm_maps sources;      /* of struct cdm_device_source */
    union {
        /* The numbers by name: device->clock_boost_hz.value. */
        struct {
#define DEVICE_NUMBER(key, unit, kinds, flags, min, max, meaning) struct cdm_quantity key;
#include "features/device.def"
#undef DEVICE_NUMBER
        };
        struct cdm_quantity numbers[DEVICE_N_NUMBERS]; /* the same, by enum cdm_device_number */
    };
};

/* What device.def says about each number. */
struct cdm_device_number_info {
    const char *key;
    const char *unit; /* NULL = a count */
    unsigned kinds;   /* of enum cdm_device_kinds */
    const char *meaning;
};
extern const struct cdm_device_number_info cdm_device_numbers[DEVICE_N_NUMBERS];

/* Reads one description. All that the device points to lives in `arena`. Beside the rules of
 * cdmpp/core/yaml.h it is an error when a number belongs to the other kind of device, or when
 * numbers contradict each other (boost below base clock, a peak that is not units x operations x
 * clock). */
enum cdm_status cdm_device_read(const char *text, size_t length, struct cdm_device *device,
                                struct cdm_arena *arena, struct cdm_error *err) CDM_MUST_CHECK;

/* The same from a file; device->file is set. */
enum cdm_status cdm_device_read_file(const char *path, struct cdm_device *device,
                                     struct cdm_arena *arena, struct cdm_error *err) CDM_MUST_CHECK;

/* "cpu" or "gpu". */
const char *cdm_device_kind_name(int kind);

/* The entry of `sources` that gives this number, from 0; -1 = none. */
int cdm_device_source_of(const struct cdm_device *device, enum cdm_device_number number);

/* ---- Numbers that follow from others; unknown when what they need is absent ---- */

/* Cores or SMs. */
struct cdm_quantity cdm_device_units(const struct cdm_device *device);
/* Hz: the boost clock, else the base clock. */
struct cdm_quantity cdm_device_clock(const struct cdm_device *device);
/* FP32 operations a cycle of one core or SM: as given; from fma_units and simd_bits, or from lanes;
 * else from the peak. */
struct cdm_quantity cdm_device_unit_rate(const struct cdm_device *device);
/* FLOP/s of the device: as given, else units x unit rate x clock. */
struct cdm_quantity cdm_device_peak_fp32(const struct cdm_device *device);
/* FP32 lanes of the vector register or warp. */
struct cdm_quantity cdm_device_vector_lanes(const struct cdm_device *device);
/* Bytes of L1 data cache for each core or SM. */
struct cdm_quantity cdm_device_l1_per_unit(const struct cdm_device *device);
/* Bytes close to a core or SM beyond its L1: a CPU core's share of the L2, a GPU SM's shared
 * memory. */
struct cdm_quantity cdm_device_unit_memory(const struct cdm_device *device);
/* Bytes of last level cache for all units: L3, else L2. A description of a part of a chip (one core
 * of 64) gets that part of the cache. */
struct cdm_quantity cdm_device_last_cache(const struct cdm_device *device);
/* Threads that run at a time on a unit: hardware threads of a core, resident threads of an SM. */
struct cdm_quantity cdm_device_unit_threads(const struct cdm_device *device);

#endif
