/* SPDX-License-Identifier: Apache-2.0 */
/* Code, persistency, order: staged, applied in one clock, verified. */
#include "arqlink_access.h"

/* A setting is the content of registers CODE and ARQ, or ACTIVE_CODE and ACTIVE_ARQ. APPLY follows the first two. */
enum { CODE, ARQ, APPLY };
_Static_assert(ARQLINK_ARQ_OFFSET == ARQLINK_CODE_OFFSET + 4u * ARQ &&
                   ARQLINK_APPLY_OFFSET == ARQLINK_CODE_OFFSET + 4u * APPLY &&
                   ARQLINK_ACTIVE_ARQ_OFFSET == ARQLINK_ACTIVE_CODE_OFFSET + 4u * ARQ,
               "these registers are in a row");

static int read_active(const struct arqlink_device *device, uint32_t *setting) {
    return arqlink_read_row(&device->at, ARQLINK_ACTIVE_CODE_OFFSET, 2, setting);
}

/* The preset and delta may have come in with more bits than their fields have. */
static bool valid(const struct arqlink_limits *limits, uint32_t code, uint32_t arq) {
    const uint32_t k = ARQLINK_FIELD(ARQLINK_CODE_K, code), preset = code >> ARQLINK_CODE_PRESET_SHIFT;
    return k >= 1 && k <= limits->max_k && ARQLINK_FIELD(ARQLINK_CODE_N_FIRST, code) - k <= limits->max_parity &&
           ARQLINK_FIELD(ARQLINK_CODE_N_RETX, code) - k <= limits->max_parity && preset <= 2 &&
           ((limits->presets >> preset) & 1) && (arq & 0xFFu) <= ARQLINK_PERSISTENCY_INFINITE;
}

/* Checks that what was staged has become active. */
static int verify(const struct arqlink_device *device, const uint32_t *wanted) {
    uint32_t status, active[2];
    int error = arqlink_read(&device->at, ARQLINK_STATUS_OFFSET, &status);
    if (error) return error;
    if (status & ARQLINK_STATUS_APPLY_REJECTED_MASK) return -ARQLINK_EINVAL;
    if ((error = read_active(device, active))) return error;
    return active[CODE] == wanted[CODE] && active[ARQ] == wanted[ARQ] ? 0 : -ARQLINK_EREMOTEIO;
}

/* Applies the active setting with other bits where the masks are set. */
static int change(const struct arqlink_device *device, uint32_t code_mask, uint32_t code, uint32_t arq_mask,
                  uint32_t arq) {
    uint32_t staged[2], old[3], wanted[3];
    int error = arqlink_read_row(&device->at, ARQLINK_CODE_OFFSET, 2, staged);
    if (!error) error = read_active(device, old);
    if (error) return error;
    wanted[CODE] = (old[CODE] & ~code_mask) | code;
    wanted[ARQ] = (old[ARQ] & ~arq_mask) | arq;
    old[APPLY] = wanted[APPLY] = ARQLINK_APPLY_APPLY_MASK;
    if (!valid(&device->limits, wanted[CODE], wanted[ARQ])) return -ARQLINK_EINVAL;
    error = arqlink_write_row(&device->at, ARQLINK_CODE_OFFSET, 3, wanted);
    if (!error) error = verify(device, wanted);
    if (!error) return 0;
    /* What fails here is not reported: the first error is the one to report. */
    if (error != -ARQLINK_EINVAL) /* the hardware's alone; the bus's is another one */
        (void)arqlink_write_row(&device->at, ARQLINK_CODE_OFFSET, 3, old); /* it may have been applied */
    (void)arqlink_write_row(&device->at, ARQLINK_CODE_OFFSET, 2, staged);
    return error;
}

int arqlink_get_config(const struct arqlink_device *device, struct arqlink_config *config) {
    uint32_t active[2];
    int error = read_active(device, active);
    if (error) return error;
    config->k = (uint8_t)ARQLINK_FIELD(ARQLINK_CODE_K, active[CODE]);
    config->n_first = (uint8_t)ARQLINK_FIELD(ARQLINK_CODE_N_FIRST, active[CODE]);
    config->n_retx = (uint8_t)ARQLINK_FIELD(ARQLINK_CODE_N_RETX, active[CODE]);
    config->preset = (uint8_t)ARQLINK_FIELD(ARQLINK_CODE_PRESET, active[CODE]);
    config->delta = (uint8_t)ARQLINK_FIELD(ARQLINK_ARQ_DELTA, active[ARQ]);
    config->ordered = (active[ARQ] & ARQLINK_ARQ_ORD_MASK) != 0;
    config->outage_freeze = (active[ARQ] & ARQLINK_ARQ_OUTAGE_FREEZE_MASK) != 0;
    return 0;
}

int arqlink_set_config(const struct arqlink_device *device, const struct arqlink_config *c) {
    return change(device, UINT32_MAX,
                  ARQLINK_PLACE(ARQLINK_CODE_K, c->k) | ARQLINK_PLACE(ARQLINK_CODE_N_FIRST, c->n_first) |
                      ARQLINK_PLACE(ARQLINK_CODE_N_RETX, c->n_retx) | ARQLINK_PLACE(ARQLINK_CODE_PRESET, c->preset),
                  UINT32_MAX,
                  ARQLINK_PLACE(ARQLINK_ARQ_DELTA, c->delta) | ARQLINK_PLACE(ARQLINK_ARQ_ORD, c->ordered) |
                      ARQLINK_PLACE(ARQLINK_ARQ_OUTAGE_FREEZE, c->outage_freeze));
}

int arqlink_set_code(const struct arqlink_device *device, uint32_t k, uint32_t n_first, uint32_t n_retx) {
    if ((k | n_first | n_retx) > 255u) return -ARQLINK_EINVAL;
    return change(device, ARQLINK_CODE_K_MASK | ARQLINK_CODE_N_FIRST_MASK | ARQLINK_CODE_N_RETX_MASK,
                  ARQLINK_PLACE(ARQLINK_CODE_K, k) | ARQLINK_PLACE(ARQLINK_CODE_N_FIRST, n_first) |
                      ARQLINK_PLACE(ARQLINK_CODE_N_RETX, n_retx),
                  0, 0);
}

int arqlink_set_persistency(const struct arqlink_device *device, uint32_t delta) {
    if (delta > ARQLINK_PERSISTENCY_INFINITE) return -ARQLINK_EINVAL;
    return change(device, 0, 0, ARQLINK_ARQ_DELTA_MASK, ARQLINK_PLACE(ARQLINK_ARQ_DELTA, delta));
}

int arqlink_set_ordered(const struct arqlink_device *device, bool ordered) {
    return change(device, 0, 0, ARQLINK_ARQ_ORD_MASK, ARQLINK_PLACE(ARQLINK_ARQ_ORD, ordered));
}

int arqlink_set_preset(const struct arqlink_device *device, uint32_t preset) {
    if (preset > 2u) return -ARQLINK_EINVAL;
    return change(device, ARQLINK_CODE_PRESET_MASK, ARQLINK_PLACE(ARQLINK_CODE_PRESET, preset), 0, 0);
}

int arqlink_set_outage_freeze(const struct arqlink_device *device, bool freeze) {
    return change(device, 0, 0, ARQLINK_ARQ_OUTAGE_FREEZE_MASK, ARQLINK_PLACE(ARQLINK_ARQ_OUTAGE_FREEZE, freeze));
}
