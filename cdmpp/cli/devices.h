/* The devices that a command line names. */
#ifndef CDMPP_CLI_DEVICES_H
#define CDMPP_CLI_DEVICES_H

#include "cdmpp/cli/option.h"
#include "features/device_set.h"

/* An empty set that knows the shipped devices and those of the folder $CDMPP_DEVICES. */
struct cdm_device_set cdm_devices_known(void);

/* The devices that -d names, in that order, each once. *devices [*n] is allocated and the caller
 * frees it; the devices belong to the set. */
enum cdm_status cdm_devices_named(struct cdm_device_set *set, const struct cdm_names *names,
                                  const struct cdm_device ***devices, size_t *n,
                                  struct cdm_error *err) CDM_MUST_CHECK;

#endif
