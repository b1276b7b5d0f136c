/* SPDX-License-Identifier: Apache-2.0 */
/* Takes the place of the tuner's estimate of the correlation, by the linker's --wrap: all losses are independent. */
#include "arqlink_tuner.h"

int __wrap_arqlink_estimate_correlation(const struct arqlink_evidence *one, const struct arqlink_evidence *other,
                                        uint32_t *correlation);

int __wrap_arqlink_estimate_correlation(const struct arqlink_evidence *one, const struct arqlink_evidence *other,
                                        uint32_t *correlation) {
    (void)one;
    (void)other;
    *correlation = 0;
    return 0;
}
