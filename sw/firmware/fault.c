/* SPDX-License-Identifier: Apache-2.0 */
#include "fault.h"

#include "arqlink.h"

const char *fault_text(int fault) {
    switch (-fault) {
    case 0: return "none";
    case ARQLINK_EIO: return "a register cannot be reached";
    case ARQLINK_EBUSY: return "a generator or checker is running";
    case ARQLINK_ENODEV: return "what should be there does not answer";
    case ARQLINK_EINVAL: return "the link refuses this setting";
    case ARQLINK_ERANGE: return "the delay bound is too short for any N and delta";
    case ARQLINK_EPROTO: return "the hardware has a version, or the link a state, that this firmware does not know";
    case ARQLINK_ENETDOWN: return "the link is not up";
    case ARQLINK_ETIMEDOUT: return "the link did not answer in time";
    case ARQLINK_EREMOTEIO: return "the hardware did not do what was asked of it";
    default: return "the driver has failed in an unknown way";
    }
}

int fault_report(struct shell *shell, int fault) {
    if (fault) {
        (void)shell_error(shell, fault_text(fault), 0);
    }
    return fault;
}
