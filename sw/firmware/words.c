/* SPDX-License-Identifier: Apache-2.0 */
#include "words.h"

#include <errno.h>
#include <stddef.h>

int words_split(char *text, const char **words, int most) {
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

int words_equal(const char *a, const char *b) {
    while (*a && *a == *b) {
        a++;
        b++;
    }
    return *a == *b;
}

/* 0 to 15, or 16: no digit. */
static uint32_t digit(char c) {
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

int words_number(const char *word, uint32_t least, uint32_t most, uint32_t *value) {
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

/* Reads digits with at most one point: mantissa times 10^exponent. Returns what follows, or NULL: there is no digit. */
static const char *read_digits(const char *word, struct decimal *number) {
    int digits = 0;
    int after_point = 0;
    for (; digit(*word) < 10u || (*word == '.' && !after_point); word++) {
        if (*word == '.') {
            after_point = 1;
            continue;
        }
        digits++;
        if (number->mantissa < 100000000u) { /* room for one more of nine */
            number->mantissa = number->mantissa * 10u + digit(*word);
            number->exponent -= after_point;
        } else {
            number->exponent += !after_point;
        }
    }
    return digits ? word : NULL;
}

/* Reads the digits of an exponent; large ones stay large. Returns what follows, or NULL: there is no digit. */
static const char *read_exponent(const char *word, int *exponent) {
    const int negative = *word == '-';
    int size = 0;
    if (*word == '-' || *word == '+') {
        word++;
    }
    if (digit(*word) >= 10u) {
        return NULL;
    }
    for (; digit(*word) < 10u; word++) {
        if (size < 1000) {
            size = size * 10 + (int)digit(*word);
        }
    }
    *exponent += negative ? -size : size;
    return word;
}

/* 1: at most 1. */
static int is_probability(const struct decimal *number) {
    uint32_t power = 1;
    for (int i = 0; i < 9 && i < -number->exponent; i++) {
        power *= 10u;
    }
    return number->exponent <= 0 && number->mantissa <= power;
}

int words_probability(const char *word, struct decimal *value) {
    struct decimal number = {0, 0};
    word = read_digits(word, &number);
    if (word && *word == '%') {
        number.exponent -= 2;
        word++;
    } else if (word && (*word == 'e' || *word == 'E')) {
        word = read_exponent(word + 1, &number.exponent);
    }
    if (!word || *word) {
        return -EINVAL;
    }
    if (number.mantissa == 0) {
        number.exponent = 0;
    }
    while (number.mantissa != 0 && number.mantissa % 10u == 0) {
        number.mantissa /= 10u;
        number.exponent++;
    }
    if (!is_probability(&number) || number.exponent < -300) {
        return -ERANGE;
    }
    *value = number;
    return 0;
}
