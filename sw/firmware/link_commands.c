/* SPDX-License-Identifier: Apache-2.0 */
#include "link_commands.h"

#include "counters.h"
#include "fault.h"
#include "machine.h"
#include "words.h"

int command_info(struct shell *shell, int count, const char **words) {
    const struct arqlink_limits *limits = &machine_link(shell)->limits;
    const uint32_t version = machine_link(shell)->version;
    (void)count;
    (void)words;
    shell_text(shell, "version ");
    shell_number(shell, (version & ARQLINK_VERSION_MAJOR_MASK) >> ARQLINK_VERSION_MAJOR_SHIFT);
    shell_text(shell, ".");
    shell_number(shell, (version & ARQLINK_VERSION_MINOR_MASK) >> ARQLINK_VERSION_MINOR_SHIFT);
    shell_text(shell, ".");
    shell_number(shell, (version & ARQLINK_VERSION_PATCH_MASK) >> ARQLINK_VERSION_PATCH_SHIFT);
    shell_text(shell, "\r\n");
    shell_item(shell, "unit_bytes", limits->unit_bytes);
    shell_item(shell, "window_frames", 1u << limits->window_log2);
    shell_item(shell, "max_k", limits->max_k);
    shell_item(shell, "max_parity", limits->max_parity);
    shell_item(shell, "max_packet_bytes", limits->max_packet_bytes);
    shell_item(shell, "packet_crc", limits->packet_crc);
    shell_item(shell, "clock_hz", machine_of(shell)->clock_hz);
    return 0;
}

static int show_link(struct shell *shell) {
    static const char *const states[] = {"down", "clearing", "hello", "up", "outage"};
    struct arqlink_status status;
    struct arqlink_config config;
    int fault = arqlink_get_status(machine_link(shell), &status);
    if (fault == 0) {
        fault = arqlink_get_config(machine_link(shell), &config);
    }
    if (fault) {
        return fault_report(shell, fault);
    }
    shell_entry(shell, "state", states[status.state]);
    shell_item(shell, "stalled", status.stalled);
    shell_item(shell, "epoch", status.own_epoch);
    if (status.peer_known) {
        shell_item(shell, "peer_epoch", status.peer_epoch);
    }
    shell_item(shell, "k", config.k);
    shell_item(shell, "n", config.n_first);
    shell_item(shell, "nr", config.n_retx);
    if (config.delta == ARQLINK_PERSISTENCY_INFINITE) {
        shell_entry(shell, "delta", "inf");
    } else {
        shell_item(shell, "delta", config.delta);
    }
    shell_item(shell, "order", config.ordered);
    shell_item(shell, "preset", config.preset);
    shell_item(shell, "freeze", config.outage_freeze);
    return 0;
}

int command_link(struct shell *shell, int count, const char **words) {
    const struct arqlink_device *link = machine_link(shell);
    if (count == 1) {
        return show_link(shell);
    }
    if (words_equal(words[1], "up")) {
        return fault_report(shell, arqlink_start(link));
    }
    if (words_equal(words[1], "down")) {
        return fault_report(shell, arqlink_stop(link));
    }
    if (!words_equal(words[1], "restart")) {
        return shell_error(shell, "only 'up', 'down' or 'restart' may follow, not", words[1]);
    }
    int fault = arqlink_restart(link);
    return fault == -ARQLINK_ENETDOWN ? shell_error(shell, "the link is down; 'link up' starts it", 0)
                                      : fault_report(shell, fault);
}

int command_end(struct shell *shell, int count, const char **words) {
    static const char *const names[MACHINE_ENDS] = {"a", "b"};
    struct machine *machine = machine_of(shell);
    if (count == 1) {
        shell_entry(shell, "end", names[machine->end]);
        return 0;
    }
    for (uint32_t i = 0; i < machine->end_count; i++) {
        if (words_equal(words[1], names[i])) {
            machine->end = i;
            return 0;
        }
    }
    return shell_error(shell, "this system has no link end", words[1]);
}

int command_stats(struct shell *shell, int count, const char **words) {
    if (count == 2 && !words_equal(words[1], "reset")) {
        return shell_error(shell, "only 'reset' may follow, not", words[1]);
    }
    struct arqlink_counters counters;
    int fault = arqlink_read_counters(machine_link(shell), count == 2, &counters);
    if (fault) {
        return fault_report(shell, fault);
    }
    if (count == 2) {
        tuning_cleared(&machine_end(shell)->tuning, &counters);
    }
    for (uint32_t i = 0; i < ARQLINK_COUNTER_COUNT; i++) {
        shell_item(shell, counters_name(i), counters.value[i]);
    }
    return 0;
}
