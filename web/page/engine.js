// The engine as the page sees it: requests as promises, a session that outlives its worker.
//
// A command that is stopped, or that breaks the engine, costs the worker. A new one takes the files and runs the entries of the
// session again, unseen, so that names and numbers are as they were.

const encoder = new TextEncoder();
const MISSING = "this needs the rest of the engine, which cannot be fetched; try again later";
const DEEP = "the input is nested too deeply for this browser";
const BUG = "internal error: this is a bug in affinor, please report it";

export class Engine {
  constructor() {
    this.entries = [];
    this.files = new Map();
    this.next = 1;
    // The parts of the engine as they are compiled: a new worker needs no network.
    this.modules = {};
    this.restored = Promise.resolve();
    this.start();
  }

  start() {
    this.waiting = new Map();
    this.worker = new Worker("worker.js", { type: "module" });
    this.worker.postMessage({ kept: this.modules });
    this.ready = new Promise((done, fail) => {
      this.worker.onmessage = ({ data }) => {
        Object.assign(this.modules, data.modules);
        if (data.ready) {
          done();
        } else if (data.failed) {
          fail(new Error(data.failed));
        } else {
          this.receive(data);
        }
      };
    });
    this.ready.catch(() => {});
  }

  receive({ id, event, panic, reply, broken, isMissing }) {
    const request = this.waiting.get(id);
    if (!request) {
      return;
    }
    if (event) {
      request.show(event);
    } else if (panic) {
      request.panic = panic;
    } else if (broken) {
      this.waiting.delete(id);
      // Requests behind the one that broke the worker are asked again in the next.
      const behind = [...this.waiting.values()];
      const cause = isMissing ? MISSING : /stack/.test(broken) ? DEEP : BUG;
      this.restart().then(() => {
        request.fail(new Error(`${cause} (${request.panic ?? broken})`));
        behind.forEach(({ again, done, fail }) => again().then(done, fail));
      });
    } else {
      this.waiting.delete(id);
      request.done(reply);
    }
  }

  /** Sends a request; `show` receives its events. */
  async ask(request, content = new Uint8Array(), show = () => {}) {
    await this.ready;
    const head = encoder.encode(JSON.stringify(request) + "\n");
    const bytes = new Uint8Array(head.length + content.length);
    bytes.set(head);
    bytes.set(content, head.length);
    const id = this.next++;
    return new Promise((done, fail) => {
      const again = () => this.ask(request, content, show);
      this.waiting.set(id, { done, fail, show, again });
      this.worker.postMessage({ id, bytes }, [bytes.buffer]);
    });
  }

  /** Runs what was entered, and keeps it as part of the session if it ends. */
  async enter(text, show) {
    for (let seen; seen !== this.restored; ) {
      seen = this.restored;
      await seen;
    }
    const reply = await this.ask({ do: "enter", text }, undefined, show);
    if (reply.quit) {
      this.entries = [];
      await this.restart();
    } else if (text.trim()) {
      this.entries.push(text);
    }
    return reply;
  }

  async keep(name, content) {
    this.files.set(name, content);
    await this.ask({ do: "keep", name }, content);
  }

  /** Ends what runs, whose promises are rejected, and restores the session. */
  async stop() {
    const running = [...this.waiting.values()];
    const restored = this.restart();
    for (const request of running) {
      request.fail(new Error("stopped"));
    }
    await restored;
  }

  /** A new worker with the session; entries wait for it. One that is ended while it restores leaves that to the next. */
  restart() {
    this.worker.terminate();
    this.start();
    this.restored = (async () => {
      for (const [name, content] of this.files) {
        await this.ask({ do: "keep", name }, content);
      }
      for (const text of this.entries) {
        await this.ask({ do: "enter", text });
      }
    })().catch(() => {});
    return this.restored;
  }
}
