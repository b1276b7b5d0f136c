/* SPDX-License-Identifier: Apache-2.0 */
/* Probabilities in commands and answers: decimal fractions outside, the driver's formats inside. */
#ifndef ARQLINK_PROBABILITY_H
#define ARQLINK_PROBABILITY_H

#include "arqlink_channel.h"
#include "shell.h"
#include "words.h"

/* Times 2^32, rounded; what would be 2^32 or more is UINT32_MAX, which means 1. Any context. */
arqlink_probability probability_linear(const struct decimal *value);

/* Three digits of p, rounded. Any context. */
struct decimal probability_decimal(arqlink_probability p);

/* Prints a line with a name and a probability, such as "loss 1.5e-3", "loss 0" or "loss 1". Thread. */
void probability_show(struct shell *shell, const char *name, const struct decimal *value);

/* The same of p times 2^32. Thread. */
void probability_show_linear(struct shell *shell, const char *name, arqlink_probability p);

/* Reads a probability. 0, or the error: it has been printed, with `name`. Thread. */
int probability_get(struct shell *shell, const char *name, const char *word, struct decimal *value);

/* Reads a probability into the linear format; one that is above 0 but below half its step, 2^-33, is refused. Thread. */
int probability_get_linear(struct shell *shell, const char *name, const char *word, arqlink_probability *p);

#endif
