// SPDX-License-Identifier: Apache-2.0
// Search of the documentation where its pages are files of a folder: browsers start no worker for these, so a hidden frame takes its place.
// Material for MkDocs takes a polyfill of this name in place of one from a server.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      this.loaded = new Promise((done) => this.frame.addEventListener("load", done));
      document.body.append(this.frame);
      const inside = this.frame.contentWindow;
      inside.document.open();
      inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      inside.document.write(`<script src="${url}"></script>`);
      inside.document.close();
    }

    async postMessage(data) {
      await this.loaded;
      this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data }));
    }
  };
}
