// Runs the engine. A message names a request by a number and brings its bytes; events and the reply go back with that number.
//
// The engine comes in two parts, which web/split makes. The page is ready as soon as the first is here; the whole arrives behind it,
// and works in the memory of the first. An answer that needs it earlier asks for it by `load`, and waits.

/** Milliseconds after which the whole is fetched: somebody who asks at once is answered first. */
const AFTER = 1000;

let first;
let engine;
let current = 0;

const text = (start, length) => new TextDecoder().decode(new Uint8Array(first.memory.buffer, start, length));

const page = {
  show: (start, length) => postMessage({ id: current, event: JSON.parse(text(start, length)) }),
  panicked: (start, length) => postMessage({ id: current, panic: text(start, length) }),
  now: () => performance.now(),
  load: () => engine === first && use(fetched()),
};

/** Thrown where the whole engine is needed and cannot be had. */
class Missing extends Error {}

/** The whole engine, while an answer waits. */
function fetched() {
  const request = new XMLHttpRequest();
  request.open("GET", "whole.wasm", false);
  request.responseType = "arraybuffer";
  try {
    request.send();
  } catch {
    throw new Missing("is this computer offline?");
  }
  if (!request.response || !(request.status === 200 || request.status === 0)) {
    throw new Missing(`status ${request.status}`);
  }
  return new WebAssembly.Module(request.response);
}

function use(whole) {
  engine = new WebAssembly.Instance(whole, { page, first }).exports;
  postMessage({ modules: { whole } });
}

/** Starts with the parts that the page has from an earlier worker. */
async function start(kept) {
  try {
    const part = kept.first ?? (await WebAssembly.compileStreaming(fetch("engine.wasm")));
    first = engine = (await WebAssembly.instantiate(part, { page })).exports;
    if (kept.whole) {
      use(kept.whole);
    }
    engine.warm();
    postMessage({ ready: true, modules: { first: part } });
  } catch (error) {
    engine = undefined;
    postMessage({ failed: `the engine cannot be loaded: ${error.message}` });
    return;
  }
  if (engine === first) {
    setTimeout(prefetch, AFTER);
  }
}

/** Where this fails, an answer that needs the whole tries again, and says so. */
async function prefetch() {
  if (engine !== first) {
    return;
  }
  const whole = await WebAssembly.compileStreaming(fetch("whole.wasm")).catch(() => null);
  if (whole && engine === first) {
    use(whole);
    engine.warm();
  }
}

let ready;

onmessage = async ({ data }) => {
  if (data.kept) {
    ready = start(data.kept);
    return;
  }
  await ready;
  if (!engine) {
    return;
  }
  current = data.id;
  try {
    const start = engine.buffer(data.bytes.length);
    new Uint8Array(first.memory.buffer, start, data.bytes.length).set(data.bytes);
    const length = engine.answer();
    postMessage({ id: data.id, reply: JSON.parse(text(engine.reply(), length)) });
  } catch (error) {
    postMessage({ id: data.id, broken: String(error.message), isMissing: error instanceof Missing });
  }
};
