/* SPDX-License-Identifier: Apache-2.0 */
/* Included before all of a Verilated build, so that what its model prints is kept, and that it stops in its clock alone. */
#ifndef VERILATED_END_MODEL_OUTPUT_H
#define VERILATED_END_MODEL_OUTPUT_H
#ifdef __cplusplus
int modelPrint(const char* format, ...);
/* Forgets what the model said before. */
void modelBegins();
/* What it said, once $finish, $stop or a fatal error has stopped it; nullptr while it runs. */
const char* modelStopped();
#define VL_PRINTF modelPrint
#define VL_USER_FINISH
#define VL_USER_STOP
#define VL_USER_FATAL
#endif
#endif
