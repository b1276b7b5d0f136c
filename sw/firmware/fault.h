/* SPDX-License-Identifier: Apache-2.0 */
/* What the driver's errors mean. Any context. */
#ifndef ARQLINK_FAULT_H
#define ARQLINK_FAULT_H

#include "shell.h"

/* A sentence without a full stop for the driver's error `fault`, 0 or negative; 0: "none". */
const char *fault_text(int fault);

/* Prints the error, unless it is 0, and returns it. Thread. */
int fault_report(struct shell *shell, int fault);

#endif
