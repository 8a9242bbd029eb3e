/* "Did you mean ...": the known word that a misspelt one most likely stands for. */
#ifndef CDMPP_CORE_SUGGEST_H
#define CDMPP_CORE_SUGGEST_H

#include <stddef.h>

/* Set `word`, zero the rest, offer every known word, then read `best`. */
struct cdm_suggestion {
    const char *word; /* the misspelt one */
    const char *best; /* one of the offered words, borrowed; NULL = none is close */
    size_t distance;  /* of best: letters to change; case does not count */
};

/* Keeps `candidate` when it is closer than what was offered before, and close enough: at most a
 * third of the longer word's letters differ, a swap of neighbours counting once, or the word is a
 * beginning of it. `candidate` must live as long as the suggestion. Words over 63 bytes are never
 * close. */
void cdm_suggest(struct cdm_suggestion *suggestion, const char *candidate);

#endif
