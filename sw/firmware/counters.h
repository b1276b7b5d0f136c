/* SPDX-License-Identifier: Apache-2.0 */
/* Names of the counters. Any context. */
#ifndef ARQLINK_FIRMWARE_COUNTERS_H
#define ARQLINK_FIRMWARE_COUNTERS_H

#include <stdint.h>

#include "arqlink.h"

/* Name of counter `index`, 0 to ARQLINK_COUNTER_COUNT - 1. */
const char *counters_name(uint32_t index);

/* Index of the counter with this name, or ARQLINK_COUNTER_COUNT: there is none. */
uint32_t counters_find(const char *name);

#endif
