/* SPDX-License-Identifier: Apache-2.0 */
#include "machine.h"

/* Clocks between two attempts to read the events of an end that a bus error has made deaf. */
#define LISTEN_PERIOD 20000u

static int find_pair(struct machine *machine) {
    static const uint32_t channels[MACHINE_ENDS] = {ARQLINK_PAIR_CHANNEL_AB, ARQLINK_PAIR_CHANNEL_BA};
    int fault = arqlink_probe(&machine->ends[1].link, &machine->bus, ARQLINK_PAIR_LINK_B);
    for (uint32_t i = 0; fault == 0 && i < MACHINE_ENDS; i++) {
        fault = arqlink_channel_probe(&machine->ends[i].channel, &machine->bus, channels[i]);
    }
    return fault;
}

int machine_find(struct machine *machine) {
    int fault = arqlink_probe(&machine->ends[0].link, &machine->bus, ARQLINK_PAIR_LINK_A);
    machine->end = 0;
    machine->report_events = false;
    machine->next_listen = 0;
    machine->end_count = fault == 0 && find_pair(machine) == 0 ? 2u : 1u;
    for (uint32_t i = 0; i < machine->end_count && fault == 0; i++) {
        events_init(&machine->ends[i].events);
        tuning_init(&machine->ends[i].tuning);
        fault = arqlink_irq_enable(&machine->ends[i].link, EVENTS_WATCHED);
    }
    return fault;
}

struct machine *machine_of(const struct shell *shell) { return shell->context; }

struct machine_end *machine_end(const struct shell *shell) {
    struct machine *machine = machine_of(shell);
    return &machine->ends[machine->end];
}

int machine_need_channels(struct shell *shell) {
    return machine_of(shell)->end_count == MACHINE_ENDS ? 0
                                                        : shell_error(shell, "this system has no channel emulators", 0);
}

const struct arqlink_device *machine_link(const struct shell *shell) { return &machine_end(shell)->link; }

/* Ends whose events can be read, as far as is known. */
static uint32_t heard(const struct machine *machine) {
    uint32_t ends = 0;
    for (uint32_t end = 0; end < machine->end_count; end++) {
        if (!machine->ends[end].events.deaf) {
            ends |= 1u << end;
        }
    }
    return ends;
}

void machine_latch(struct machine *machine, uint32_t end) {
    if (events_latch(&machine->ends[end].events, &machine->ends[end].link)) {
        machine->listen(heard(machine));
    }
}

static void listen_again(struct machine *machine, uint64_t now) {
    const uint32_t all = (1u << machine->end_count) - 1u;
    if (now >= machine->next_listen && heard(machine) != all) {
        machine->next_listen = now + LISTEN_PERIOD;
        machine->listen(all);
    }
}

/* Between commands only, so that an answer is never torn apart. Several events of one kind are one line. */
static void report_events(struct shell *shell) {
    struct machine *machine = machine_of(shell);
    bool printed = false;
    for (uint32_t end = 0; end < machine->end_count; end++) {
        for (uint32_t event = 0; event < EVENTS; event++) {
            if (!events_take(&machine->ends[end].events, event) ||
                (!machine->report_events && event != EVENT_BUS_ERROR)) {
                continue;
            }
            shell_text(shell, printed ? "EVENT " : "\r\nEVENT ");
            shell_text(shell, events_name(event));
            shell_text(shell, end ? " b\r\n" : "\r\n");
            printed = true;
        }
    }
    if (printed) {
        shell_prompt(shell);
    }
}

void machine_background(struct shell *shell, uint64_t now) {
    struct machine *machine = machine_of(shell);
    if (shell_waits(shell)) {
        report_events(shell);
    }
    listen_again(machine, now);
    for (uint32_t i = 0; i < machine->end_count; i++) {
        tuning_poll(&machine->ends[i].tuning, &machine->ends[i].link, now);
    }
}
