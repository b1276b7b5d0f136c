/* SPDX-License-Identifier: Apache-2.0 */
/* Words of a command line, and numbers in them. Any context. */
#ifndef ARQLINK_WORDS_H
#define ARQLINK_WORDS_H

#include <stdint.h>

/* Cuts `text` at spaces, in place, into at most `most` words. Returns their number, or -E2BIG: there are more. */
int words_split(char *text, const char **words, int most);

/* 1 if two words are the same. */
int words_equal(const char *a, const char *b);

/* Reads a decimal number, or a hexadecimal one after 0x. 0, or -EINVAL: it is no number, or -ERANGE: it is not within
 * `least` to `most`. *value is set only with 0. */
int words_number(const char *word, uint32_t least, uint32_t most, uint32_t *value);

/* A decimal fraction: mantissa times 10^exponent. */
struct decimal {
    uint32_t mantissa; /* below 10^9; not a multiple of 10 unless it is 0 */
    int exponent;      /* -300 to 0; 0 if the mantissa is 0 */
};

/* Reads a probability: digits with at most one point, and an exponent or a percent sign, such as 0.05, 5e-2, 5%, 0, 1. The first nine
 * digits that count are used. 0, or -EINVAL: it is no such number, or -ERANGE: it is above 1, or above 0 but below 10^-300. *value is
 * set only with 0. */
int words_probability(const char *word, struct decimal *value);

#endif
