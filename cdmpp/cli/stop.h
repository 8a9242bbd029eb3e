/* Stopping long work by a signal in a way that leaves a usable result. */
#ifndef CDMPP_CLI_STOP_H
#define CDMPP_CLI_STOP_H

#include <signal.h>

/* From now on the first SIGINT, SIGTERM or SIGHUP only sets the flag; a second one ends the process
 * at once. A signal that the caller had ignored stays ignored. */
void cdm_stop_catch(void);

/* The flag: the number of the signal that came, 0 = none. Work returns CDM_STOPPED when it sees it
 * set. */
const volatile sig_atomic_t *cdm_stop_flag(void);

#endif
