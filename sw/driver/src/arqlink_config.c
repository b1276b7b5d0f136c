/* SPDX-License-Identifier: Apache-2.0 */
/* Code, persistency, order: staged, applied in one clock, verified. */
#include "arqlink_access.h"

#define CODE_MASK \
    (ARQLINK_CODE_K_MASK | ARQLINK_CODE_N_FIRST_MASK | ARQLINK_CODE_N_RETX_MASK | ARQLINK_CODE_PRESET_MASK)
#define ARQ_MASK (ARQLINK_ARQ_DELTA_MASK | ARQLINK_ARQ_ORD_MASK | ARQLINK_ARQ_OUTAGE_FREEZE_MASK)

/** Registers CODE and ARQ, or ACTIVE_CODE and ACTIVE_ARQ. */
struct staging {
    uint32_t code, arq;
};

static bool valid_n(const struct arqlink_limits *limits, uint32_t k, uint32_t n) {
    return n >= k && n - k <= limits->max_parity && n <= 255u;
}

static bool valid(const struct arqlink_limits *limits, const struct arqlink_config *c) {
    return c->k >= 1 && c->k <= limits->max_k && valid_n(limits, c->k, c->n_first) && valid_n(limits, c->k, c->n_retx) &&
           c->preset <= 2 && ((limits->presets >> c->preset) & 1) && c->delta <= ARQLINK_PERSISTENCY_INFINITE;
}

static struct staging pack(const struct arqlink_config *c) {
    return (struct staging){
        .code = ARQLINK_PLACE(ARQLINK_CODE_K, c->k) | ARQLINK_PLACE(ARQLINK_CODE_N_FIRST, c->n_first) |
                ARQLINK_PLACE(ARQLINK_CODE_N_RETX, c->n_retx) | ARQLINK_PLACE(ARQLINK_CODE_PRESET, c->preset),
        .arq = ARQLINK_PLACE(ARQLINK_ARQ_DELTA, c->delta) | ARQLINK_PLACE(ARQLINK_ARQ_ORD, c->ordered) |
               ARQLINK_PLACE(ARQLINK_ARQ_OUTAGE_FREEZE, c->outage_freeze),
    };
}

static int read_pair(const struct arqlink_device *device, uint32_t code, uint32_t arq, struct staging *value) {
    int error = arqlink_read(device, code, &value->code);
    return error ? error : arqlink_read(device, arq, &value->arq);
}

static int stage(const struct arqlink_device *device, const struct staging *value) {
    int error = arqlink_write(device, ARQLINK_CODE_OFFSET, value->code);
    return error ? error : arqlink_write(device, ARQLINK_ARQ_OFFSET, value->arq);
}

int arqlink_get_config(const struct arqlink_device *device, struct arqlink_config *config) {
    struct staging active;
    int error = read_pair(device, ARQLINK_ACTIVE_CODE_OFFSET, ARQLINK_ACTIVE_ARQ_OFFSET, &active);
    if (error) return error;
    config->k = (uint8_t)ARQLINK_FIELD(ARQLINK_CODE_K, active.code);
    config->n_first = (uint8_t)ARQLINK_FIELD(ARQLINK_CODE_N_FIRST, active.code);
    config->n_retx = (uint8_t)ARQLINK_FIELD(ARQLINK_CODE_N_RETX, active.code);
    config->preset = (uint8_t)ARQLINK_FIELD(ARQLINK_CODE_PRESET, active.code);
    config->delta = (uint8_t)ARQLINK_FIELD(ARQLINK_ARQ_DELTA, active.arq);
    config->ordered = (active.arq & ARQLINK_ARQ_ORD_MASK) != 0;
    config->outage_freeze = (active.arq & ARQLINK_ARQ_OUTAGE_FREEZE_MASK) != 0;
    return 0;
}

/* Tells whether the hardware took what was staged. */
static int verify(const struct arqlink_device *device, const struct staging *wanted) {
    uint32_t status;
    struct staging active;
    int error = arqlink_read(device, ARQLINK_STATUS_OFFSET, &status);
    if (error) return error;
    if (status & ARQLINK_STATUS_APPLY_REJECTED_MASK) return -ARQLINK_EINVAL;
    if ((error = read_pair(device, ARQLINK_ACTIVE_CODE_OFFSET, ARQLINK_ACTIVE_ARQ_OFFSET, &active))) return error;
    return (active.code & CODE_MASK) == wanted->code && (active.arq & ARQ_MASK) == wanted->arq ? 0 : -ARQLINK_EIO;
}

int arqlink_set_config(const struct arqlink_device *device, const struct arqlink_config *config) {
    if (!valid(&device->limits, config)) return -ARQLINK_EINVAL;
    const struct staging wanted = pack(config);
    struct staging before;
    int error = read_pair(device, ARQLINK_CODE_OFFSET, ARQLINK_ARQ_OFFSET, &before);
    if (error) return error;
    error = stage(device, &wanted);
    if (!error) error = arqlink_write(device, ARQLINK_APPLY_OFFSET, ARQLINK_APPLY_APPLY_MASK);
    if (!error) error = verify(device, &wanted);
    if (error) (void)stage(device, &before); /* the first error is the one to report */
    return error;
}

int arqlink_set_code(const struct arqlink_device *device, uint32_t k, uint32_t n_first, uint32_t n_retx) {
    if (k > 255u || n_first > 255u || n_retx > 255u) return -ARQLINK_EINVAL;
    struct arqlink_config config;
    int error = arqlink_get_config(device, &config);
    if (error) return error;
    config.k = (uint8_t)k;
    config.n_first = (uint8_t)n_first;
    config.n_retx = (uint8_t)n_retx;
    return arqlink_set_config(device, &config);
}

int arqlink_set_persistency(const struct arqlink_device *device, uint32_t delta) {
    if (delta > ARQLINK_PERSISTENCY_INFINITE) return -ARQLINK_EINVAL;
    struct arqlink_config config;
    int error = arqlink_get_config(device, &config);
    if (error) return error;
    config.delta = (uint8_t)delta;
    return arqlink_set_config(device, &config);
}

int arqlink_set_ordered(const struct arqlink_device *device, bool ordered) {
    struct arqlink_config config;
    int error = arqlink_get_config(device, &config);
    if (error) return error;
    config.ordered = ordered;
    return arqlink_set_config(device, &config);
}

int arqlink_set_preset(const struct arqlink_device *device, uint32_t preset) {
    if (preset > 2u) return -ARQLINK_EINVAL;
    struct arqlink_config config;
    int error = arqlink_get_config(device, &config);
    if (error) return error;
    config.preset = (uint8_t)preset;
    return arqlink_set_config(device, &config);
}

int arqlink_set_outage_freeze(const struct arqlink_device *device, bool freeze) {
    struct arqlink_config config;
    int error = arqlink_get_config(device, &config);
    if (error) return error;
    config.outage_freeze = freeze;
    return arqlink_set_config(device, &config);
}
