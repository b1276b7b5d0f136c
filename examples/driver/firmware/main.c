/* SPDX-License-Identifier: Apache-2.0 */
/* Sets up a link end with arqlink's driver and lets it come up, then shows for ever how it is. There are no interrupts. */
#include "arqlink.h"

#define LINK_BASE 0x80000000u

/* The SoC's own registers, which go to its pins; as in driver_soc.v. */
struct report {
    uint32_t state;    /* 0: begins, 1: the link is set up, 2: it is up, else a negative ARQLINK_E… */
    uint32_t received; /* packets */
    uint32_t erased;   /* units that the modem has marked as bad */
};
#define REPORT ((volatile struct report *)0x90000000u)

/* Round trips of this line take less than 2000 clocks; docs/integration.md says how to choose. */
static const struct arqlink_timers timers = {
    .poll = 4000, .hello = 500, .keepalive = 4000, .outage_timeout = 16000, .status_interval = 0};

static int set_up(struct arqlink_device *link) {
    struct arqlink_bus bus;
    arqlink_mmio_bus(&bus, LINK_BASE);
    int error = arqlink_probe(link, &bus, 0);
    if (error == 0) error = arqlink_init(link);
    if (error == 0) error = arqlink_set_timers(link, &timers);
    if (error == 0) error = arqlink_set_code(link, 4, 5, 6); /* K, N of first transmissions, N of retransmissions */
    if (error == 0) error = arqlink_set_persistency(link, ARQLINK_PERSISTENCY_INFINITE);
    return error ? error : arqlink_start(link);
}

static int show(const struct arqlink_device *link) {
    static const uint8_t shown[] = {ARQLINK_COUNT_rx_packets, ARQLINK_COUNT_rx_erased_flag};
    struct arqlink_status status;
    uint64_t counts[2];
    int error = arqlink_get_status(link, &status);
    if (error == 0) error = arqlink_read_selected(link, false, shown, 2, counts);
    if (error == 0) {
        REPORT->state = status.state == ARQLINK_UP ? 2 : 1;
        REPORT->received = (uint32_t)counts[0];
        REPORT->erased = (uint32_t)counts[1];
    }
    return error;
}

int main(void) {
    struct arqlink_device link;
    int error = set_up(&link);
    while (error == 0) {
        error = show(&link);
    }
    REPORT->state = (uint32_t)error;
    for (;;) {
    }
}
