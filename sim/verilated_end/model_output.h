/* SPDX-License-Identifier: Apache-2.0 */
/* Included before all of a Verilated build, so that what $display prints is kept for the report. */
#ifndef VERILATED_END_MODEL_OUTPUT_H
#define VERILATED_END_MODEL_OUTPUT_H
#ifdef __cplusplus
int modelPrint(const char* format, ...);
#define VL_PRINTF modelPrint
#define VL_USER_FINISH
#define VL_USER_STOP
#define VL_USER_FATAL
#endif
#endif
