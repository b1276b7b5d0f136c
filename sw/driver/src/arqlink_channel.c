/* SPDX-License-Identifier: Apache-2.0 */
/* Channel emulator control. */
#include "arqlink_channel.h"

#include "arqlink_access.h"

#define CTRL_MASK \
    (ARQCHAN_CTRL_ENABLE_MASK | ARQCHAN_CTRL_OUTAGE_MASK | ARQCHAN_CTRL_GILBERT_ELLIOTT_MASK | ARQCHAN_CTRL_SPARE_CONTROL_MASK)

static int get(const struct arqlink_channel *channel, uint32_t offset, uint32_t *value) {
    return channel->bus.read(channel->bus.context, channel->base + offset, value);
}

static int put(const struct arqlink_channel *channel, uint32_t offset, uint32_t value) {
    return channel->bus.write(channel->bus.context, channel->base + offset, value);
}

static int put_changed(const struct arqlink_channel *channel, uint32_t offset, uint32_t value) {
    uint32_t now;
    int error = get(channel, offset, &now);
    return error || now == value ? error : put(channel, offset, value);
}

static int put_control(const struct arqlink_channel *channel, uint32_t clear, uint32_t set) {
    uint32_t control;
    int error = get(channel, ARQCHAN_CTRL_OFFSET, &control);
    return error ? error : put(channel, ARQCHAN_CTRL_OFFSET, (control & CTRL_MASK & ~clear) | set);
}

int arqlink_channel_probe(struct arqlink_channel *channel, const struct arqlink_bus *bus, uint32_t base) {
    if (!arqlink_bus_valid(bus)) return -ARQLINK_EINVAL;
    const struct arqlink_channel found = {.bus = *bus, .base = base};
    uint32_t id;
    int error = get(&found, ARQCHAN_ID_OFFSET, &id);
    if (error) return error;
    if (id != ARQCHAN_ID_RESET) return -ARQLINK_ENODEV;
    *channel = found;
    return 0;
}

int arqlink_channel_get(const struct arqlink_channel *channel, struct arqlink_channel_config *config) {
    uint32_t row[8]; /* CTRL to P_BG; SEED is not used */
    uint32_t pace;
    int error = arqlink_read_row(&channel->bus, channel->base + ARQCHAN_CTRL_OFFSET, 8, row);
    if (!error) error = get(channel, ARQCHAN_PACE_OFFSET, &pace);
    if (error) return error;
    *config = (struct arqlink_channel_config){
        .enable = (row[0] & ARQCHAN_CTRL_ENABLE_MASK) != 0,
        .outage = (row[0] & ARQCHAN_CTRL_OUTAGE_MASK) != 0,
        .gilbert_elliott = (row[0] & ARQCHAN_CTRL_GILBERT_ELLIOTT_MASK) != 0,
        .spare_control = (row[0] & ARQCHAN_CTRL_SPARE_CONTROL_MASK) != 0,
        .erasure = (enum arqlink_erasure)ARQLINK_FIELD(ARQCHAN_MODE_MODE, row[1]),
        .delay = row[3],
        .p_good = row[4],
        .p_bad = row[5],
        .p_gb = row[6],
        .p_bg = row[7],
        .pace = pace,
    };
    return 0;
}

/* DELAY keeps only the bits that the built depth has, which tells whether a delay fits. */
static int put_delay(const struct arqlink_channel *channel, uint32_t delay) {
    uint32_t before, after;
    int error = get(channel, ARQCHAN_DELAY_OFFSET, &before);
    if (error || before == delay) return error;
    if ((error = put(channel, ARQCHAN_DELAY_OFFSET, delay))) return error;
    if ((error = get(channel, ARQCHAN_DELAY_OFFSET, &after))) return error;
    if (after == delay) return 0;
    error = put(channel, ARQCHAN_DELAY_OFFSET, before);
    return error ? error : -ARQLINK_EINVAL;
}

int arqlink_channel_set(const struct arqlink_channel *channel, const struct arqlink_channel_config *config) {
    if ((uint32_t)config->erasure > ARQLINK_ERASE_MIXED || config->delay > ARQCHAN_DELAY_CLOCKS_MASK ||
        (config->delay != 0 && config->delay < ARQLINK_CHANNEL_MIN_DELAY))
        return -ARQLINK_EINVAL;
    int error = put_delay(channel, config->delay);
    if (!error) error = put_changed(channel, ARQCHAN_MODE_OFFSET, (uint32_t)config->erasure);
    const uint32_t row[4] = {config->p_good, config->p_bad, config->p_gb, config->p_bg};
    for (unsigned i = 0; !error && i < 4; ++i) error = put_changed(channel, ARQCHAN_P_GOOD_OFFSET + 4u * i, row[i]);
    if (!error) error = put_changed(channel, ARQCHAN_PACE_OFFSET, config->pace);
    if (error) return error;
    return put_changed(channel, ARQCHAN_CTRL_OFFSET,
                       ARQLINK_PLACE(ARQCHAN_CTRL_ENABLE, config->enable) |
                           ARQLINK_PLACE(ARQCHAN_CTRL_OUTAGE, config->outage) |
                           ARQLINK_PLACE(ARQCHAN_CTRL_GILBERT_ELLIOTT, config->gilbert_elliott) |
                           ARQLINK_PLACE(ARQCHAN_CTRL_SPARE_CONTROL, config->spare_control));
}

int arqlink_channel_set_loss(const struct arqlink_channel *channel, arqlink_probability p) {
    int error = put(channel, ARQCHAN_P_GOOD_OFFSET, p);
    if (error) return error;
    return put_control(channel, ARQCHAN_CTRL_ENABLE_MASK | ARQCHAN_CTRL_GILBERT_ELLIOTT_MASK,
                       p ? ARQCHAN_CTRL_ENABLE_MASK : 0u);
}

int arqlink_channel_set_outage(const struct arqlink_channel *channel, bool outage) {
    return put_control(channel, ARQCHAN_CTRL_OUTAGE_MASK, outage ? ARQCHAN_CTRL_OUTAGE_MASK : 0u);
}

int arqlink_channel_seed(const struct arqlink_channel *channel, uint32_t seed) {
    return put(channel, ARQCHAN_SEED_OFFSET, seed);
}

int arqlink_channel_get_counts(const struct arqlink_channel *channel, struct arqlink_channel_counts *counts) {
    uint32_t row[4]; /* UNITS to CONTROL_ERASED */
    uint32_t beats_lost;
    int error = arqlink_read_row(&channel->bus, channel->base + ARQCHAN_UNITS_OFFSET, 4, row);
    if (!error) error = get(channel, ARQCHAN_BEATS_LOST_OFFSET, &beats_lost);
    if (!error) *counts = (struct arqlink_channel_counts){row[0], row[1], row[2], row[3], beats_lost};
    return error;
}

_Static_assert(ARQCHAN_P_BG_OFFSET == ARQCHAN_CTRL_OFFSET + 28u && ARQCHAN_CONTROL_ERASED_OFFSET == ARQCHAN_UNITS_OFFSET + 12u,
               "these registers are in a row");
