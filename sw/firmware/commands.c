/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"

#include "bus_commands.h"
#include "channel_commands.h"
#include "event_commands.h"
#include "link_commands.h"
#include "setting_commands.h"
#include "tune_command.h"

void commands_install(struct shell *shell) {
    static const struct shell_command commands[] = {
        {"info", "", "shows what was built", 0, 0, command_info},
        {"link", "[up|down|restart]", "shows state, epochs and the active setting, or changes the state", 0, 1,
         command_link},
        {"code", "K N [NR]", "sets data units, units of a first transmission and of a retransmission", 2, 3,
         command_code},
        {"delta", "D|inf", "sets the persistency, 0 to 14 or infinite", 1, 1, command_delta},
        {"order", "0|1", "sets whether packets leave in sequence", 1, 1, command_order},
        {"preset", "0|1|2", "sets the points of the code: zfec, RFC 5510, Cauchy", 1, 1, command_preset},
        {"freeze", "0|1", "sets whether failures of an outage are left out of the persistency", 1, 1, command_freeze},
        {"timers", "[POLL HELLO KEEPALIVE OUTAGE STATUS]", "shows or sets the timers, in clocks", 0, 5, command_timers},
        {"stats", "[reset]", "shows all counters, and sets them to 0", 0, 1, command_stats},
        {"events", "[on|off]", "shows how often each event came, or sets whether events are printed", 0, 1,
         command_events},
        {"threshold", "COUNTER VALUE", "sets the count that makes the event threshold, 0 for none", 2, 2,
         command_threshold},
        {"tune", "[off|loss P|goodput [packet BYTES] [delay CLOCKS] [bound CLOCKS]]",
         "shows, stops or starts the tuner", 0, 8, command_tune},
        {"end", "[a|b]", "shows or chooses the link end that commands act on", 0, 1, command_end},
        {"channel", "[ab|ba [SETTING VALUE ...]]",
         "shows channels or sets loss, delay, outage, seed, burst, pace or control of one", 0, 6, command_channel},
        {"selftest", "[PACKETS [BYTES [P]]]", "sends packets from A to B across a channel that loses units", 0, 3,
         command_selftest},
        {"read", "OFFSET", "reads a register of the link window", 1, 1, command_read},
        {"write", "OFFSET VALUE", "writes a register of the link window", 2, 2, command_write},
    };
    shell->commands = commands;
    shell->command_count = sizeof commands / sizeof commands[0];
}
