#include "cdmpp/core/suggest.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

enum { LONGEST = 63 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static int lower(char c)
{
    return tolower((unsigned char)c);
}

/* Insertions, deletions, replacements and swaps of neighbours that turn a into b. */
static size_t edit_distance(const char *a, size_t n_a, const char *b, size_t n_b)
{
    size_t rows[3][LONGEST + 1]; /* the last three rows of the table [n_a + 1][n_b + 1] */

    for (size_t j = 0; j <= n_b; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= n_a; i++) {
        size_t *row = rows[i % 3];
        const size_t *above = rows[(i + 2) % 3];
        const size_t *above2 = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= n_b; j++) {
            size_t same = lower(a[i - 1]) == lower(b[j - 1]) ? 0 : 1;
            row[j] = least(least(above[j] + 1, row[j - 1] + 1), above[j - 1] + same);
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                lower(a[i - 2]) == lower(b[j - 1]))
                row[j] = least(row[j], above2[j - 2] + 1);
        }
    }
    return rows[n_a % 3][n_b];
}

void cdm_suggest(struct cdm_suggestion *suggestion, const char *candidate)
{
    size_t n_word = strlen(suggestion->word);
    size_t n_candidate = strlen(candidate);

    if (n_word > LONGEST || n_candidate > LONGEST || !n_word || !n_candidate)
        return;
    size_t distance = edit_distance(suggestion->word, n_word, candidate, n_candidate);
    size_t longer = n_word > n_candidate ? n_word : n_candidate;
    size_t common = 0;
    while (common < n_word && common < n_candidate &&
           lower(suggestion->word[common]) == lower(candidate[common]))
        common++;
    bool is_beginning = common == n_word && n_word >= 3;
    if (distance * 3 > longer && !is_beginning)
        return;
    if (suggestion->best && suggestion->distance <= distance)
        return;
    suggestion->best = candidate;
    suggestion->distance = distance;
}
