-- SPDX-License-Identifier: Apache-2.0
-- Dissector of arqlink's units for Wireshark 4.0 and later; docs/wireshark.md says how to use it.
-- Captures have the link type USER0 (147, units with a pseudo header) or USER1 (148, units alone).

local arqlink = Proto("arqlink", "arqlink link layer")
local bare = Proto("arqlink_unit", "arqlink unit without pseudo header")

-- The wire format (docs/architecture.md) and the pseudo header (sim/end/unit_capture.h).

local VERSION = 3
local PSEUDO_VERSION, PSEUDO_BYTES = 1, 4
local HEADER_BYTES, CRC_BYTES = 12, 4
local CONTROL_UNIT_BYTES = 32
local EPOCHS = 0x100
local NUMBERS = 0x100000 -- sequence numbers have 20 bits
local REPORTED = 64 -- outcomes in a control unit
local FAR = 4096 -- TSNs that are looked at for a gap

local DATA, CONTROL, LAST_TRY, ALL_BELOW = 0, 1, 2, 3
local ARRIVED, ERASED = 1, 2
local A_TO_B, B_TO_A = 0, 1

local WAYS = { [A_TO_B] = "A to B", [B_TO_A] = "B to A" }
local FATES = { [0] = "unknown", [ARRIVED] = "arrived", [ERASED] = "erased" }
local TYPES = {
  [DATA] = "data",
  [CONTROL] = "control",
  [LAST_TRY] = "data of a last try",
  [ALL_BELOW] = "data of a last try, all incomplete frames below are abandoned",
}
local PRESETS = { [0] = "zfec", [1] = "RFC 5510", [2] = "Cauchy", [3] = "reserved" }
local OUTCOMES = { [0] = "failed", [1] = "received" }
local CRC_STATES = { [0] = "bad", [1] = "good", [2] = "unverified" }
local CRC_BAD, CRC_GOOD, CRC_UNVERIFIED = 0, 1, 2

local f = {
  way = ProtoField.uint8("arqlink.way", "Way", base.DEC, WAYS),
  fate = ProtoField.uint8("arqlink.fate", "Fate", base.DEC, FATES),
  erased = ProtoField.bool("arqlink.erased", "Erased"),
  not_captured = ProtoField.string("arqlink.not_captured", "Not captured"),

  version = ProtoField.uint8("arqlink.version", "Version", base.DEC, nil, 0xC0),
  type = ProtoField.uint8("arqlink.type", "Type", base.DEC, TYPES, 0x30),
  several = ProtoField.bool("arqlink.several", "Several packets", 8, nil, 0x08),
  odd = ProtoField.bool("arqlink.odd", "Odd attempt", 8, nil, 0x04),
  link = ProtoField.uint8("arqlink.link", "Number of the link", base.DEC, nil, 0x03),
  epoch = ProtoField.uint8("arqlink.epoch", "Epoch of the sender"),
  fresh = ProtoField.bool("arqlink.fresh", "Units in addition", 8, nil, 0x80),
  k = ProtoField.uint8("arqlink.k", "K, data units of the frame"),
  n = ProtoField.uint8("arqlink.n", "N, units of this transmission"),
  index = ProtoField.uint8("arqlink.index", "Unit index"),
  parity = ProtoField.bool("arqlink.parity", "Parity unit"),
  preset = ProtoField.uint8("arqlink.preset", "Evaluation points", base.DEC, PRESETS, 0xC0),
  sop = ProtoField.bool("arqlink.sop", "First frame of its packet", 8, nil, 0x20),
  eop = ProtoField.bool("arqlink.eop", "Last frame of its packet", 8, nil, 0x10),
  pad = ProtoField.uint16("arqlink.pad", "Filling bytes of the last data unit", base.DEC, nil, 0x0FFF),
  fsn = ProtoField.uint24("arqlink.fsn", "FSN, frame sequence number", base.DEC, nil, 0xFFFFF0),
  tsn = ProtoField.uint24("arqlink.tsn", "TSN, transmission sequence number", base.DEC, nil, 0x0FFFFF),
  payload = ProtoField.bytes("arqlink.payload", "Payload"),
  crc = ProtoField.uint32("arqlink.crc", "CRC", base.HEX),
  crc_status = ProtoField.uint8("arqlink.crc.status", "CRC status", base.DEC, CRC_STATES),
  crc_calculated = ProtoField.uint32("arqlink.crc.calculated", "Calculated CRC", base.HEX),

  hello = ProtoField.bool("arqlink.hello", "Hello", 8, nil, 0x01),
  peer_known = ProtoField.bool("arqlink.peer_known", "Peer known", 8, nil, 0x02),
  poll = ProtoField.bool("arqlink.poll", "Poll", 8, nil, 0x04),
  reply = ProtoField.bool("arqlink.reply", "Reply", 8, nil, 0x08),
  deaf = ProtoField.bool("arqlink.deaf", "Deaf", 8, nil, 0x10),
  abandons = ProtoField.bool("arqlink.abandons", "Abandons", 8, nil, 0x20),
  peer_epoch = ProtoField.uint8("arqlink.peer_epoch", "Epoch of the peer"),
  packet_crc = ProtoField.bool("arqlink.packet_crc", "Packets have a CRC", 8, nil, 0x80),
  window_log2 = ProtoField.uint8("arqlink.window_log2", "Receive window, log2 of frames", base.DEC, nil, 0x1F),
  unit_bytes = ProtoField.uint16("arqlink.unit_bytes", "Payload bytes of a data unit"),
  ack_tsn = ProtoField.uint24("arqlink.ack_tsn", "ackTsn, oldest TSN without a known outcome", base.DEC, nil, 0x0FFFFF),
  tx_base = ProtoField.uint24("arqlink.tx_base", "txBase, oldest FSN that is not resolved", base.DEC, nil, 0xFFFFF0),
  tx_edge = ProtoField.uint24("arqlink.tx_edge", "txEdge, TSNs below it have been sent", base.DEC, nil, 0x0FFFFF),
  rx_base = ProtoField.uint24("arqlink.rx_base", "rxBase, FSNs below it are delivered or skipped", base.DEC, nil, 0xFFFFF0),
  rx_next = ProtoField.uint24("arqlink.rx_next", "rxNext, TSNs below it are closed", base.DEC, nil, 0x0FFFFF),
  bitmap_base = ProtoField.uint24("arqlink.bitmap_base", "bitmapBase, TSN of bit 0", base.DEC, nil, 0xFFFFF0),
  bitmap = ProtoField.uint64("arqlink.bitmap", "Bitmap of outcomes", base.HEX),
  received_tsn = ProtoField.uint32("arqlink.received_tsn", "Received TSN"),
  failed_tsn = ProtoField.uint32("arqlink.failed_tsn", "Failed TSN"),
  failed_transmission = ProtoField.framenum("arqlink.failed_transmission", "It began in packet"),
  abandoned_fsn = ProtoField.uint32("arqlink.abandoned_fsn", "Abandoned FSN"),

  retransmission = ProtoField.bool("arqlink.retransmission", "Retransmission"),
  retransmission_of = ProtoField.framenum("arqlink.retransmission_of", "The first transmission of this unit is packet"),
  retransmitted_in = ProtoField.framenum("arqlink.retransmitted_in", "The next transmission of this frame begins in packet"),
  first_unit = ProtoField.framenum("arqlink.first_unit", "This transmission begins in packet"),
  outcome = ProtoField.uint8("arqlink.outcome", "Outcome of this transmission", base.DEC, OUTCOMES),
  reported_in = ProtoField.framenum("arqlink.reported_in", "It is first reported in packet"),
  abandoned_in = ProtoField.framenum("arqlink.abandoned_in", "This frame is abandoned in packet"),
}

local e = {
  erased = ProtoExpert.new("arqlink.expert.erased", "Erased: this unit did not arrive", expert.group.SEQUENCE, expert.severity.NOTE),
  crc = ProtoExpert.new("arqlink.expert.crc", "Bad CRC", expert.group.CHECKSUM, expert.severity.ERROR),
  short = ProtoExpert.new("arqlink.expert.short", "Too short for a unit", expert.group.MALFORMED, expert.severity.ERROR),
  length = ProtoExpert.new("arqlink.expert.length", "Wrong length", expert.group.MALFORMED, expert.severity.ERROR),
  pseudo = ProtoExpert.new("arqlink.expert.pseudo", "Unknown pseudo header", expert.group.MALFORMED, expert.severity.ERROR),
  header = ProtoExpert.new("arqlink.expert.header", "Impossible header", expert.group.MALFORMED, expert.severity.ERROR),
  version = ProtoExpert.new("arqlink.expert.version", "Another version of the wire format", expert.group.PROTOCOL, expert.severity.WARN),
  gap = ProtoExpert.new("arqlink.expert.gap", "Gap in the TSNs", expert.group.SEQUENCE, expert.severity.WARN),
  late = ProtoExpert.new("arqlink.expert.late", "Late unit", expert.group.SEQUENCE, expert.severity.WARN),
  retransmission = ProtoExpert.new("arqlink.expert.retransmission", "Retransmission", expert.group.SEQUENCE, expert.severity.NOTE),
  abandoned = ProtoExpert.new("arqlink.expert.abandoned", "Abandoned frame", expert.group.SEQUENCE, expert.severity.WARN),
  contradiction = ProtoExpert.new("arqlink.expert.contradiction", "Contradiction", expert.group.PROTOCOL, expert.severity.ERROR),
  restart = ProtoExpert.new("arqlink.expert.restart", "Restart", expert.group.SEQUENCE, expert.severity.NOTE),
}

local function values(of)
  local list = {}
  for _, value in pairs(of) do list[#list + 1] = value end
  return list
end
arqlink.fields = values(f)
arqlink.experts = values(e)

arqlink.prefs.unit_bytes = Pref.uint("Payload bytes of a data unit", 0, "What the link was built for; data units of another length are marked. 0: any length")
arqlink.prefs.dlt = Pref.uint("Link type", 147, "Of captures whose units have a pseudo header: 147 (USER0) to 162 (USER15)")
arqlink.prefs.dlt_bare = Pref.uint("Link type of units alone", 148, "Of captures without pseudo headers: 147 (USER0) to 162 (USER15)")

-- What is known of the link. All of it is found when packets are seen for the first time, in their order; later visits, in
-- any order, only read. A run of an end is its time with one epoch:
--   frames[FSN]: transmissions (in their order), abandoned_in
--   transmissions[TSN]: frame, place (in its frame's transmissions), first (packet number), odd, again (it says itself that it is no first one),
--     packets[index], arrived (units), outcome, reported_in
--   closed: TSNs below it are closed at the receiver, by what has arrived
--   edges: the sequence numbers that the end has told last, by their names
--   last, verified: the FSN and TSN that were seen last, at all and in a unit with a good CRC
-- FSNs and TSNs in it are unwrapped: they go on counting beyond 20 bits.

local runs -- [way][link and epoch]
local last_epoch -- [way][link]
local unplaced -- [way]: whether it has units of which it is not known whether a TSN is theirs
local of_packet -- [packet number]: transmission of a data unit
local reports -- [packet number]: run that is reported, and unwrapped TSN of bit 0
local notes -- [packet number]: list of {expert, text}
local abandoned -- [packet number]: FSNs
local crc_states -- [packet number]

local function forget()
  runs, last_epoch, unplaced = { [A_TO_B] = {}, [B_TO_A] = {} }, { [A_TO_B] = {}, [B_TO_A] = {} }, {}
  of_packet, reports, notes, abandoned, crc_states = {}, {}, {}, {}, {}
end
forget()
arqlink.init = forget

local function note(number, kind, text)
  notes[number] = notes[number] or {}
  table.insert(notes[number], { kind, text })
end

-- The FSN or TSN (`kind`) of a run with these 20 bits that is nearest to the last one. One that is verified is not looked for near one
-- that is not: this may be damaged.
local function unwrap(run, kind, bits, verified)
  local last = verified and run.verified[kind] or run.last[kind] or bits
  local distance = (bits - last) % NUMBERS
  if distance >= NUMBERS / 2 then distance = distance - NUMBERS end
  run.last[kind] = last + distance
  if verified then run.verified[kind] = last + distance end
  return last + distance
end

local function range(first, last)
  first, last = first % NUMBERS, last % NUMBERS
  return first == last and tostring(first) or first .. " to " .. last
end

local function run_of(way, link, epoch)
  local key = link * EPOCHS + epoch
  local run = runs[way][key]
  if not run then
    run = { way = way, frames = {}, transmissions = {}, edges = {}, last = {}, verified = {} }
    runs[way][key] = run
  end
  return run
end

-- CRC-32 of IEEE 802.3, as a number from 0 on.
local crc_table = {}
for i = 0, 255 do
  local c = i
  for _ = 1, 8 do c = bit.bxor(bit.rshift(c, 1), bit.band(c, 1) == 1 and 0xEDB88320 or 0) end
  crc_table[i] = c
end

local function crc32(bytes)
  local c = bit.tobit(0xFFFFFFFF)
  for i = 1, #bytes do c = bit.bxor(bit.rshift(c, 8), crc_table[bit.band(bit.bxor(c, bytes:byte(i)), 0xFF)]) end
  return bit.bnot(c) % 0x100000000
end

-- Following the link.

-- The receiver closes all transmissions below `tsn`; those of which nothing has arrived are a gap.
local function close(run, tsn, number)
  local first, last
  for missing = math.max(run.closed, tsn - FAR), tsn - 1 do
    local transmission = run.transmissions[missing]
    if not transmission or transmission.arrived == 0 then first, last = first or missing, missing end
  end
  if first and not unplaced[run.way] then note(number, e.gap, "Gap: no unit of TSN " .. range(first, last) .. " has arrived") end
  run.closed = tsn
end

local function follow_epoch(unit, number)
  local epochs = last_epoch[unit.way]
  local before = epochs[unit.link]
  if before and before ~= unit.epoch then
    note(number, e.restart, "The end has restarted: its epoch was " .. before .. " and is " .. unit.epoch)
  end
  epochs[unit.link] = unit.epoch
end

-- A unit whose CRC is not verified has its place among the transmissions, and nothing is concluded from it: it may be damaged.
local function follow_data(unit, number)
  local run = run_of(unit.way, unit.link, unit.epoch)
  if unit.verified then follow_epoch(unit, number) end
  local fsn, tsn = unwrap(run, "fsn", unit.fsn, unit.verified), unwrap(run, "tsn", unit.tsn, unit.verified)
  local frame = run.frames[fsn] or { transmissions = {} }
  run.frames[fsn] = frame
  local transmission = run.transmissions[tsn]
  if not transmission then
    transmission = { frame = frame, fsn = fsn, first = number, odd = unit.odd, packets = {}, arrived = 0, place = #frame.transmissions + 1 }
    transmission.verified, transmission.again = unit.verified, unit.again
    run.transmissions[tsn] = transmission
    frame.transmissions[transmission.place] = transmission
  elseif transmission.fsn ~= fsn then
    if unit.verified and transmission.verified then
      note(number, e.contradiction, "Contradiction: TSN " .. unit.tsn .. " was a transmission of frame " .. transmission.fsn % NUMBERS)
    end
    return
  end
  transmission.packets[unit.index] = transmission.packets[unit.index] or number
  of_packet[number] = transmission
  if unit.fate == ERASED then return end
  if not unit.verified then
    transmission.arrived = transmission.arrived + 1 -- as far as is known, so it is no gap
    return
  end

  run.closed = run.closed or tsn
  if tsn < run.closed then
    note(number, e.late, "Late: TSN " .. unit.tsn .. " is closed already")
    return
  end
  transmission.arrived = transmission.arrived + 1
  close(run, tsn, number)
  if unit.index == unit.n - 1 then run.closed = tsn + 1 end
end

-- A sequence number that never goes back, as long as the end runs. `sent` is the run whose FSNs or TSNs it counts.
local function follow_edge(run, name, sent, kind, bits, number)
  local before, now = run.edges[name], unwrap(sent, kind, bits, true)
  if before and now < before then
    note(number, e.contradiction, "Contradiction: " .. name .. " goes back from " .. before % NUMBERS .. " to " .. bits)
  else
    run.edges[name] = now
  end
  return before, now
end

-- Frames that txBase has passed and of which no transmission was received.
local function follow_tx_base(run, unit, number)
  local before, now = follow_edge(run, "txBase", run, "fsn", unit.tx_base, number)
  for fsn = math.max(before or now, now - FAR), now - 1 do
    local frame = run.frames[fsn]
    local failed, received = false, false
    for _, transmission in ipairs(frame and frame.transmissions or {}) do
      failed = failed or transmission.outcome == 0
      received = received or transmission.outcome == 1
    end
    if failed and not received and unit.abandons then
      frame.abandoned_in = number
      abandoned[number] = abandoned[number] or {}
      table.insert(abandoned[number], fsn % NUMBERS)
      note(number, e.abandoned, "Frame " .. fsn % NUMBERS .. " is abandoned after " .. #frame.transmissions .. " transmissions")
    end
  end
end

-- The outcomes that a control unit reports are of what the other end sends; so are rxNext and rxBase.
local function follow_outcomes(run, unit, number)
  local sent = run_of(1 - unit.way, unit.link, unit.peer_epoch)
  follow_edge(run, "rxBase", sent, "fsn", unit.rx_base, number)
  follow_edge(run, "rxNext", sent, "tsn", unit.rx_next, number)
  local first = unwrap(sent, "tsn", unit.bitmap_base, true)
  reports[number] = { run = sent, first = first }
  for i, outcome in ipairs(unit.outcomes) do
    local transmission = sent.transmissions[first + i - 1]
    if transmission and transmission.outcome == nil then
      transmission.outcome, transmission.reported_in = outcome, number
    elseif transmission and transmission.outcome ~= outcome then
      local before = OUTCOMES[transmission.outcome] .. " in packet " .. transmission.reported_in
      note(number, e.contradiction, "Contradiction: TSN " .. (first + i - 1) % NUMBERS .. " was reported as " .. before)
    end
  end
end

local function follow_control(unit, number)
  local run = run_of(unit.way, unit.link, unit.epoch)
  follow_epoch(unit, number)
  if unit.hello then
    run.closed = run.closed or 0
    return
  end
  if unit.peer_known then follow_outcomes(run, unit, number) end
  follow_tx_base(run, unit, number)
  follow_edge(run, "ackTsn", run, "tsn", unit.ack_tsn, number)
  local _, edge = follow_edge(run, "txEdge", run, "tsn", unit.tx_edge, number)
  if unit.fate == ERASED then return end
  run.closed = run.closed or edge
  if edge > run.closed then close(run, edge, number) end
end

-- Reading and showing.

local function generated(tree, ...)
  local item = tree:add(...)
  item:set_generated()
  return item
end

-- Packet numbers of other units of the frame. `nil` is what has not been seen. Where the capture lacks a whole transmission, those before and behind it have
-- the same last bit of the attempt.
local function show_links(tree, unit, number)
  local transmission = of_packet[number]
  if not transmission then return end
  local function link(field, target)
    if target and target ~= number then generated(tree, field, target) end
  end
  local frame = transmission.frame
  local first, next_one = frame.transmissions[1], frame.transmissions[transmission.place + 1]
  link(f.first_unit, transmission.first)
  if first ~= transmission and not first.again then link(f.retransmission_of, first.packets[unit.index] or first.first) end
  if next_one and next_one.odd ~= transmission.odd then link(f.retransmitted_in, next_one.first) end
  if transmission.outcome then
    generated(tree, f.outcome, transmission.outcome)
    link(f.reported_in, transmission.reported_in)
  end
  link(f.abandoned_in, frame.abandoned_in)
end

-- Two functions that add a field of the unit to a tree, if the capture has all of its `count` bytes from `first` on; otherwise they
-- say that it has not. `show` returns the item, and `read` puts the number in these bits of the field into `unit`.
local function fields_of(buffer, tree, unit)
  local function show(name, first, count)
    if first + count <= buffer:len() then return tree:add(f[name], buffer(first, count)) end
    generated(tree, f.not_captured, name)
  end
  local function read(name, first, count, from_bit, bits)
    local item = show(name, first, count)
    if item then unit[name] = buffer(first, count):bitfield(from_bit or 0, bits or 8 * count) end
    return item
  end
  return show, read
end

local function read_data(buffer, tree, unit)
  local show, read = fields_of(buffer, tree, unit)
  read("several", 0, 1, 4, 1)
  if read("odd", 0, 1, 5, 1) then unit.again = unit.odd == 1 or unit.type == LAST_TRY end
  read("link", 0, 1, 6, 2)
  read("epoch", 1, 1)
  read("fresh", 2, 1, 0, 1)
  if 3 <= buffer:len() then
    unit.k = buffer(2, 1):bitfield(1, 7) + 1
    tree:add(f.k, buffer(2, 1), unit.k)
  else
    generated(tree, f.not_captured, "k")
  end
  read("n", 3, 1)
  read("index", 4, 1)
  if unit.index then
    unit.parity = unit.index >= unit.k
    unit.impossible = unit.fresh == 0 and unit.n < unit.k or unit.index >= unit.n
    generated(tree, f.parity, buffer(4, 1), unit.parity)
  end
  if read("preset", 5, 1, 0, 2) then unit.impossible = unit.impossible or unit.preset == 3 end
  show("sop", 5, 1)
  show("eop", 5, 1)
  show("pad", 5, 2)
  read("fsn", 7, 3, 0, 20)
  read("tsn", 9, 3, 4, 20)
  show("payload", HEADER_BYTES, unit.length - HEADER_BYTES - CRC_BYTES)
end

-- A number in words; "?" if it was not captured.
local function told(number) return number and string.format("%d", number) or "?" end

-- What a retransmission is called, with its number if the capture has the frame's first transmission. Nil of a first transmission.
local function retransmission_words(unit, transmission)
  local first = transmission and transmission.frame.transmissions[1] or unit
  if first.again then return "retransmission" end
  if transmission and transmission.place > 1 then return "retransmission " .. transmission.place - 1 end
end

local function data_words(unit, retransmission)
  local kind = unit.parity == nil and "" or unit.parity and " (parity)" or " (data)"
  local last = unit.type ~= DATA and ", last try" or ""
  local place = "unit " .. told(unit.index) .. " of " .. told(unit.n)
  return "Frame " .. told(unit.fsn) .. ", " .. place .. kind .. ", TSN " .. told(unit.tsn) .. (retransmission and ", " .. retransmission or "") .. last
end

local FLAGS = { "hello", "peer_known", "poll", "reply", "deaf", "abandons" }

-- Outcomes of the TSNs from bitmapBase on that are below rxNext; none if the bitmap was not captured.
local function read_outcomes(buffer, unit)
  if not unit.bitmap_item then return {} end
  local count = (unit.rx_next - unit.bitmap_base) % NUMBERS
  if count >= NUMBERS / 2 then count = 0 end
  local outcomes = {}
  for i = 0, math.min(count, REPORTED) - 1 do outcomes[i + 1] = buffer(27 - math.floor(i / 8), 1):bitfield(7 - i % 8, 1) end
  return outcomes
end

-- The first bit that has a meaning: a report of the first TSNs begins with bits of TSNs that were never sent.
local function first_outcome(unit, report)
  local first = report and report.first or (unit.bitmap_base > unit.rx_next and unit.bitmap_base - NUMBERS or unit.bitmap_base)
  return 1 + math.max(0, -first)
end

local function show_outcomes(buffer, tree, unit, report)
  for i = first_outcome(unit, report), #unit.outcomes do
    local failed = unit.outcomes[i] == 0
    local byte = buffer(27 - math.floor((i - 1) / 8), 1)
    local item = generated(tree, failed and f.failed_tsn or f.received_tsn, byte, (unit.bitmap_base + i - 1) % NUMBERS)
    local transmission = failed and report and report.run.transmissions[report.first + i - 1]
    if transmission then
      item:append_text(" (frame " .. transmission.fsn % NUMBERS .. ")")
      generated(item, f.failed_transmission, transmission.first)
    end
  end
end

local function read_control(buffer, tree, unit)
  local show, read = fields_of(buffer, tree, unit)
  read("link", 0, 1, 6, 2)
  read("epoch", 1, 1)
  for i, name in ipairs(FLAGS) do
    if read(name, 2, 1, 8 - i, 1) then unit[name] = unit[name] == 1 end
  end
  read("peer_epoch", 3, 1)
  if unit.hello then
    show("packet_crc", 4, 1)
    local window = read("window_log2", 4, 1, 3, 5)
    if window then window:append_text(" (" .. told(2 ^ unit.window_log2) .. " frames)") end
    read("unit_bytes", 5, 2)
  elseif unit.hello == false then
    read("ack_tsn", 4, 3, 4, 20)
  end
  read("tx_base", 7, 3, 0, 20)
  read("tx_edge", 9, 3, 4, 20)
  read("rx_base", 12, 3, 0, 20)
  read("rx_next", 14, 3, 4, 20)
  read("bitmap_base", 17, 3, 0, 20)
  unit.bitmap_item = show("bitmap", 20, 8)
  unit.outcomes = read_outcomes(buffer, unit)
end

local function report_words(unit, report)
  if not unit.bitmap_item then return end
  local first = first_outcome(unit, report)
  if first > #unit.outcomes then return end
  local failed = {}
  for i = first, #unit.outcomes do
    if unit.outcomes[i] == 0 then failed[#failed + 1] = (unit.bitmap_base + i - 1) % NUMBERS end
  end
  local text = "outcomes of TSN " .. range(unit.bitmap_base + first - 1, unit.bitmap_base + #unit.outcomes - 1)
  if #failed == 0 then return text .. ", all received" end
  return text .. ", failed: " .. table.concat(failed, " ", 1, math.min(#failed, 8)) .. (#failed > 8 and " …" or "")
end

local function control_words(unit, report)
  if unit.hello == nil then return "Control unit" end
  if unit.hello then
    local peer = unit.peer_known and ", knows epoch " .. told(unit.peer_epoch) or ", does not know its peer"
    local window = told(unit.window_log2 and 2 ^ unit.window_log2)
    return "Hello: epoch " .. unit.epoch .. ", window of " .. window .. " frames, units of " .. told(unit.unit_bytes) .. " bytes" .. peer
  end
  local words = {}
  if unit.poll then words[#words + 1] = "Poll" end
  if unit.reply then words[#words + 1] = "Reply" end
  if unit.abandons then words[#words + 1] = "Abandoned frames below " .. told(unit.tx_base) end
  if unit.deaf then words[#words + 1] = "Deaf" end
  local name = #words > 0 and table.concat(words, ", ") or "Report"
  local outcomes = report_words(unit, report)
  return outcomes and name .. ": " .. outcomes or name
end

-- Reads the CRC; returns its state and the calculated value.
local function check_crc(buffer, unit, number)
  local known = crc_states[number]
  if known then return known.state, known.value end
  local state, value = CRC_UNVERIFIED, nil
  if buffer:len() == unit.length then
    local body = unit.length - CRC_BYTES
    value = crc32(buffer:raw(0, body))
    state = value == buffer(body, CRC_BYTES):le_uint() and CRC_GOOD or CRC_BAD
  end
  crc_states[number] = { state = state, value = value }
  return state, value
end

local function show_crc(buffer, tree, state, value)
  if state == CRC_UNVERIFIED then
    generated(tree, f.not_captured, "crc")
    generated(tree, f.crc_status, state)
    return
  end
  local place = buffer(buffer:len() - CRC_BYTES, CRC_BYTES)
  local item = tree:add_le(f.crc, place)
  generated(item, f.crc_status, place, state)
  if state ~= CRC_BAD then return end
  generated(item, f.crc_calculated, place, value)
  item:add_proto_expert_info(e.crc, "Bad CRC: this unit is damaged, so it counts as erased")
end

-- What the unit itself shows to be wrong; whether it can be followed.
local function show_errors(tree, unit, state)
  local sound = state ~= CRC_BAD
  local wanted = arqlink.prefs.unit_bytes
  if unit.type == CONTROL and unit.length ~= CONTROL_UNIT_BYTES then
    tree:add_proto_expert_info(e.length, "A control unit has 32 bytes, and not " .. unit.length)
    sound = false
  elseif unit.type and unit.type ~= CONTROL and wanted > 0 and unit.length ~= HEADER_BYTES + wanted + CRC_BYTES then
    tree:add_proto_expert_info(e.length, "A data unit has " .. HEADER_BYTES + wanted + CRC_BYTES .. " bytes, and not " .. unit.length)
    sound = false
  end
  if unit.version and unit.version ~= VERSION then
    tree:add_proto_expert_info(e.version, "The version is " .. unit.version .. ", and not " .. VERSION)
    sound = false
  end
  if unit.impossible and state == CRC_GOOD then
    tree:add_proto_expert_info(e.header, "Impossible header: K, N, index or evaluation points")
  end
  return sound and not unit.impossible
end

-- A control unit is followed if all of it was captured, and a data unit if its header was. Other data units may be those that a gap
-- seems to lack.
local function follow(unit, number)
  if unit.type == CONTROL then
    if unit.way and unit.verified then follow_control(unit, number) end
  elseif unit.way and unit.tsn then
    follow_data(unit, number)
  else
    for way in pairs(WAYS) do unplaced[way] = unplaced[way] or way == (unit.way or way) end
  end
end

local function dissect_unit(buffer, pinfo, tree, unit)
  pinfo.cols.protocol = "arqlink"
  if unit.way then
    pinfo.cols.src = WAYS[unit.way]:sub(1, 1)
    pinfo.cols.dst = WAYS[unit.way]:sub(-1)
  end
  local prefix = unit.fate == ERASED and "Erased: " or ""
  if unit.fate then generated(tree, f.erased, unit.fate == ERASED) end
  if unit.fate == ERASED then tree:add_proto_expert_info(e.erased) end
  if unit.length <= HEADER_BYTES + CRC_BYTES then
    tree:add_proto_expert_info(e.short, "Too short for a unit: " .. unit.length .. " bytes")
    pinfo.cols.info = prefix .. "Too short for a unit: " .. unit.length .. " bytes"
    return
  end

  local number = pinfo.number
  local state, value = check_crc(buffer, unit, number)
  unit.verified = state == CRC_GOOD
  local _, read = fields_of(buffer, tree, unit)
  read("version", 0, 1, 0, 2)
  read("type", 0, 1, 2, 2)
  local control = unit.type == CONTROL and unit.length >= CONTROL_UNIT_BYTES
  local data = unit.type and unit.type ~= CONTROL
  if control then read_control(buffer, tree, unit) end
  if data then read_data(buffer, tree, unit) end
  local sound = show_errors(tree, unit, state)
  show_crc(buffer, tree, state, value)
  if sound and not pinfo.visited then follow(unit, number) end

  local words = unit.type and "Control unit of a wrong length" or "Not captured"
  if control then
    words = control_words(unit, reports[number])
    if unit.bitmap_item and not unit.hello then show_outcomes(buffer, unit.bitmap_item, unit, reports[number]) end
  elseif data then
    local retransmission = retransmission_words(unit, of_packet[number])
    words = data_words(unit, retransmission)
    local again = generated(tree, f.retransmission, retransmission ~= nil)
    if retransmission then again:add_proto_expert_info(e.retransmission, retransmission:gsub("^r", "R") .. " of frame " .. told(unit.fsn)) end
    show_links(tree, unit, number)
  end
  for _, fsn in ipairs(abandoned[number] or {}) do generated(tree, f.abandoned_fsn, fsn) end
  for _, said in ipairs(notes[number] or {}) do tree:add_proto_expert_info(said[1], said[2]) end
  if state == CRC_BAD then words = "Bad CRC: " .. words end
  pinfo.cols.info = prefix .. words
  tree:append_text(", " .. words)
end

function arqlink.dissector(buffer, pinfo, tree)
  local unit = { length = buffer:reported_len() - PSEUDO_BYTES }
  local top = tree:add(arqlink, buffer())
  local captured = buffer:len()
  if unit.length < 0 or captured > 0 and buffer(0, 1):uint() ~= PSEUDO_VERSION then
    pinfo.cols.protocol = "arqlink"
    pinfo.cols.info = "Unknown pseudo header"
    top:add_proto_expert_info(e.pseudo)
    return captured
  end
  local _, read = fields_of(buffer, top, unit)
  read("way", 1, 1)
  read("fate", 2, 1)
  if not WAYS[unit.way] then unit.way = nil end
  local before = math.min(PSEUDO_BYTES, captured)
  -- Wireshark makes no range of a buffer without bytes.
  dissect_unit(captured > 0 and buffer(before, captured - before):tvb() or buffer, pinfo, top, unit)
  return captured
end

-- A unit alone: the packet's flags may say which way it goes (outbound: A to B), and nothing what became of it.
function bare.dissector(buffer, pinfo, tree)
  local unit = { fate = 0, length = buffer:reported_len() }
  unit.way = ({ [0] = A_TO_B, [1] = B_TO_A })[pinfo.p2p_dir]
  local top = tree:add(arqlink, buffer())
  if unit.way then generated(top, f.way, unit.way) end
  dissect_unit(buffer, pinfo, top, unit)
  return buffer:len()
end

local FIRST_DLT, LAST_DLT = 147, 162
local registered = {}

local function register()
  local encapsulations = DissectorTable.get("wtap_encap")
  for dlt, dissector in pairs(registered) do encapsulations:remove((wtap or wtap_encaps).USER0 + dlt - FIRST_DLT, dissector) end
  registered = { [arqlink.prefs.dlt_bare] = bare, [arqlink.prefs.dlt] = arqlink }
  for dlt, dissector in pairs(registered) do
    if dlt >= FIRST_DLT and dlt <= LAST_DLT then
      encapsulations:add((wtap or wtap_encaps).USER0 + dlt - FIRST_DLT, dissector)
    else
      registered[dlt] = nil
    end
  end
end
register()
arqlink.prefs_changed = register
