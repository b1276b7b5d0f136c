/* SPDX-License-Identifier: Apache-2.0 */
/* The answer to a trap that is no interrupt. */
#ifndef ARQLINK_TRAP_H
#define ARQLINK_TRAP_H

#include <stdint.h>

/* Starts the system anew through the boot loader, which checks the image in RAM first; devices are left as they are. Any context. */
_Noreturn void soc_restart(void);

/* Says what happened on the UART, "trap CAUSE at PC", and starts anew. Any context. */
_Noreturn void trap_restart(uint32_t cause, uint32_t pc);

#endif
