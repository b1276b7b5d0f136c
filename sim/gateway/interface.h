/* SPDX-License-Identifier: Apache-2.0 */
/* The gateway for C, and for Python's ctypes. Ports: 0 is the LAN, 1 the link. Times are nanoseconds. */
#ifndef ARQLINK_GATEWAY_INTERFACE_H
#define ARQLINK_GATEWAY_INTERFACE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct arqlink_gateway arqlink_gateway;

/** A gateway by its description, JSON (README.md). NULL: it is wrong, and `error`, of `size` bytes, says why. */
arqlink_gateway *arqlink_gateway_new(const char *description, char *error, size_t size);
void arqlink_gateway_delete(arqlink_gateway *gateway);

void arqlink_gateway_receive(arqlink_gateway *gateway, int port, const uint8_t *packet, size_t bytes, uint64_t now);
/** Takes a packet of at most 65535 bytes; its length, or 0: there is none. */
size_t arqlink_gateway_take(arqlink_gateway *gateway, int port, uint8_t *packet, uint64_t now);
size_t arqlink_gateway_waiting(const arqlink_gateway *gateway, int port);

/** UINT64_MAX: none. */
uint64_t arqlink_gateway_deadline(const arqlink_gateway *gateway);
void arqlink_gateway_advance(arqlink_gateway *gateway, uint64_t now);

/** The i-th counter and its name; NULL: there are no more. */
const char *arqlink_gateway_counter(const arqlink_gateway *gateway, size_t i, uint64_t *value);
size_t arqlink_gateway_flows(const arqlink_gateway *gateway);
size_t arqlink_gateway_cache_used(const arqlink_gateway *gateway);

#ifdef __cplusplus
}
#endif

#endif
