/* SPDX-License-Identifier: Apache-2.0 */
/* Self-test of a pair: generated packets from A to B across a lossy channel. */
#include "arqlink_access.h"
#include "arqlink_channel.h"

#define A(name) (ARQLINK_PAIR_TRAFFIC_A + ARQTRAF_##name##_OFFSET)
#define B(name) (ARQLINK_PAIR_TRAFFIC_B + ARQTRAF_##name##_OFFSET)

/* Registers of the traffic ports that the test changes. With the controls first, restoring begins with a stop. */
enum { B_CTRL, A_CTRL, LENGTH_MIN, LENGTH_MAX, GAP, COUNT, SINK_READY, LIST };
static const uint16_t changed[LIST] = {B(CTRL), A(CTRL), A(LENGTH_MIN), A(LENGTH_MAX), A(GAP), A(COUNT), B(SINK_READY)};

/* Where the members of struct arqlink_selftest_result are. */
#define ERASED (ARQLINK_PAIR_CHANNEL_AB + ARQCHAN_ERASED_OFFSET)
static const uint16_t counted[LIST] = {A(SENT), B(RECEIVED), B(LOST), B(DISORDERED), B(CORRUPT), B(ABORTED), ERASED};
union counts {
    struct arqlink_selftest_result result;
    uint32_t word[LIST];
};
_Static_assert(sizeof(union counts) == sizeof(struct arqlink_selftest_result), "all members are counted");

static int keep_first(int error, int next) { return error ? error : next; }

/* Goes on after an error, so that as much as possible is as before. */
static int write_changed(const struct arqlink_device *device, const uint32_t *values) {
    int error = 0;
    for (unsigned i = 0; i < LIST; ++i) error = keep_first(error, arqlink_write(&device->at, changed[i], values[i]));
    return error;
}

/* Looks for the blocks of a pair that the test needs, beside link A. */
static int find(const struct arqlink_device *device, struct arqlink_channel *ab) {
    static const struct {
        uint32_t offset, id;
    } blocks[] = {
        {ARQLINK_PAIR_LINK_B, ARQLINK_ID_RESET},
        {ARQLINK_PAIR_TRAFFIC_A, ARQTRAF_ID_RESET},
        {ARQLINK_PAIR_TRAFFIC_B, ARQTRAF_ID_RESET},
        {ARQLINK_PAIR_CHANNEL_AB, ARQCHAN_ID_RESET}, /* the last one stays in `ab` */
    };
    int error = 0;
    for (unsigned i = 0; !error && i < sizeof blocks / sizeof blocks[0]; ++i)
        error = arqlink_find(&ab->at, &device->at.bus, device->at.base + blocks[i].offset, blocks[i].id);
    return error;
}

static int begin(const struct arqlink_device *device, const struct arqlink_channel *ab,
                 const struct arqlink_selftest *test) {
    uint32_t values[LIST] = {
        [B_CTRL] = ARQTRAF_CTRL_CLEAR_MASK,
        [A_CTRL] = ARQTRAF_CTRL_CLEAR_MASK,
        [LENGTH_MIN] = test->packet_bytes,
        [LENGTH_MAX] = test->packet_bytes,
        [GAP] = 0,
        [COUNT] = test->packets,
        [SINK_READY] = UINT32_MAX,
    };
    int error = arqlink_set_persistency(device, ARQLINK_PERSISTENCY_INFINITE);
    if (!error) error = arqlink_set_ordered(device, true);
    if (!error) error = arqlink_channel_set_outage(ab, false);
    if (!error) error = arqlink_channel_set_loss(ab, test->p);
    if (!error) error = write_changed(device, values);
    values[B_CTRL] = ARQTRAF_CTRL_CHECK_MASK;
    values[A_CTRL] = ARQTRAF_CTRL_GENERATE_MASK;
    return error ? error : write_changed(device, values);
}

/* Waits for all packets as long as they keep coming. */
static int await_packets(const struct arqlink_device *device, const struct arqlink_selftest *test) {
    uint32_t received = 0, latest = arqlink_now(&device->at);
    for (;;) {
        /* The time first: who is held up between the two does not miss a packet that came meanwhile. */
        const uint32_t time = arqlink_now(&device->at);
        uint32_t now;
        int error = arqlink_read(&device->at, B(RECEIVED), &now);
        if (error) return error;
        if (now >= test->packets) return 0;
        if (now != received) latest = time;
        received = now;
        if (test->cancelled && test->cancelled(test->context)) return -ARQLINK_ECANCELED;
        if (time - latest >= test->wait) return -ARQLINK_ETIMEDOUT;
        arqlink_pause(&device->at, test->wait - (time - latest));
    }
}

static int judge(const struct arqlink_selftest *test, const struct arqlink_selftest_result *r) {
    const bool good = r->sent == test->packets && r->received == test->packets &&
                      (r->lost | r->disordered | r->corrupt | r->aborted) == 0 && r->erased != 0;
    return good ? 0 : -ARQLINK_EREMOTEIO;
}

int arqlink_selftest_run(const struct arqlink_device *device, const struct arqlink_selftest *test,
                         struct arqlink_selftest_result *result) {
    if (test->packets == 0 || test->packet_bytes < 8u || test->packet_bytes > device->limits.max_packet_bytes ||
        test->p == 0 || test->wait == 0 || device->at.bus.now == NULL)
        return -ARQLINK_EINVAL;
    struct arqlink_channel ab;
    struct arqlink_config config;
    struct arqlink_channel_config channel_config;
    uint32_t before[LIST], status, erased_before;
    union counts *const now = (union counts *)result;
    int error = find(device, &ab);
    if (!error) error = arqlink_read(&device->at, ARQLINK_STATUS_OFFSET, &status);
    if (!error && ARQLINK_FIELD(ARQLINK_STATUS_STATE, status) != ARQLINK_UP) error = -ARQLINK_ENETDOWN;
    if (!error) error = arqlink_get_config(device, &config);
    if (!error) error = arqlink_channel_get(&ab, &channel_config);
    if (!error) error = arqlink_read_list(&device->at, changed, LIST, before);
    if (!error) error = arqlink_read(&device->at, ERASED, &erased_before); /* the test clears all other counts */
    if (error) return error;
    if ((before[A_CTRL] | before[B_CTRL]) & (ARQTRAF_CTRL_GENERATE_MASK | ARQTRAF_CTRL_CHECK_MASK))
        return -ARQLINK_EBUSY;

    now->result = (struct arqlink_selftest_result){0};
    error = begin(device, &ab, test);
    if (!error) error = await_packets(device, test);
    const int counting = arqlink_read_list(&device->at, counted, LIST, now->word);
    if (!counting) now->result.erased -= erased_before;
    error = keep_first(error, counting);
    if (!error) error = judge(test, result);
    error = keep_first(error, write_changed(device, before));
    error = keep_first(error, arqlink_channel_set(&ab, &channel_config));
    return keep_first(error, arqlink_set_config(device, &config));
}
