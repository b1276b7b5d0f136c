/* SPDX-License-Identifier: Apache-2.0 */
#include "channel_commands.h"

#include "fault.h"
#include "machine.h"
#include "probability.h"

static const char *const names[MACHINE_ENDS] = {"ab", "ba"};

static int show(struct shell *shell, uint32_t direction) {
    static const char *const erasures[] = {"vanish", "flip", "flag", "mixed"};
    const struct arqlink_channel *channel = &machine_of(shell)->ends[direction].channel;
    struct arqlink_channel_config config;
    struct arqlink_channel_counts counts;
    int fault = arqlink_channel_get(channel, &config);
    if (fault == 0) {
        fault = arqlink_channel_get_counts(channel, &counts);
    }
    if (fault) {
        return fault_report(shell, fault);
    }
    shell_entry(shell, "channel", names[direction]);
    shell_entry(shell, "model", !config.enable ? "none" : config.gilbert_elliott ? "burst" : "bernoulli");
    probability_show_linear(shell, "p_good", config.p_good);
    probability_show_linear(shell, "p_bad", config.p_bad);
    probability_show_linear(shell, "p_gb", config.p_gb);
    probability_show_linear(shell, "p_bg", config.p_bg);
    shell_entry(shell, "erasure", erasures[config.erasure]);
    shell_item(shell, "control", !config.spare_control);
    shell_item(shell, "outage", config.outage);
    shell_item(shell, "delay", config.delay);
    shell_item(shell, "pace", config.pace);
    shell_item(shell, "units", counts.units);
    shell_item(shell, "erased", counts.erased);
    shell_item(shell, "control_units", counts.control_units);
    shell_item(shell, "control_erased", counts.control_erased);
    shell_item(shell, "beats_lost", counts.beats_lost);
    return 0;
}

/* A setting: reads its values, and returns 0 or an error that has been printed. */
typedef int change(struct shell *shell, const struct arqlink_channel *channel, const char **values);

/* Changes that need all settings read and written back. */
static int set(struct shell *shell, const struct arqlink_channel *channel,
               const struct arqlink_channel_config *config) {
    return fault_report(shell, arqlink_channel_set(channel, config));
}

static int get(struct shell *shell, const struct arqlink_channel *channel, struct arqlink_channel_config *config) {
    return fault_report(shell, arqlink_channel_get(channel, config));
}

static int set_loss(struct shell *shell, const struct arqlink_channel *channel, const char **values) {
    arqlink_probability p;
    int fault = probability_get_linear(shell, "P", values[0], &p);
    return fault ? fault : fault_report(shell, arqlink_channel_set_loss(channel, p));
}

static int set_delay(struct shell *shell, const struct arqlink_channel *channel, const char **values) {
    struct arqlink_channel_config config;
    int fault = get(shell, channel, &config);
    if (fault == 0) {
        fault =
            shell_get(shell, "CLOCKS", values[0], ARQLINK_CHANNEL_MIN_DELAY, ARQCHAN_DELAY_CLOCKS_MASK, &config.delay);
    }
    if (fault) {
        return fault;
    }
    fault = arqlink_channel_set(channel, &config);
    return fault == -ARQLINK_EINVAL ? shell_error(shell, "the built channel is too short for a delay of", values[0])
                                    : fault_report(shell, fault);
}

static int set_outage(struct shell *shell, const struct arqlink_channel *channel, const char **values) {
    uint32_t outage;
    int fault = shell_get(shell, "outage", values[0], 0, 1, &outage);
    return fault ? fault : fault_report(shell, arqlink_channel_set_outage(channel, outage != 0));
}

static int set_seed(struct shell *shell, const struct arqlink_channel *channel, const char **values) {
    uint32_t seed;
    int fault = shell_get(shell, "N", values[0], 0, UINT32_MAX, &seed);
    return fault ? fault : fault_report(shell, arqlink_channel_seed(channel, seed));
}

static int set_burst(struct shell *shell, const struct arqlink_channel *channel, const char **values) {
    static const char *const parameters[] = {"P_GOOD", "P_BAD", "P_GB", "P_BG"};
    struct arqlink_channel_config config;
    arqlink_probability p[4];
    int fault = get(shell, channel, &config);
    for (int i = 0; fault == 0 && i < 4; i++) {
        fault = probability_get_linear(shell, parameters[i], values[i], &p[i]);
    }
    if (fault) {
        return fault;
    }
    config.enable = true;
    config.gilbert_elliott = true;
    config.p_good = p[0];
    config.p_bad = p[1];
    config.p_gb = p[2];
    config.p_bg = p[3];
    return set(shell, channel, &config);
}

static int set_pace(struct shell *shell, const struct arqlink_channel *channel, const char **values) {
    struct arqlink_channel_config config;
    int fault = get(shell, channel, &config);
    if (fault == 0) {
        fault = shell_get(shell, "CLOCKS", values[0], 0, UINT32_MAX, &config.pace);
    }
    return fault ? fault : set(shell, channel, &config);
}

static int set_control(struct shell *shell, const struct arqlink_channel *channel, const char **values) {
    struct arqlink_channel_config config;
    uint32_t erased;
    int fault = get(shell, channel, &config);
    if (fault == 0) {
        fault = shell_get(shell, "control", values[0], 0, 1, &erased);
    }
    if (fault) {
        return fault;
    }
    config.spare_control = !erased;
    return set(shell, channel, &config);
}

static int apply(struct shell *shell, const struct arqlink_channel *channel, int count, const char **words) {
    static const struct {
        const char *name;
        int values;
        change *run;
    } settings[] = {
        {"loss", 1, set_loss},   {"delay", 1, set_delay}, {"outage", 1, set_outage},   {"seed", 1, set_seed},
        {"burst", 4, set_burst}, {"pace", 1, set_pace},   {"control", 1, set_control},
    };
    for (uint32_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        if (!words_equal(words[0], settings[i].name)) {
            continue;
        }
        if (count - 1 != settings[i].values) {
            return shell_error(
                shell, settings[i].values == 1 ? "one value has to follow" : "P_GOOD P_BAD P_GB P_BG have to follow",
                words[0]);
        }
        return settings[i].run(shell, channel, words + 1);
    }
    return shell_error(shell, "no such setting of a channel:", words[0]);
}

int command_channel(struct shell *shell, int count, const char **words) {
    const struct machine *machine = machine_of(shell);
    int fault = machine_need_channels(shell);
    if (fault) {
        return fault;
    }
    if (count == 1) {
        fault = show(shell, 0);
        return fault ? fault : show(shell, 1);
    }
    uint32_t direction = words_equal(words[1], names[0]) ? 0u : 1u;
    if (!words_equal(words[1], names[direction])) {
        return shell_error(shell, "a channel is 'ab' or 'ba', not", words[1]);
    }
    return count == 2 ? show(shell, direction) : apply(shell, &machine->ends[direction].channel, count - 2, words + 2);
}
