/* SPDX-License-Identifier: Apache-2.0 */
/* Self-test of a pair: generated packets from A to B across a lossy channel. */
#include "arqlink_access.h"
#include "arqlink_channel.h"

/* A traffic port's settings, in the order of their registers. */
static const uint32_t trafficSettings[] = {ARQTRAF_LENGTH_MIN_OFFSET, ARQTRAF_LENGTH_MAX_OFFSET, ARQTRAF_GAP_OFFSET,
                                           ARQTRAF_COUNT_OFFSET, ARQTRAF_SINK_READY_OFFSET};
#define SETTINGS (sizeof trafficSettings / sizeof trafficSettings[0])

/** All that the test changes, and where it is. */
struct bench {
    const struct arqlink_device *device;
    struct arqlink_channel channel;
    struct arqlink_config config;
    struct arqlink_channel_config channel_config;
    uint32_t traffic[2][SETTINGS];
    uint32_t erased; /* count before the test */
};

static const uint32_t ports[2] = {ARQLINK_PAIR_TRAFFIC_A, ARQLINK_PAIR_TRAFFIC_B};

static int expect_id(const struct arqlink_device *device, uint32_t offset, uint32_t wanted) {
    uint32_t id;
    int error = arqlink_read(device, offset, &id);
    return error ? error : id == wanted ? 0 : -ARQLINK_ENODEV;
}

static int find(struct bench *bench) {
    const struct arqlink_device *device = bench->device;
    int error = expect_id(device, ARQLINK_PAIR_LINK_A + ARQLINK_ID_OFFSET, ARQLINK_ID_RESET);
    if (!error) error = expect_id(device, ARQLINK_PAIR_LINK_B + ARQLINK_ID_OFFSET, ARQLINK_ID_RESET);
    if (!error) error = expect_id(device, ARQLINK_PAIR_TRAFFIC_A + ARQTRAF_ID_OFFSET, ARQTRAF_ID_RESET);
    if (!error) error = expect_id(device, ARQLINK_PAIR_TRAFFIC_B + ARQTRAF_ID_OFFSET, ARQTRAF_ID_RESET);
    if (!error) error = arqlink_channel_probe(&bench->channel, &device->bus, device->base + ARQLINK_PAIR_CHANNEL_AB);
    return error;
}

static int save(struct bench *bench) {
    struct arqlink_channel_counts counts = {0};
    int error = arqlink_get_config(bench->device, &bench->config);
    if (!error) error = arqlink_channel_get(&bench->channel, &bench->channel_config);
    if (!error) error = arqlink_channel_get_counts(&bench->channel, &counts);
    if (!error) bench->erased = counts.erased;
    for (unsigned port = 0; port < 2; ++port) {
        uint32_t control;
        if (!error) error = arqlink_read(bench->device, ports[port] + ARQTRAF_CTRL_OFFSET, &control);
        if (!error && control & (ARQTRAF_CTRL_GENERATE_MASK | ARQTRAF_CTRL_CHECK_MASK)) error = -ARQLINK_EBUSY;
        for (unsigned i = 0; !error && i < SETTINGS; ++i)
            error = arqlink_read(bench->device, ports[port] + trafficSettings[i], &bench->traffic[port][i]);
    }
    return error;
}

static void keep_first(int *error, int next) {
    if (!*error) *error = next;
}

/* Goes on after an error, so that as much as possible is as before. */
static int restore(const struct bench *bench) {
    int error = 0;
    for (unsigned port = 0; port < 2; ++port) {
        keep_first(&error, arqlink_write(bench->device, ports[port] + ARQTRAF_CTRL_OFFSET, 0));
        for (unsigned i = 0; i < SETTINGS; ++i)
            keep_first(&error, arqlink_write(bench->device, ports[port] + trafficSettings[i], bench->traffic[port][i]));
    }
    keep_first(&error, arqlink_channel_set(&bench->channel, &bench->channel_config));
    keep_first(&error, arqlink_set_config(bench->device, &bench->config));
    return error;
}

static int begin(const struct bench *bench, const struct arqlink_selftest *test) {
    const struct arqlink_device *device = bench->device;
    struct arqlink_config config = bench->config;
    struct arqlink_channel_config lossy = bench->channel_config;
    config.delta = ARQLINK_PERSISTENCY_INFINITE;
    config.ordered = true;
    lossy.enable = true;
    lossy.outage = false;
    lossy.gilbert_elliott = false;
    lossy.p_good = test->p;
    int error = arqlink_set_config(device, &config);
    if (!error) error = arqlink_channel_set(&bench->channel, &lossy);
    for (unsigned port = 0; !error && port < 2; ++port)
        error = arqlink_write(device, ports[port] + ARQTRAF_CTRL_OFFSET, ARQTRAF_CTRL_CLEAR_MASK);
    const struct {
        uint32_t offset, value;
    } writes[] = {
        {ARQLINK_PAIR_TRAFFIC_B + ARQTRAF_SINK_READY_OFFSET, UINT32_MAX},
        {ARQLINK_PAIR_TRAFFIC_B + ARQTRAF_CTRL_OFFSET, ARQTRAF_CTRL_CHECK_MASK},
        {ARQLINK_PAIR_TRAFFIC_A + ARQTRAF_LENGTH_MIN_OFFSET, test->packet_bytes},
        {ARQLINK_PAIR_TRAFFIC_A + ARQTRAF_LENGTH_MAX_OFFSET, test->packet_bytes},
        {ARQLINK_PAIR_TRAFFIC_A + ARQTRAF_GAP_OFFSET, 0},
        {ARQLINK_PAIR_TRAFFIC_A + ARQTRAF_COUNT_OFFSET, test->packets},
        {ARQLINK_PAIR_TRAFFIC_A + ARQTRAF_CTRL_OFFSET, ARQTRAF_CTRL_GENERATE_MASK},
    };
    for (unsigned i = 0; !error && i < sizeof writes / sizeof writes[0]; ++i)
        error = arqlink_write(device, writes[i].offset, writes[i].value);
    return error;
}

static int collect(const struct bench *bench, struct arqlink_selftest_result *result) {
    const struct arqlink_device *device = bench->device;
    struct arqlink_channel_counts counts = {0};
    uint32_t row[4] = {0}; /* LOST to ABORTED */
    int error = arqlink_read(device, ARQLINK_PAIR_TRAFFIC_A + ARQTRAF_SENT_OFFSET, &result->sent);
    if (!error) error = arqlink_read(device, ARQLINK_PAIR_TRAFFIC_B + ARQTRAF_RECEIVED_OFFSET, &result->received);
    if (!error) error = arqlink_read_row(&device->bus, device->base + ARQLINK_PAIR_TRAFFIC_B + ARQTRAF_LOST_OFFSET, 4, row);
    result->lost = row[0];
    result->disordered = row[1];
    result->corrupt = row[2];
    result->aborted = row[3];
    if (!error) error = arqlink_channel_get_counts(&bench->channel, &counts);
    if (!error) result->erased = counts.erased - bench->erased;
    return error;
}

static int await(const struct bench *bench, const struct arqlink_selftest *test) {
    for (uint32_t i = 0; i < test->wait_reads; ++i) {
        uint32_t received;
        int error = arqlink_read(bench->device, ARQLINK_PAIR_TRAFFIC_B + ARQTRAF_RECEIVED_OFFSET, &received);
        if (error) return error;
        if (received >= test->packets) return 0;
    }
    return -ARQLINK_ETIMEDOUT;
}

static int judge(const struct arqlink_selftest *test, const struct arqlink_selftest_result *r) {
    const bool good = r->sent == test->packets && r->received == test->packets && r->lost == 0 && r->disordered == 0 &&
                      r->corrupt == 0 && r->aborted == 0 && r->erased != 0;
    return good ? 0 : -ARQLINK_EIO;
}

int arqlink_selftest_run(const struct arqlink_device *device, const struct arqlink_selftest *test,
                         struct arqlink_selftest_result *result) {
    if (test->packets == 0 || test->packet_bytes < 8u || test->packet_bytes > device->limits.max_packet_bytes ||
        test->p == 0 || test->wait_reads == 0)
        return -ARQLINK_EINVAL;
    struct bench bench = {.device = device};
    struct arqlink_status status;
    int error = find(&bench);
    if (!error) error = arqlink_get_status(device, &status);
    if (!error && status.state != ARQLINK_UP) error = -ARQLINK_ENETDOWN;
    if (!error) error = save(&bench);
    if (error) return error;

    *result = (struct arqlink_selftest_result){0};
    error = begin(&bench, test);
    if (!error) error = await(&bench, test);
    const int collected = collect(&bench, result);
    if (!error) error = collected;
    if (!error) error = judge(test, result);
    const int restored = restore(&bench);
    return error ? error : restored;
}
