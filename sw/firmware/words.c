/* SPDX-License-Identifier: Apache-2.0 */
#include "words.h"

#include <errno.h>

int words_split(char *text, const char **words, int most)
{
    int count = 0;
    for (;;) {
        while (*text == ' ') {
            *text++ = 0;
        }
        if (*text == 0) {
            return count;
        }
        if (count == most) {
            return -E2BIG;
        }
        words[count++] = text;
        while (*text != ' ' && *text != 0) {
            text++;
        }
    }
}

int words_equal(const char *a, const char *b)
{
    while (*a && *a == *b) {
        a++;
        b++;
    }
    return *a == *b;
}

/* 0 to 15, or 16: no digit. */
static uint32_t digit(char c)
{
    if (c >= '0' && c <= '9') {
        return (uint32_t)(c - '0');
    }
    if (c >= 'a' && c <= 'f') {
        return (uint32_t)(c - 'a') + 10u;
    }
    if (c >= 'A' && c <= 'F') {
        return (uint32_t)(c - 'A') + 10u;
    }
    return 16;
}

int words_number(const char *word, uint32_t least, uint32_t most, uint32_t *value)
{
    uint32_t base = 10;
    uint64_t result = 0;
    if (word[0] == '0' && (word[1] == 'x' || word[1] == 'X')) {
        base = 16;
        word += 2;
    }
    if (*word == 0) {
        return -EINVAL;
    }
    for (; *word; word++) {
        uint32_t d = digit(*word);
        if (d >= base) {
            return -EINVAL;
        }
        if (result <= UINT32_MAX) { /* stays too large, and does not overflow */
            result = result * base + d;
        }
    }
    if (result < least || result > most) {
        return -ERANGE;
    }
    *value = (uint32_t)result;
    return 0;
}
