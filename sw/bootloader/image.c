/* SPDX-License-Identifier: Apache-2.0 */
#include "image.h"

#include "crc32.h"

#define STACK_BYTES 1024u

enum image_fault image_check_header(const struct image_header *header, uint32_t ram_bytes) {
    if (header->magic != IMAGE_MAGIC) {
        return IMAGE_BAD_MAGIC;
    }
    if (header->header_crc != crc32(0, (const uint8_t *)header, 12)) {
        return IMAGE_BAD_HEADER;
    }
    if (header->body_bytes < 4u || header->body_bytes > ram_bytes - sizeof *header - STACK_BYTES) {
        return IMAGE_BAD_LENGTH;
    }
    return IMAGE_GOOD;
}

enum image_fault image_check(const struct image_header *header, uint32_t ram_bytes) {
    enum image_fault fault = image_check_header(header, ram_bytes);
    if (fault == IMAGE_GOOD && header->body_crc != crc32(0, (const uint8_t *)(header + 1), header->body_bytes)) {
        fault = IMAGE_BAD_BODY;
    }
    return fault;
}
