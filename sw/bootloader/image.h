/* SPDX-License-Identifier: Apache-2.0 */
/* A RAM image: 16 header bytes at the start of RAM, then the body, whose first instruction is the entry. */
#ifndef ARQLINK_IMAGE_H
#define ARQLINK_IMAGE_H

#include <stdint.h>

#define IMAGE_MAGIC 0x49515241u /* "ARQI" in memory */

/* Little-endian words. */
struct image_header {
    uint32_t magic;      /* IMAGE_MAGIC */
    uint32_t body_bytes; /* 4 to size of RAM - 1040: the last KiB is the loader's stack */
    uint32_t body_crc;   /* CRC-32 of the body */
    uint32_t header_crc; /* CRC-32 of the three words before */
};

enum image_fault { IMAGE_GOOD, IMAGE_BAD_MAGIC, IMAGE_BAD_HEADER, IMAGE_BAD_LENGTH, IMAGE_BAD_BODY };

/* Judges a header for a RAM of `ram_bytes`; does not look at the body. */
enum image_fault image_check_header(const struct image_header *header, uint32_t ram_bytes);

/* Judges header and the body behind it. */
enum image_fault image_check(const struct image_header *header, uint32_t ram_bytes);

#endif
