#include "cdmpp/cli/stop.h"

#include <stddef.h>

/* A handler can reach nothing but a global. */
static volatile sig_atomic_t stop_signal;

static void on_signal(int number)
{
    stop_signal = number;
}

void cdm_stop_catch(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};

    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct sigaction old;
        struct sigaction action = {.sa_handler = on_signal,
                                   .sa_flags = (int)SA_RESETHAND | SA_RESTART};
        sigemptyset(&action.sa_mask);
        if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
    }
}

const volatile sig_atomic_t *cdm_stop_flag(void)
{
    return &stop_signal;
}
