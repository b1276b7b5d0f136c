/* SPDX-License-Identifier: Apache-2.0 */
/* Brings both ends up with arqlink's driver, and obeys one-letter commands on LiteX's UART:
 *   sKNDP  code and persistency of both ends, and the line's losses: K, N, delta (9: infinite), one of P units is erased (0: none)
 *   cENN   a counter of end E (a or b), the NN-th from 00 on of rtl/regs/registers.md
 *   e      events of end A that its interrupt has brought since the last e
 *   r      restarts end A
 * Each is answered with its value in hexadecimal, if it has one, and "ok", or with "error" and the driver's number. */
#include <generated/csr.h>
#include <generated/mem.h>
#include <generated/soc.h>
#include <irq.h>

#include "arqlink.h"

#define EVENTS (ARQLINK_ERROR_LINK_UP_MASK | ARQLINK_ERROR_DROP_ABORT_MASK)

static struct arqlink_device a;
static struct arqlink_device b;
static volatile uint32_t events;

/* LiteX's start-up code calls it for each interrupt. */
void isr(void) {
    if (irq_pending() & irq_getmask() & (1u << LINK_A_INTERRUPT)) {
        uint32_t seen = 0;
        if (arqlink_irq_pending(&a, &seen) == 0) {
            events |= seen & EVENTS;
            arqlink_irq_ack(&a, seen);
        }
    }
}

static void put(const char *text) {
    for (; *text; text++) {
        while (uart_txfull_read()) {
        }
        uart_rxtx_write((uint8_t)*text);
    }
}

static void put_hex(uint32_t value) {
    char text[9] = {0};
    for (unsigned i = 0; i < 8; i++) {
        text[i] = "0123456789abcdef"[value >> (28 - 4 * i) & 15u];
    }
    put(text);
    put("\n");
}

static char get(void) {
    while (uart_rxempty_read()) {
    }
    char byte = (char)uart_rxtx_read();
    uart_ev_pending_write(2); /* takes it from the queue */
    return byte;
}

static uint32_t digit(void) { return (uint32_t)(get() - '0'); }

static void answer(int error) {
    if (error) {
        put("error ");
        put_hex((uint32_t)-error);
    } else {
        put("ok\n");
    }
}

/* Microseconds, of LiteX's timer, which counts clocks down. */
static uint32_t now(void *context) {
    static uint32_t seen, microseconds;
    const uint32_t scale = CONFIG_CLOCK_FREQUENCY / 1000000;
    (void)context;
    timer0_update_value_write(1);
    uint32_t passed = (~timer0_value_read() - seen) / scale;
    seen += passed * scale;
    return microseconds += passed;
}

/* Finds an end and leaves it down, with timers for a short line. */
static int prepare(struct arqlink_device *end, uintptr_t base) {
    struct arqlink_bus bus;
    const struct arqlink_timers timers = {
        .poll = 2000, .hello = 500, .keepalive = 2000, .outage_timeout = 100000, .status_interval = 0};
    arqlink_mmio_bus(&bus, base);
    bus.now = now;
    int error = arqlink_probe(end, &bus, 0);
    if (error == 0) error = arqlink_init(end);
    return error ? error : arqlink_set_timers(end, &timers);
}

static int bring_up(void) {
    int error = prepare(&a, LINK_A_BASE);
    if (error == 0) error = prepare(&b, LINK_B_BASE);
    if (error == 0) error = arqlink_irq_enable(&a, EVENTS);
    if (error == 0) error = arqlink_start(&a);
    if (error == 0) error = arqlink_start(&b);
    if (error == 0) error = arqlink_wait_up(&a, 10000);
    return error ? error : arqlink_wait_up(&b, 10000); /* 10 ms each */
}

static int set(uint32_t k, uint32_t n, uint32_t delta, uint32_t period) {
    struct arqlink_device *const ends[] = {&a, &b};
    for (unsigned i = 0; i < 2; i++) {
        int error = arqlink_set_code(ends[i], k, n, n);
        if (error == 0) error = arqlink_set_persistency(ends[i], delta == 9 ? ARQLINK_PERSISTENCY_INFINITE : delta);
        if (error) return error;
    }
    line_ab_period_write(period);
    line_ba_period_write(period);
    return 0;
}

static int print_counter(const struct arqlink_device *end, uint32_t index) {
    const uint8_t selected = (uint8_t)index;
    uint64_t value = 0;
    int error = arqlink_read_selected(end, false, &selected, 1, &value);
    if (error == 0) put_hex((uint32_t)value);
    return error;
}

static int obey(char command) {
    if (command == 's') {
        uint32_t k = digit(), n = digit(), delta = digit();
        return set(k, n, delta, digit());
    }
    if (command == 'c') {
        const struct arqlink_device *end = get() == 'b' ? &b : &a;
        uint32_t tens = digit();
        return print_counter(end, 10 * tens + digit());
    }
    if (command == 'e') {
        irq_setie(0);
        uint32_t seen = events;
        events = 0;
        irq_setie(1);
        put_hex(seen);
        return 0;
    }
    return command == 'r' ? arqlink_restart(&a) : -ARQLINK_EINVAL;
}

int main(void) {
    timer0_reload_write(UINT32_MAX);
    timer0_load_write(UINT32_MAX);
    timer0_en_write(1);
    irq_setmask(1u << LINK_A_INTERRUPT);
    link_a_ev_enable_write(1);
    irq_setie(1);
    answer(bring_up());
    for (;;) {
        answer(obey(get()));
    }
}
