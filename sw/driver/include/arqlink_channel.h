/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Channel emulator of ArqPair, and the self-test that sends packets through it. Context and errors as in arqlink.h.
 */
#ifndef ARQLINK_CHANNEL_H
#define ARQLINK_CHANNEL_H

#include "arqlink.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Address map of ArqPair, bytes from the start of its window. */
#define ARQLINK_PAIR_LINK_A 0x0000u
#define ARQLINK_PAIR_LINK_B 0x1000u
#define ARQLINK_PAIR_CHANNEL_AB 0x2000u
#define ARQLINK_PAIR_CHANNEL_BA 0x3000u
#define ARQLINK_PAIR_TRAFFIC_A 0x4000u
#define ARQLINK_PAIR_TRAFFIC_B 0x5000u

/** Probability p as 32 bits: p times 2^32; 0xFFFFFFFF is 1. */
typedef uint32_t arqlink_probability;

/** Least delay of the emulator, clocks. */
#define ARQLINK_CHANNEL_MIN_DELAY 4u

/** One direction. */
struct arqlink_channel {
    struct arqlink_block at;
};

enum arqlink_erasure {
    ARQLINK_ERASE_VANISH = 0,
    ARQLINK_ERASE_FLIP = 1, /**< a bit is flipped */
    ARQLINK_ERASE_FLAG = 2, /**< tuser */
    ARQLINK_ERASE_MIXED = 3
};

struct arqlink_channel_config {
    bool enable;          /**< units are erased at random */
    bool outage;          /**< every unit that begins vanishes */
    bool gilbert_elliott; /**< two states; false: p_good alone, Bernoulli */
    bool spare_control;   /**< control units are erased by an outage only */
    enum arqlink_erasure erasure;
    uint32_t delay; /**< clocks, ARQLINK_CHANNEL_MIN_DELAY to the built depth - 1, or 0: least; a change empties it */
    arqlink_probability p_good, p_bad; /**< erasure probability of a unit in either state */
    arqlink_probability p_gb, p_bg;    /**< transition probabilities per unit */
    uint32_t pace;                     /**< clocks between beats accepted, 0 = every clock */
};

struct arqlink_channel_counts {
    uint32_t units, erased;                 /**< data units (every type but 1); they wrap */
    uint32_t control_units, control_erased; /**< control units (type 1) */
    uint32_t beats_lost;                    /**< beats that the receiver was not ready for */
};

/** Finds an emulator. -EINVAL no `read` or `write` in `bus`; -ENODEV. */
int arqlink_channel_probe(struct arqlink_channel *channel, const struct arqlink_bus *bus, uint32_t base);

int arqlink_channel_get(const struct arqlink_channel *channel, struct arqlink_channel_config *config);

/**
 * Sets everything. CTRL is written last; registers are written only where they differ, because a write of DELAY empties the
 * channel. -EINVAL a value beyond its range, or a delay beyond the built depth: then nothing is changed.
 */
int arqlink_channel_set(const struct arqlink_channel *channel, const struct arqlink_channel_config *config);

/** Bernoulli erasures of probability p, all else unchanged; p = 0 erases nothing. */
int arqlink_channel_set_loss(const struct arqlink_channel *channel, arqlink_probability p);

/** Begins or ends an outage, all else unchanged. */
int arqlink_channel_set_outage(const struct arqlink_channel *channel, bool outage);

/** Restarts the random numbers, in the good state. */
int arqlink_channel_seed(const struct arqlink_channel *channel, uint32_t seed);

int arqlink_channel_get_counts(const struct arqlink_channel *channel, struct arqlink_channel_counts *counts);

struct arqlink_selftest {
    uint32_t packets;                 /**< at least 1 */
    uint32_t packet_bytes;            /**< 8 up to the built longest packet */
    arqlink_probability p;            /**< erasure probability of the channel A to B; above 0 */
    uint32_t wait;                    /**< microseconds without a new packet before the test gives up, 1 to 2^31 */
    bool (*cancelled)(void *context); /**< asked at each look for packets; true ends the test. NULL: never */
    void *context;                    /**< for `cancelled` */
};

struct arqlink_selftest_result {
    uint32_t sent, received;                     /**< packets */
    uint32_t lost, disordered, corrupt, aborted; /**< packets */
    uint32_t erased;                             /**< data units that the channel erased meanwhile */
};

/**
 * Sends generated packets from A to B of an ArqPair at `device->base` across a lossy channel with infinite persistency, in
 * sequence, and checks them. The link must be up, and nothing else may send from A to B. It sleeps for a millisecond between two looks
 * if the bus can. Code, channel and traffic settings are
 * restored, whatever happens; the traffic counts are left as they are.
 * `result` is filled as far as the test came. Errors: -EINVAL, also if the bus has no `now`; -ENODEV no pair there; -ENETDOWN; -EBUSY a generator or checker
 * is running; -ETIMEDOUT not all packets came; -ECANCELED `cancelled` said so; -EREMOTEIO one was lost, changed, out of order or aborted, or the channel erased nothing; -EIO.
 */
int arqlink_selftest_run(const struct arqlink_device *device, const struct arqlink_selftest *test,
                         struct arqlink_selftest_result *result);

#ifdef __cplusplus
}
#endif

#endif
