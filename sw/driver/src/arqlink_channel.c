/* SPDX-License-Identifier: Apache-2.0 */
/* Channel emulator control. */
#include "arqlink_channel.h"

#include "arqlink_access.h"

int arqlink_channel_probe(struct arqlink_channel *channel, const struct arqlink_bus *bus, uint32_t base) {
    return arqlink_find(&channel->at, bus, base, ARQCHAN_ID_RESET);
}

/* What struct arqlink_channel_config holds, in the order in which it is written. */
enum { DELAY, MODE, P_GOOD, P_BAD, P_GB, P_BG, PACE, CTRL, SETTINGS };
static const uint16_t offsets[SETTINGS] = {
    ARQCHAN_DELAY_OFFSET, ARQCHAN_MODE_OFFSET, ARQCHAN_P_GOOD_OFFSET, ARQCHAN_P_BAD_OFFSET,
    ARQCHAN_P_GB_OFFSET,  ARQCHAN_P_BG_OFFSET, ARQCHAN_PACE_OFFSET,   ARQCHAN_CTRL_OFFSET,
};

int arqlink_channel_get(const struct arqlink_channel *channel, struct arqlink_channel_config *config) {
    uint32_t now[SETTINGS];
    int error = arqlink_read_list(&channel->at, offsets, SETTINGS, now);
    if (error) return error;
    config->enable = (now[CTRL] & ARQCHAN_CTRL_ENABLE_MASK) != 0;
    config->outage = (now[CTRL] & ARQCHAN_CTRL_OUTAGE_MASK) != 0;
    config->gilbert_elliott = (now[CTRL] & ARQCHAN_CTRL_GILBERT_ELLIOTT_MASK) != 0;
    config->spare_control = (now[CTRL] & ARQCHAN_CTRL_SPARE_CONTROL_MASK) != 0;
    config->erasure = (enum arqlink_erasure)ARQLINK_FIELD(ARQCHAN_MODE_MODE, now[MODE]);
    config->delay = now[DELAY];
    config->p_good = now[P_GOOD];
    config->p_bad = now[P_BAD];
    config->p_gb = now[P_GB];
    config->p_bg = now[P_BG];
    config->pace = now[PACE];
    return 0;
}

/* Writes a register if it differs. */
static int put_changed(const struct arqlink_channel *channel, uint32_t offset, uint32_t value) {
    uint32_t before;
    int error = arqlink_read(&channel->at, offset, &before);
    return error || before == value ? error : arqlink_write(&channel->at, offset, value);
}

int arqlink_channel_set(const struct arqlink_channel *channel, const struct arqlink_channel_config *config) {
    uint32_t most;
    int error = arqlink_read(&channel->at, ARQCHAN_MAX_DELAY_OFFSET, &most);
    if (error) return error;
    if ((uint32_t)config->erasure > ARQLINK_ERASE_MIXED || config->delay > most ||
        (config->delay != 0 && config->delay < ARQLINK_CHANNEL_MIN_DELAY))
        return -ARQLINK_EINVAL;
    const uint32_t wanted[SETTINGS] = {
        [DELAY] = config->delay,
        [MODE] = (uint32_t)config->erasure,
        [P_GOOD] = config->p_good,
        [P_BAD] = config->p_bad,
        [P_GB] = config->p_gb,
        [P_BG] = config->p_bg,
        [PACE] = config->pace,
        [CTRL] = ARQLINK_PLACE(ARQCHAN_CTRL_ENABLE, config->enable) |
                 ARQLINK_PLACE(ARQCHAN_CTRL_OUTAGE, config->outage) |
                 ARQLINK_PLACE(ARQCHAN_CTRL_GILBERT_ELLIOTT, config->gilbert_elliott) |
                 ARQLINK_PLACE(ARQCHAN_CTRL_SPARE_CONTROL, config->spare_control),
    };
    for (unsigned i = 0; !error && i < SETTINGS; ++i) error = put_changed(channel, offsets[i], wanted[i]);
    return error;
}

static int put_control(const struct arqlink_channel *channel, uint32_t clear, uint32_t set) {
    uint32_t control;
    int error = arqlink_read(&channel->at, ARQCHAN_CTRL_OFFSET, &control);
    return error ? error : arqlink_write(&channel->at, ARQCHAN_CTRL_OFFSET, (control & ~clear) | set);
}

int arqlink_channel_set_loss(const struct arqlink_channel *channel, arqlink_probability p) {
    int error = arqlink_write(&channel->at, ARQCHAN_P_GOOD_OFFSET, p);
    if (error) return error;
    return put_control(channel, ARQCHAN_CTRL_ENABLE_MASK | ARQCHAN_CTRL_GILBERT_ELLIOTT_MASK,
                       p ? ARQCHAN_CTRL_ENABLE_MASK : 0u);
}

int arqlink_channel_set_outage(const struct arqlink_channel *channel, bool outage) {
    return put_control(channel, ARQCHAN_CTRL_OUTAGE_MASK, outage ? ARQCHAN_CTRL_OUTAGE_MASK : 0u);
}

int arqlink_channel_seed(const struct arqlink_channel *channel, uint32_t seed) {
    return arqlink_write(&channel->at, ARQCHAN_SEED_OFFSET, seed);
}

int arqlink_channel_get_counts(const struct arqlink_channel *channel, struct arqlink_channel_counts *counts) {
    uint32_t row[6]; /* UNITS to CONTROL_ERASED, PACE, BEATS_LOST */
    int error = arqlink_read_row(&channel->at, ARQCHAN_UNITS_OFFSET, 6, row);
    if (!error) *counts = (struct arqlink_channel_counts){row[0], row[1], row[2], row[3], row[5]};
    return error;
}

_Static_assert(ARQCHAN_BEATS_LOST_OFFSET == ARQCHAN_UNITS_OFFSET + 20u, "these registers are in a row");
