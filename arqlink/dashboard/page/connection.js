// SPDX-License-Identifier: Apache-2.0
// The WebSocket to the link. Where it is lost it is tried again, for ever; what is changed meanwhile is not sent.

const connection = (() => {
  const QUIET = 2000; // ms without news after which they are old
  const EVERY = 150; // ms between two messages of one kind
  const LONGEST = 5000; // ms between two tries
  const waiting = {};
  let socket, listeners, wait, since, ended, isRun;

  function open() {
    const address = new URL("live", location.href);
    address.protocol = "ws:";
    address.search = location.search;
    ended = null;
    socket = new WebSocket(address);
    socket.addEventListener("message", (event) => take(JSON.parse(event.data)));
    socket.addEventListener("close", () => {
      if (ended && isRun) return listeners.state(ended, false); // there is nothing more to come
      listeners.state(ended ?? "The connection is lost; it is tried again …", true);
      setTimeout(open, wait);
      wait = Math.min(LONGEST, 2 * wait);
    });
  }

  function take(message) {
    if (message.hello) {
      wait = 500;
      isRun = message.hello.locked !== null;
      since = isRun ? NaN : performance.now(); // before a run begins its simulator may have to be built
      listeners.hello(message.hello, message.history);
      listeners.state(isRun && !message.history.length ? "The run has not begun; its simulator is built first, where necessary." : "Connected", false);
    }
    if (message.ended !== undefined) {
      ended = message.ended;
      socket.close();
    } else if (message.sample) {
      since = performance.now();
      listeners.state("Connected", false);
      listeners.sample(message.sample);
    } else if (!message.hello) {
      listeners.answer(message);
    }
  }

  /** Begins. Listeners: hello(what, history), sample(one), answer({ done | refused }), state(sentence, isLost). */
  function begin(those) {
    listeners = those;
    wait = 500;
    open();
    setInterval(() => {
      if (socket.readyState === WebSocket.OPEN && performance.now() - since > QUIET) listeners.state("No news from the link …", true);
    }, 500);
  }

  /** Sends a message such as { delay_ms: 50 }; of several of a kind in a short time the last one alone. */
  function send(kind, value) {
    const isFirst = !(kind in waiting);
    waiting[kind] = value;
    if (!isFirst) return;
    setTimeout(() => {
      if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ [kind]: waiting[kind] }));
      delete waiting[kind];
    }, EVERY);
  }

  return { begin, send };
})();
