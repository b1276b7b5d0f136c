/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Driver of one arqlink link end.
 *
 * Freestanding C11: no allocation, no globals, no floating point. All state is in structures of the caller.
 * Every call that can fail returns 0 or a negative ARQLINK_E… value, and ends after a bounded number of register
 * accesses or, where it says so, after a bounded time.
 *
 * Context: no call locks, and only those that wait for a time sleep. Calls on one device must not overlap, so a caller with threads or
 * with an interrupt handler holds a lock around each call or masks the interrupt. No two calls belong together, so more is not needed.
 * Only arqlink_irq_pending, arqlink_irq_ack and arqlink_irq_enable may be used in an interrupt handler while another call on the same
 * device is under way: each is one access, to a register that no other call but arqlink_init writes. All output parameters keep their
 * content when a call fails, unless said otherwise.
 */
#ifndef ARQLINK_H
#define ARQLINK_H

#include <stdbool.h>
#include <stdint.h>

#include "arqlink_regs.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Errors; the numbers are those of Linux. Calls return them negative. A failure of the bus is always ARQLINK_EIO and nothing else is,
 * so the driver's errors cannot be taken for the bus's. */
enum arqlink_error {
    ARQLINK_EIO = 5,         /**< a function of the bus failed, whatever it returned */
    ARQLINK_EBUSY = 16,      /**< in use by somebody else */
    ARQLINK_ENODEV = 19,     /**< another identification than expected: nothing, or something else, is there */
    ARQLINK_EINVAL = 22,     /**< an argument is beyond its range or beyond the built limits */
    ARQLINK_ERANGE = 34,     /**< no setting fulfils what was asked for */
    ARQLINK_EPROTO = 71,     /**< a hardware version, or a state of the link, that this driver does not know */
    ARQLINK_ENETDOWN = 100,  /**< the link is not up */
    ARQLINK_ETIMEDOUT = 110, /**< what was waited for did not come in time */
    ARQLINK_EREMOTEIO = 121, /**< the hardware did not do as it must */
    ARQLINK_ECANCELED = 125  /**< the caller stopped it */
};

/** Persistency delta that never gives a frame up. Finite ones are 0 to 14. */
#define ARQLINK_PERSISTENCY_INFINITE 15u

/**
 * The only way to the hardware, and to the time. docs/driver.md says what has to be looked at in a port.
 */
struct arqlink_bus {
    /** A register at `offset`, in bytes, a multiple of 4, from the start of the window that `context` identifies. Values are in the CPU's
     * order of bytes, and accesses reach the hardware in the order of the calls. 0, or any other number: the access failed. */
    int (*read)(void *context, uint32_t offset, uint32_t *value);
    int (*write)(void *context, uint32_t offset, uint32_t value);
    /** Microseconds since any moment, modulo 2^32. NULL: there is no clock, and the calls that need one return -ARQLINK_EINVAL. */
    uint32_t (*now)(void *context);
    /** Gives the CPU to others for about so many microseconds. NULL: a call that waits keeps looking. */
    void (*sleep)(void *context, uint32_t microseconds);
    void *context;
};

/** Bus of memory-mapped registers that begin at the address `base`: volatile accesses in the CPU's order of bytes, without a barrier.
 * It cannot report bus errors, and has neither `now` nor `sleep`; the caller may add them, `context` is the base. */
void arqlink_mmio_bus(struct arqlink_bus *bus, uintptr_t base);

/** A block of registers. */
struct arqlink_block {
    struct arqlink_bus bus;
    uint32_t base; /**< where the block begins within the bus, bytes */
};

/** What the hardware is built with. */
struct arqlink_limits {
    uint8_t data_bytes;        /**< width of the data streams, bytes */
    uint16_t unit_bytes;       /**< payload of a unit, bytes */
    uint8_t window_log2;       /**< log2 of the window in frames */
    uint8_t max_k;             /**< most data units in a frame */
    uint8_t max_parity;        /**< most parity units in a frame: N - K at most */
    uint8_t presets;           /**< bit i: preset i of the evaluation points is built */
    uint8_t counters;          /**< number of counters */
    uint16_t max_packet_bytes; /**< longest packet, bytes */
    bool packet_crc;           /**< a CRC-32C goes with each packet; the peer must have it too */
};

/** A link end. The caller owns it; all fields are for reading only. */
struct arqlink_device {
    struct arqlink_block at; /**< where its registers are */
    uint32_t version;        /**< as in register VERSION */
    struct arqlink_limits limits;
};

/* ---- probe, start, stop ---- */

/**
 * Finds a link end at `base` of the bus and reads its limits. It changes nothing in the hardware.
 * Errors: -EINVAL no `read` or `write` in `bus`; -ENODEV another ID; -EPROTO another major or minor version, or limits that cannot be;
 * -EIO as in every call.
 */
int arqlink_probe(struct arqlink_device *device, const struct arqlink_bus *bus, uint32_t base);

/** Timers, in clocks. `outage_timeout` 0: silence never counts as an outage. `poll` and `hello` must not be 0, and
 * `keepalive` must be 1 to a quarter of `outage_timeout` unless that is 0 (docs/architecture.md). */
struct arqlink_timers {
    uint32_t poll;            /**< without progress before a poll; a round trip and a few frames */
    uint32_t hello;           /**< between two hellos */
    uint32_t keepalive;       /**< of silence before a keep-alive */
    uint32_t outage_timeout;  /**< without a valid unit before an outage */
    uint32_t status_interval; /**< least distance of two control units that carry new outcomes */
};

int arqlink_get_timers(const struct arqlink_device *device, struct arqlink_timers *timers);

/** Sets all timers, which start anew. Errors: -EINVAL, and then nothing is changed; if the bus fails, the timers before the failure are. */
int arqlink_set_timers(const struct arqlink_device *device, const struct arqlink_timers *timers);

/** Disables and clears all interrupts, and takes the link down: a known state. Code, persistency and timers are kept. */
int arqlink_init(const struct arqlink_device *device);

/** Lets the link come up. It returns at once; see arqlink_wait_up. */
int arqlink_start(const struct arqlink_device *device);

/** Takes the link down. Frames in flight are dropped and counted as flushed. */
int arqlink_stop(const struct arqlink_device *device);

/** Restarts the link with a new epoch; what was queued or in flight is dropped. -ENETDOWN if it is stopped. */
int arqlink_restart(const struct arqlink_device *device);

/** Number of this link, 0 to 3, on a PHY that several links share; 0 after reset. Both ends have the same, and ignore units of the others.
 * To be set before arqlink_start: a link that is up falls silent for its peer. -EINVAL, and then nothing is changed. */
int arqlink_set_link_number(const struct arqlink_device *device, uint32_t number);

enum arqlink_state { ARQLINK_DOWN = 0, ARQLINK_CLEARING = 1, ARQLINK_HELLO = 2, ARQLINK_UP = 3, ARQLINK_OUTAGE = 4 };

struct arqlink_status {
    enum arqlink_state state;
    bool peer_known; /**< `peer_epoch` is valid */
    bool stalled;    /**< window or credit is exhausted */
    bool outage;
    bool apply_rejected; /**< the last APPLY was not valid */
    uint8_t own_epoch;
    uint8_t peer_epoch;
};

/** -EPROTO a state that is none of enum arqlink_state. */
int arqlink_get_status(const struct arqlink_device *device, struct arqlink_status *status);

/**
 * Waits until the link is up, for at most `microseconds`, which may be 0 to 2^31. A link needs a round trip and a few hellos. It sleeps
 * for a millisecond between two looks if the bus can. Errors: -ETIMEDOUT; -EINVAL the bus has no `now`; as arqlink_get_status.
 */
int arqlink_wait_up(const struct arqlink_device *device, uint32_t microseconds);

/* ---- code, persistency, order: one setting that is applied whole or not at all ---- */

struct arqlink_config {
    uint8_t k;          /**< data units in a frame, 1 to max_k */
    uint8_t n_first;    /**< units of a first transmission, k to k + max_parity */
    uint8_t n_retx;     /**< units of a retransmission, k to k + max_parity */
    uint8_t preset;     /**< evaluation points: 0 zfec, 1 RFC 5510, 2 Cauchy; of the built ones */
    uint8_t delta;      /**< persistency: retransmissions of a frame, 0 to 14, or ARQLINK_PERSISTENCY_INFINITE */
    bool ordered;       /**< packets leave in sequence */
    bool outage_freeze; /**< failures of an outage do not count towards delta */
};

/** The active setting. */
int arqlink_get_config(const struct arqlink_device *device, struct arqlink_config *config);

/**
 * Makes a setting active for the next frame, in one clock, or changes nothing: the staging registers, too, get their
 * previous content back. A transmission that is under way is finished as it began.
 * Errors: -EINVAL beyond the limits, or rejected by the hardware; -EREMOTEIO the hardware took it but shows another one; -EIO.
 * After any error the old setting is active: if the new one may have been applied, the old one is applied again. Only where the bus
 * fails a second time, while this is done, the new one may stay; arqlink_get_config shows it.
 */
int arqlink_set_config(const struct arqlink_device *device, const struct arqlink_config *config);

/* The active setting with one aspect changed; errors as arqlink_set_config. */

/** Code rate k/n. */
int arqlink_set_code(const struct arqlink_device *device, uint32_t k, uint32_t n_first, uint32_t n_retx);
/** delta: 0 to 14, or ARQLINK_PERSISTENCY_INFINITE. */
int arqlink_set_persistency(const struct arqlink_device *device, uint32_t delta);
int arqlink_set_ordered(const struct arqlink_device *device, bool ordered);
int arqlink_set_preset(const struct arqlink_device *device, uint32_t preset);
int arqlink_set_outage_freeze(const struct arqlink_device *device, bool freeze);

/* ---- counters: 64 bits; all of one snapshot are of the same clock ---- */

/** Index of a counter, e.g. ARQLINK_COUNT_tx_frames; the names are those of rtl/regs/registers.md. */
enum arqlink_counter {
#define ARQLINK_COUNT_NAME(name, offset) ARQLINK_COUNT_##name = ((offset) - ARQLINK_COUNTER_TX_PACKETS_OFFSET) / 8u,
    ARQLINK_COUNTER_LIST(ARQLINK_COUNT_NAME)
#undef ARQLINK_COUNT_NAME
};

struct arqlink_counters {
    uint64_t value[ARQLINK_COUNTER_COUNT]; /**< by enum arqlink_counter */
};

/**
 * Takes a snapshot and reads `count` counters of it: those of `indices`, each an enum arqlink_counter, in this order. With `clear` all
 * counters are 0 after it. `count` 0 is allowed, and then `indices` and `values` may be NULL.
 * Errors: -EINVAL no such counter, and then there is no snapshot; -ETIMEDOUT the snapshot does not end. After an error the content of
 * `values` is undefined; the counters may have been cleared.
 */
int arqlink_read_selected(const struct arqlink_device *device, bool clear, const uint8_t *indices, uint32_t count,
                          uint64_t *values);

/** The same for all counters. */
int arqlink_read_counters(const struct arqlink_device *device, bool clear, struct arqlink_counters *counters);

/* ---- interrupts: sticky events, ARQLINK_ERROR_…_MASK of the register header ---- */

/** Events that raise the interrupt line; 0: none. -EINVAL an event that does not exist. Interrupt context is allowed. */
int arqlink_irq_enable(const struct arqlink_device *device, uint32_t events);
int arqlink_irq_enabled(const struct arqlink_device *device, uint32_t *events);
/** Events that have happened since they were acknowledged, whether enabled or not. Interrupt context is allowed. */
int arqlink_irq_pending(const struct arqlink_device *device, uint32_t *events);
/** Clears events. -EINVAL an event that does not exist. Interrupt context is allowed. */
int arqlink_irq_ack(const struct arqlink_device *device, uint32_t events);

/**
 * Chooses the counter and the value that set event ARQLINK_ERROR_THRESHOLD_MASK: once when the counter gets to `value`, or at
 * once if it is there. `value` 0: never. An event that is pending stays. -EINVAL no such counter.
 */
int arqlink_set_threshold(const struct arqlink_device *device, uint32_t counter, uint64_t value);

#ifdef __cplusplus
}
#endif

#endif
