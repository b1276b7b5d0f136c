/* SPDX-License-Identifier: Apache-2.0 */
#include "system.h"

static int find_pair(struct system *system)
{
    static const uint32_t channels[SYSTEM_ENDS] = {ARQLINK_PAIR_CHANNEL_AB, ARQLINK_PAIR_CHANNEL_BA};
    int fault = arqlink_probe(&system->ends[1].link, &system->bus, ARQLINK_PAIR_LINK_B);
    for (uint32_t i = 0; fault == 0 && i < SYSTEM_ENDS; i++) {
        fault = arqlink_channel_probe(&system->ends[i].channel, &system->bus, channels[i]);
    }
    return fault;
}

int system_find(struct system *system)
{
    int fault = arqlink_probe(&system->ends[0].link, &system->bus, ARQLINK_PAIR_LINK_A);
    system->end = 0;
    system->tell_events = false;
    system->end_count = fault == 0 && find_pair(system) == 0 ? 2u : 1u;
    for (uint32_t i = 0; i < system->end_count && fault == 0; i++) {
        events_init(&system->ends[i].events);
        tuning_init(&system->ends[i].tuning);
        fault = arqlink_irq_enable(&system->ends[i].link, EVENTS_WATCHED);
    }
    return fault;
}

struct system *system_of(const struct shell *shell)
{
    return shell->context;
}

struct system_end *system_end(const struct shell *shell)
{
    struct system *system = system_of(shell);
    return &system->ends[system->end];
}

const struct arqlink_device *system_link(const struct shell *shell)
{
    return &system_end(shell)->link;
}

int system_latch(struct system *system)
{
    int fault = 0;
    for (uint32_t i = 0; i < system->end_count; i++) {
        int next = events_latch(&system->ends[i].events, &system->ends[i].link);
        fault = next ? next : fault;
    }
    return fault;
}

/* Between commands only, so that an answer is never torn apart. Several events of one kind are one line. */
static void tell_events(struct shell *shell)
{
    struct system *system = system_of(shell);
    bool told = false;
    for (uint32_t end = 0; end < system->end_count; end++) {
        for (uint32_t event = 0; event < EVENTS; event++) {
            if (!events_take(&system->ends[end].events, event) || !system->tell_events) {
                continue;
            }
            shell_text(shell, told ? "EVENT " : "\r\nEVENT ");
            shell_text(shell, events_name(event));
            shell_text(shell, end ? " b\r\n" : "\r\n");
            told = true;
        }
    }
    if (told) {
        shell_prompt(shell);
    }
}

void system_background(struct shell *shell, uint64_t now)
{
    struct system *system = system_of(shell);
    if (shell_waits(shell)) {
        tell_events(shell);
    }
    for (uint32_t i = 0; i < system->end_count; i++) {
        tuning_poll(&system->ends[i].tuning, &system->ends[i].link, now);
    }
}
