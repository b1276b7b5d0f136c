/* SPDX-License-Identifier: Apache-2.0 */
#include "counters.h"

#include "words.h"

static const char *const names[] = {
#define COUNTER_NAME(name, offset) #name,
    ARQLINK_COUNTER_LIST(COUNTER_NAME)
#undef COUNTER_NAME
};

const char *counters_name(uint32_t index) { return names[index]; }

uint32_t counters_find(const char *name) {
    uint32_t index = 0;
    while (index < ARQLINK_COUNTER_COUNT && !words_equal(names[index], name)) {
        index++;
    }
    return index;
}
