/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ARQLINK_CRC32_H
#define ARQLINK_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* CRC-32 of IEEE 802.3 (reflected polynomial 0xEDB88320) over `bytes` more bytes; `crc`: result so far, 0 at first. */
uint32_t crc32(uint32_t crc, const uint8_t *data, size_t bytes);

#endif
