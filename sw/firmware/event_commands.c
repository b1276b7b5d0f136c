/* SPDX-License-Identifier: Apache-2.0 */
#include "event_commands.h"

#include "counters.h"
#include "fault.h"
#include "machine.h"
#include "words.h"

int command_events(struct shell *shell, int count, const char **words) {
    const struct events *events = &machine_end(shell)->events;
    if (count == 2) {
        int on = words_equal(words[1], "on");
        if (!on && !words_equal(words[1], "off")) {
            return shell_error(shell, "only 'on' or 'off' may follow, not", words[1]);
        }
        machine_of(shell)->report_events = on;
        return 0;
    }
    for (uint32_t i = 0; i < EVENTS; i++) {
        shell_item(shell, events_name(i), events->count[i]);
    }
    shell_entry(shell, "printed", machine_of(shell)->report_events ? "on" : "off");
    return 0;
}

int command_threshold(struct shell *shell, int count, const char **words) {
    uint32_t value;
    uint32_t counter = counters_find(words[1]);
    (void)count;
    if (counter == ARQLINK_COUNTER_COUNT) {
        return shell_error(shell, "no such counter, stats shows them:", words[1]);
    }
    int fault = shell_get(shell, "VALUE", words[2], 0, UINT32_MAX, &value);
    return fault ? fault : fault_report(shell, arqlink_set_threshold(machine_link(shell), counter, value));
}
