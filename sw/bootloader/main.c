/* SPDX-License-Identifier: Apache-2.0 */
/* The boot loader (docs/soc.md): takes an image from the UART if one is offered in time, else starts the one in RAM. */
#include "arqlink_regs.h"
#include "image.h"
#include "soc.h"
#include "uart.h"

#define SYSTEM(name) soc_get(SOC_SYSTEM_BASE + ARQSYS_##name##_OFFSET)

void start_image(uint32_t entry);

/* Waits for the four bytes that ask for a download; whatever else comes is ignored. `forever`: without end. */
static int is_asked(uint32_t clocks, int forever) {
    static const uint8_t request[4] = {'A', 'R', 'Q', 'D'};
    uint32_t start = soc_get(SOC_TIMER_BASE + ARQTIMER_TIME_LOW_OFFSET);
    unsigned matched = 0;
    do {
        int byte = uart_get();
        if (byte < 0) {
            continue;
        }
        /* No byte of the request comes twice in it, so only its first can begin a new match. */
        matched = byte == request[matched] ? matched + 1 : byte == request[0];
        if (matched == sizeof request) {
            return 1;
        }
    } while (forever || soc_get(SOC_TIMER_BASE + ARQTIMER_TIME_LOW_OFFSET) - start < clocks);
    return 0;
}

/* 0 if a byte did not come in time. */
static int take(uint8_t *to, uint32_t bytes, uint32_t clocks) {
    for (uint32_t i = 0; i < bytes; i++) {
        int byte = uart_wait(clocks);
        if (byte < 0) {
            return 0;
        }
        to[i] = (uint8_t)byte;
    }
    return 1;
}

static void report(enum image_fault fault) {
    switch (fault) {
    case IMAGE_BAD_MAGIC: uart_text("ERROR no image\r\n"); break;
    case IMAGE_BAD_HEADER: uart_text("ERROR header CRC\r\n"); break;
    case IMAGE_BAD_LENGTH: uart_text("ERROR length\r\n"); break;
    case IMAGE_BAD_BODY: uart_text("ERROR body CRC\r\n"); break;
    case IMAGE_GOOD: uart_text("OK\r\n"); break;
    }
}

/* Takes header and body into RAM; 1 if the image is good. What was in RAM is lost once the header has been accepted. */
static int download(struct image_header *ram, uint32_t ram_bytes, uint32_t clocks) {
    struct image_header header;
    uart_text("READY\r\n");
    if (!take((uint8_t *)&header, sizeof header, clocks)) {
        uart_text("ERROR timeout\r\n");
        return 0;
    }
    enum image_fault fault = image_check_header(&header, ram_bytes);
    if (fault == IMAGE_GOOD) {
        ram->magic = 0; /* a reset in the middle must not find half an image */
        uart_text("GO\r\n");
        if (!take((uint8_t *)(ram + 1), header.body_bytes, clocks)) {
            uart_text("ERROR timeout\r\n");
            return 0;
        }
        *ram = header;
        fault = image_check(ram, ram_bytes);
    }
    report(fault);
    return fault == IMAGE_GOOD;
}

int main(void) {
    struct image_header *ram = (struct image_header *)SOC_RAM_BASE;
    uint32_t ram_bytes = SYSTEM(RAM_BYTES);
    uint32_t clocks = SYSTEM(BOOT_WAIT);

    uart_text("arqlink boot\r\n");
    int asked = is_asked(clocks, 0);
    if (!asked) {
        enum image_fault fault = image_check(ram, ram_bytes);
        if (fault == IMAGE_GOOD) {
            start_image((uint32_t)(ram + 1));
        }
        report(fault);
    }
    for (;;) {
        if ((asked || is_asked(0, 1)) && download(ram, ram_bytes, clocks)) {
            start_image((uint32_t)(ram + 1));
        }
        asked = 0;
    }
}
