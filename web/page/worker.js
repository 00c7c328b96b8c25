// Runs the engine. A message names a request by a number and brings its bytes; events and the reply go back with that number.

let engine;
let current = 0;

const text = (start, length) => new TextDecoder().decode(new Uint8Array(engine.memory.buffer, start, length));

const imports = {
  page: {
    show: (start, length) => postMessage({ id: current, event: JSON.parse(text(start, length)) }),
    panicked: (start, length) => postMessage({ id: current, panic: text(start, length) }),
    now: () => performance.now(),
  },
};

const ready = WebAssembly.instantiateStreaming(fetch("engine.wasm"), imports).then(
  ({ instance }) => {
    engine = instance.exports;
    postMessage({ ready: true });
  },
  (error) => postMessage({ failed: `the engine cannot be loaded: ${error.message}` }),
);

onmessage = async ({ data }) => {
  await ready;
  if (!engine) {
    return;
  }
  current = data.id;
  try {
    const start = engine.buffer(data.bytes.length);
    new Uint8Array(engine.memory.buffer, start, data.bytes.length).set(data.bytes);
    const length = engine.answer();
    postMessage({ id: data.id, reply: JSON.parse(text(engine.reply(), length)) });
  } catch (error) {
    postMessage({ id: data.id, broken: String(error.message) });
  }
};
