/* SPDX-License-Identifier: Apache-2.0 */
#include "probability.h"

#include <errno.h>

arqlink_probability probability_linear(const struct decimal *value) {
    uint64_t x = (uint64_t)value->mantissa << 32; /* below 2^62 */
    if (value->exponent == 0) {
        return value->mantissa ? UINT32_MAX : 0;
    }
    for (int i = -1; i > value->exponent && x; i--) {
        x /= 10u;
    }
    x = (x + 5u) / 10u;
    return x > UINT32_MAX ? UINT32_MAX : (uint32_t)x;
}

struct decimal probability_decimal(arqlink_probability p) {
    const uint64_t one = UINT64_C(1) << 32;
    struct decimal value = {0, 0};
    uint64_t x = p;
    if (p == 0) {
        return value;
    }
    while (x < 100u * one) { /* the first three digits before the point */
        x *= 10u;
        value.exponent--;
    }
    value.mantissa = (uint32_t)((x + one / 2u) >> 32);
    while (value.mantissa % 10u == 0) {
        value.mantissa /= 10u;
        value.exponent++;
    }
    return value;
}

void probability_show(struct shell *shell, const char *name, const struct decimal *value) {
    uint32_t first = value->mantissa;
    uint32_t scale = 1;
    int exponent = value->exponent;
    shell_text(shell, name);
    shell_text(shell, " ");
    while (first >= 10u) {
        first /= 10u;
        scale *= 10u;
        exponent++;
    }
    shell_number(shell, first);
    if (scale > 1u) {
        shell_text(shell, ".");
        for (scale /= 10u; scale; scale /= 10u) {
            shell_number(shell, value->mantissa / scale % 10u);
        }
    }
    if (exponent) {
        shell_text(shell, "e-");
        shell_number(shell, (uint64_t)-exponent);
    }
    shell_text(shell, "\r\n");
}

void probability_show_linear(struct shell *shell, const char *name, arqlink_probability p) {
    const struct decimal value = probability_decimal(p);
    probability_show(shell, name, &value);
}

int probability_get(struct shell *shell, const char *name, const char *word, struct decimal *value) {
    int fault = words_probability(word, value);
    if (fault) {
        shell_text(shell, "ERROR ");
        shell_text(shell, name);
        shell_text(shell, " is '");
        shell_text(shell, word);
        shell_text(shell, "'; it must be a probability, such as 0.05, 5e-2 or 5%\r\n");
    }
    return fault;
}

int probability_get_linear(struct shell *shell, const char *name, const char *word, arqlink_probability *p) {
    struct decimal value;
    int fault = probability_get(shell, name, word, &value);
    if (fault) {
        return fault;
    }
    arqlink_probability linear = probability_linear(&value);
    if (linear == 0 && value.mantissa != 0) {
        shell_text(shell, "ERROR ");
        shell_text(shell, name);
        shell_text(shell, " is '");
        shell_text(shell, word);
        shell_text(shell, "'; above 0 it must be at least 1.2e-10\r\n");
        return -ERANGE;
    }
    *p = linear;
    return 0;
}
