/* SPDX-License-Identifier: Apache-2.0 */
# Start of the boot loader: the stack at the end of RAM, whose size a register gives; a trap starts anew.
    .section .start, "ax"
    .globl _start
_start:
    csrwi mie, 0
    la t0, _start
    csrw mtvec, t0
    li t0, 0x90002008 # SYSTEM.RAM_BYTES
    lw t0, 0(t0)
    li sp, 0x10000000
    add sp, sp, t0
    call main

# void start_image(uint32_t entry): what was loaded as data must not be in the instruction cache in an older form.
    .globl start_image
start_image:
    fence.i
    jr a0
