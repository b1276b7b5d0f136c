/* SPDX-License-Identifier: Apache-2.0 */
#include "channel_commands.h"
#include "fault.h"
#include "machine.h"
#include "microseconds.h"
#include "probability.h"

#define DEFAULT_PACKETS 64u
#define DEFAULT_BYTES 256u
#define DEFAULT_P 214748365u /* 0.05 */
#define MOST_PACKETS 1000000u

/* Clocks without a new packet before the test gives up: 8 times what a window of these packets takes on the line, and 32 recoveries by poll. */
static uint64_t longest_wait(const struct machine *machine, const struct arqlink_selftest *test,
                             const struct arqlink_config *config, const struct arqlink_channel_config *channel,
                             uint32_t poll) {
    const struct arqlink_limits *limits = &machine->ends[0].link.limits;
    const uint32_t frame_bytes = (uint32_t)config->k * limits->unit_bytes;
    const uint64_t frames = (uint64_t)test->packets * ((test->packet_bytes + frame_bytes - 1u) / frame_bytes);
    const uint64_t window = UINT64_C(1) << limits->window_log2;
    const uint64_t units =
        (frames < window ? frames : window) * (config->n_first > config->n_retx ? config->n_first : config->n_retx);
    const uint64_t unit_clocks = tuning_unit_clocks(limits, channel->pace);
    return 8u * units * unit_clocks + 32u * (2u * (uint64_t)channel->delay + poll);
}

static bool cancelled(void *shell) { return shell_cancelled(shell); }

static int run(struct shell *shell, struct arqlink_selftest *test, struct arqlink_selftest_result *result) {
    const struct machine *machine = machine_of(shell);
    const struct arqlink_device *link = &machine->ends[0].link;
    struct arqlink_config config;
    struct arqlink_channel_config channel;
    struct arqlink_timers timers;
    int fault = arqlink_get_config(link, &config);
    if (fault == 0) {
        fault = arqlink_get_timers(link, &timers);
    }
    if (fault == 0) {
        fault = arqlink_channel_get(&machine->ends[0].channel, &channel);
    }
    if (fault == 0) {
        test->wait = microseconds_span(longest_wait(machine, test, &config, &channel, timers.poll),
                                       microseconds_scale(machine->clock_hz));
        fault = arqlink_selftest_run(link, test, result);
    }
    return fault;
}

/* What a test that ran to its end found. */
static const char *verdict(const struct arqlink_selftest_result *result) {
    return result->lost         ? "packets were lost"
           : result->disordered ? "packets came out of order"
           : result->corrupt    ? "packets were changed"
           : result->aborted    ? "packets were aborted"
           : result->erased     ? fault_text(-ARQLINK_EREMOTEIO)
                                : "the channel erased nothing, so nothing was tested";
}

int command_selftest(struct shell *shell, int count, const char **words) {
    const struct machine *machine = machine_of(shell);
    const uint32_t longest = machine->ends[0].link.limits.max_packet_bytes;
    struct arqlink_selftest test = {.packets = DEFAULT_PACKETS,
                                    .packet_bytes = longest < DEFAULT_BYTES ? longest : DEFAULT_BYTES,
                                    .p = DEFAULT_P,
                                    .cancelled = cancelled,
                                    .context = shell};
    struct arqlink_selftest_result result = {0};
    int fault = machine_need_channels(shell);
    if (fault == 0 && count > 1) {
        fault = shell_get(shell, "PACKETS", words[1], 1, MOST_PACKETS, &test.packets);
    }
    if (fault == 0 && count > 2) {
        fault = shell_get(shell, "BYTES", words[2], 8, longest, &test.packet_bytes);
    }
    if (fault == 0 && count > 3) {
        fault = probability_get_linear(shell, "P", words[3], &test.p);
    }
    if (fault) {
        return fault;
    }
    if (test.p == 0) {
        return shell_error(shell, "P must be above 0, or nothing is tested", 0);
    }
    if (machine->ends[0].tuning.running) {
        return shell_error(shell, "the tuner of link A is running; 'tune off' stops it", 0);
    }
    fault = run(shell, &test, &result);
    if (fault != 0 && fault != -ARQLINK_ETIMEDOUT && fault != -ARQLINK_ECANCELED && fault != -ARQLINK_EREMOTEIO) {
        return fault_report(shell, fault);
    }
    shell_item(shell, "sent", result.sent);
    shell_item(shell, "received", result.received);
    shell_item(shell, "lost", result.lost);
    shell_item(shell, "disordered", result.disordered);
    shell_item(shell, "corrupt", result.corrupt);
    shell_item(shell, "aborted", result.aborted);
    shell_item(shell, "erased", result.erased);
    if (fault == 0) {
        return 0;
    }
    return shell_error(shell,
                       fault == -ARQLINK_ETIMEDOUT   ? "not all packets came in time"
                       : fault == -ARQLINK_ECANCELED ? "stopped by Ctrl-C"
                                                     : verdict(&result),
                       0);
}
