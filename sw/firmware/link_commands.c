/* SPDX-License-Identifier: Apache-2.0 */
#include "link_commands.h"

#include "arqlink.h"
#include "soc.h"
#include "words.h"

static const struct arqlink_device *device(const struct shell *shell)
{
    return shell->context;
}

/* 0, or says what the driver's error means and returns it. */
static int tell(struct shell *shell, int fault)
{
    switch (-fault) {
    case 0:
        return 0;
    case ARQLINK_EINVAL:
        return shell_error(shell, "the link refuses this setting", 0);
    case ARQLINK_ETIMEDOUT:
        return shell_error(shell, "the link did not answer in time", 0);
    default:
        return shell_error(shell, "a register of the link cannot be reached", 0);
    }
}

int command_info(struct shell *shell, int count, const char **words)
{
    const struct arqlink_limits *limits = &device(shell)->limits;
    const uint32_t version = device(shell)->version;
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
    shell_item(shell, "clock_hz", soc_get(SOC_SYSTEM_BASE + ARQSYS_CLOCK_HZ_OFFSET));
    return 0;
}

int command_link(struct shell *shell, int count, const char **words)
{
    static const char *const states[] = {"down", "clearing", "hello", "up", "outage"};
    struct arqlink_status status;
    struct arqlink_config config;
    (void)count;
    (void)words;
    int fault = arqlink_get_status(device(shell), &status);
    if (fault == 0) {
        fault = arqlink_get_config(device(shell), &config);
    }
    if (fault) {
        return tell(shell, fault);
    }
    shell_text(shell, "state ");
    shell_text(shell, states[status.state]);
    shell_text(shell, "\r\n");
    shell_item(shell, "stalled", status.stalled);
    shell_item(shell, "epoch", status.own_epoch);
    if (status.peer_known) {
        shell_item(shell, "peer_epoch", status.peer_epoch);
    }
    shell_item(shell, "k", config.k);
    shell_item(shell, "n", config.n_first);
    shell_item(shell, "nr", config.n_retx);
    if (config.delta == ARQLINK_PERSISTENCY_INFINITE) {
        shell_text(shell, "delta inf\r\n");
    } else {
        shell_item(shell, "delta", config.delta);
    }
    shell_item(shell, "order", config.ordered);
    return 0;
}

int command_code(struct shell *shell, int count, const char **words)
{
    const struct arqlink_limits *limits = &device(shell)->limits;
    uint32_t k;
    uint32_t n;
    uint32_t nr;
    int fault = shell_get(shell, "K", words[1], 1, limits->max_k, &k);
    if (fault == 0) {
        fault = shell_get(shell, "N", words[2], k, k + limits->max_parity, &n);
    }
    if (fault == 0) {
        fault = shell_get(shell, "NR", words[count - 1], k, k + limits->max_parity, &nr);
    }
    return fault ? fault : tell(shell, arqlink_set_code(device(shell), k, n, nr));
}

int command_delta(struct shell *shell, int count, const char **words)
{
    uint32_t delta = ARQLINK_PERSISTENCY_INFINITE;
    (void)count;
    int fault = words_equal(words[1], "inf") ? 0 : shell_get(shell, "D", words[1], 0, 14, &delta);
    return fault ? fault : tell(shell, arqlink_set_persistency(device(shell), delta));
}

int command_order(struct shell *shell, int count, const char **words)
{
    uint32_t order;
    (void)count;
    int fault = shell_get(shell, "order", words[1], 0, 1, &order);
    return fault ? fault : tell(shell, arqlink_set_ordered(device(shell), order != 0));
}

int command_stats(struct shell *shell, int count, const char **words)
{
    static const char *const names[] = {
#define COUNTER_NAME(name, offset) #name,
        ARQLINK_COUNTER_LIST(COUNTER_NAME)
#undef COUNTER_NAME
    };
    if (count == 2 && !words_equal(words[1], "reset")) {
        return shell_error(shell, "only 'reset' may follow, not", words[1]);
    }
    int fault = arqlink_snapshot(device(shell), count == 2);
    for (uint32_t i = 0; fault == 0 && i < ARQLINK_COUNTER_COUNT; i++) {
        uint64_t value;
        fault = arqlink_counter(device(shell), i, &value);
        if (fault == 0) {
            shell_item(shell, names[i], value);
        }
    }
    return tell(shell, fault);
}
