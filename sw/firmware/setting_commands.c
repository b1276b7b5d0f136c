/* SPDX-License-Identifier: Apache-2.0 */
#include "setting_commands.h"

#include "fault.h"
#include "machine.h"
#include "words.h"

int command_code(struct shell *shell, int count, const char **words) {
    const struct arqlink_limits *limits = &machine_link(shell)->limits;
    uint32_t k;
    uint32_t n = 0;
    uint32_t nr = 0;
    int fault = shell_get(shell, "K", words[1], 1, limits->max_k, &k);
    if (fault == 0) {
        fault = shell_get(shell, "N", words[2], k, k + limits->max_parity, &n);
    }
    if (fault == 0) {
        fault = shell_get(shell, "NR", words[count - 1], k, k + limits->max_parity, &nr);
    }
    return fault ? fault : fault_report(shell, arqlink_set_code(machine_link(shell), k, n, nr));
}

int command_delta(struct shell *shell, int count, const char **words) {
    uint32_t delta = ARQLINK_PERSISTENCY_INFINITE;
    (void)count;
    int fault = words_equal(words[1], "inf") ? 0 : shell_get(shell, "D", words[1], 0, 14, &delta);
    return fault ? fault : fault_report(shell, arqlink_set_persistency(machine_link(shell), delta));
}

int command_order(struct shell *shell, int count, const char **words) {
    uint32_t order;
    (void)count;
    int fault = shell_get(shell, "order", words[1], 0, 1, &order);
    return fault ? fault : fault_report(shell, arqlink_set_ordered(machine_link(shell), order != 0));
}

int command_preset(struct shell *shell, int count, const char **words) {
    uint32_t preset;
    (void)count;
    int fault = shell_get(shell, "preset", words[1], 0, 2, &preset);
    if (fault) {
        return fault;
    }
    if (((uint32_t)machine_link(shell)->limits.presets >> preset & 1u) == 0) {
        return shell_error(shell, "this link is not built with preset", words[1]);
    }
    return fault_report(shell, arqlink_set_preset(machine_link(shell), preset));
}

int command_freeze(struct shell *shell, int count, const char **words) {
    uint32_t freeze;
    (void)count;
    int fault = shell_get(shell, "freeze", words[1], 0, 1, &freeze);
    return fault ? fault : fault_report(shell, arqlink_set_outage_freeze(machine_link(shell), freeze != 0));
}

static int show_timers(struct shell *shell) {
    struct arqlink_timers timers;
    int fault = arqlink_get_timers(machine_link(shell), &timers);
    if (fault) {
        return fault_report(shell, fault);
    }
    shell_item(shell, "poll", timers.poll);
    shell_item(shell, "hello", timers.hello);
    shell_item(shell, "keepalive", timers.keepalive);
    shell_item(shell, "outage", timers.outage_timeout);
    shell_item(shell, "status", timers.status_interval);
    return 0;
}

int command_timers(struct shell *shell, int count, const char **words) {
    struct arqlink_timers timers;
    if (count == 1) {
        return show_timers(shell);
    }
    if (count != 6) {
        return shell_error(shell, "all five timers have to be given: POLL HELLO KEEPALIVE OUTAGE STATUS", 0);
    }
    int fault = shell_get(shell, "POLL", words[1], 1, UINT32_MAX, &timers.poll);
    if (fault == 0) {
        fault = shell_get(shell, "HELLO", words[2], 1, UINT32_MAX, &timers.hello);
    }
    if (fault == 0) {
        fault = shell_get(shell, "OUTAGE", words[4], 0, UINT32_MAX, &timers.outage_timeout);
    }
    if (fault) {
        return fault;
    }
    if (timers.outage_timeout == 0) {
        fault = shell_get(shell, "KEEPALIVE", words[3], 0, UINT32_MAX, &timers.keepalive);
    } else if (timers.outage_timeout < 4u) {
        return shell_error(shell, "OUTAGE must be 0, or at least four times KEEPALIVE, not", words[4]);
    } else {
        fault = shell_get(shell, "KEEPALIVE", words[3], 1, timers.outage_timeout / 4u, &timers.keepalive);
    }
    if (fault == 0) {
        fault = shell_get(shell, "STATUS", words[5], 0, UINT32_MAX, &timers.status_interval);
    }
    return fault ? fault : fault_report(shell, arqlink_set_timers(machine_link(shell), &timers));
}
