/* SPDX-License-Identifier: Apache-2.0 */
#include "tune_command.h"

#include "fault.h"
#include "machine.h"
#include "probability.h"

#define MOST_DELAY ((1u << 28) - 1u) /* of a goal */

/* What may follow the objective; of one that comes twice the last counts. */
struct options {
    uint32_t packet;
    uint32_t delay;
    uint32_t bound;
};

static int read_options(struct shell *shell, int count, const char **words, struct options *options) {
    const uint32_t longest = machine_link(shell)->limits.max_packet_bytes;
    const struct {
        const char *name;
        uint32_t least;
        uint32_t most;
        uint32_t *value;
    } known[] = {
        {"packet", 1, longest, &options->packet},
        {"delay", 0, MOST_DELAY, &options->delay},
        {"bound", 1, UINT32_MAX, &options->bound},
    };
    for (int at = 0; at < count; at += 2) {
        uint32_t i = 0;
        while (i < 3u && !words_equal(words[at], known[i].name)) {
            i++;
        }
        if (i == 3u) {
            return shell_error(shell, "only 'packet', 'delay' and 'bound' may follow, not", words[at]);
        }
        if (at + 1 == count) {
            return shell_error(shell, "a number has to follow", words[at]);
        }
        int fault = shell_get(shell, known[i].name, words[at + 1], known[i].least, known[i].most, known[i].value);
        if (fault) {
            return fault;
        }
    }
    return 0;
}

/* The line as the channel emulator has it; without one as fast as the link, and without delay. */
static int look_at_line(const struct shell *shell, uint32_t *delay, uint32_t *pace) {
    struct arqlink_channel_config channel;
    if (machine_of(shell)->end_count < 2u) {
        *delay = 0;
        *pace = 0;
        return 0;
    }
    int fault = arqlink_channel_get(&machine_end(shell)->channel, &channel);
    if (fault == 0) {
        *delay = channel.delay ? channel.delay : ARQLINK_CHANNEL_MIN_DELAY;
        *pace = channel.pace;
    }
    return fault;
}

static int start(struct shell *shell, enum arqlink_objective objective, const struct decimal *loss, int count,
                 const char **words) {
    const struct arqlink_device *link = machine_link(shell);
    struct options options = {.packet = link->limits.max_packet_bytes, .delay = UINT32_MAX, .bound = 0};
    struct arqlink_config config;
    uint32_t delay;
    uint32_t pace;
    int fault = read_options(shell, count, words, &options);
    if (fault) {
        return fault;
    }
    fault = look_at_line(shell, &delay, &pace);
    if (fault == 0) {
        fault = arqlink_get_config(link, &config);
    }
    if (fault) {
        return fault_report(shell, fault);
    }
    if (options.bound && options.delay == UINT32_MAX && machine_of(shell)->end_count < 2u) {
        return shell_error(shell, "with 'bound' also 'delay' is needed: the delay of the line is not known", 0);
    }
    const uint32_t frame_bytes = (uint32_t)config.k * link->limits.unit_bytes;
    const struct arqlink_goal goal = {
        .objective = objective,
        .log2_loss = arqlink_log2_decimal(loss->mantissa, loss->exponent),
        .k = config.k,
        .max_parity = link->limits.max_parity,
        .frames = (options.packet + frame_bytes - 1u) / frame_bytes,
        .unit_clocks = tuning_unit_clocks(&link->limits, pace),
        .one_way_clocks = options.delay == UINT32_MAX ? delay : options.delay,
        .delay_bound = options.bound,
    };
    return fault_report(shell, tuning_start(&machine_end(shell)->tuning, &goal, loss));
}

static void show_goal(struct shell *shell, const struct arqlink_goal *goal, const struct decimal *loss) {
    if (goal->objective == ARQLINK_TARGET_LOSS) {
        shell_entry(shell, "goal", "loss");
        probability_show(shell, "target", loss);
    } else {
        shell_entry(shell, "goal", "goodput");
    }
    shell_item(shell, "k", goal->k);
    shell_item(shell, "frames", goal->frames);
    shell_item(shell, "unit_clocks", goal->unit_clocks);
    shell_item(shell, "delay", goal->one_way_clocks);
    shell_item(shell, "bound", goal->delay_bound);
}

static void show(struct shell *shell, const struct tuning *tuning) {
    struct arqlink_tuner_view tuner;
    shell_item(shell, "running", tuning->running);
    if (!tuning->running) {
        return;
    }
    arqlink_tuner_get(&tuning->tuner, &tuner);
    show_goal(shell, &tuner.goal, &tuning->loss);
    if (tuner.windows) { /* before the first one there is neither */
        probability_show_linear(shell, "p", tuner.estimate.p);
        probability_show_linear(shell, "p_low", tuner.estimate.p_low);
        probability_show_linear(shell, "p_high", tuner.estimate.p_high);
        shell_item(shell, "n", tuner.choice.n);
        shell_item(shell, "delta", tuner.choice.delta);
        shell_item(shell, "met", tuner.choice.met);
    }
    shell_item(shell, "windows", tuner.windows);
    shell_item(shell, "changes", tuner.changes);
    shell_item(shell, "settling", tuner.settling);
    shell_item(shell, "failures", tuning->failures);
    shell_entry(shell, "last_failure",
                tuning->fault == -ARQLINK_EINVAL ? "K is not the goal's, or the link refuses the setting"
                                                 : fault_text(tuning->fault));
}

int command_tune(struct shell *shell, int count, const char **words) {
    struct decimal loss = {0, 0};
    struct tuning *tuning = &machine_end(shell)->tuning;
    if (count == 1) {
        show(shell, tuning);
        return 0;
    }
    if (words_equal(words[1], "off")) {
        if (count > 2) {
            return shell_error(shell, "nothing may follow 'off', not", words[2]);
        }
        tuning_stop(tuning);
        return 0;
    }
    if (words_equal(words[1], "goodput")) {
        return start(shell, ARQLINK_GOODPUT, &loss, count - 2, words + 2);
    }
    if (!words_equal(words[1], "loss")) {
        return shell_error(shell, "a goal is 'loss P' or 'goodput', not", words[1]);
    }
    if (count == 2) {
        return shell_error(shell, "a probability has to follow", words[1]);
    }
    int fault = probability_get(shell, "P", words[2], &loss);
    if (fault) {
        return fault;
    }
    if (loss.mantissa == 0 || loss.exponent == 0) {
        return shell_error(shell, "P must be above 0 and below 1, not", words[2]);
    }
    return start(shell, ARQLINK_TARGET_LOSS, &loss, count - 3, words + 3);
}
