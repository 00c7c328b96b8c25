// A session in the fragment of an address: entries between record separators, deflated, in base64url; `link --page` of the
// terminal writes the same.

const SEPARATOR = "\u001e";
const KEY = "#s=";
/** Most characters of a fragment, most bytes and entries of a session in one. */
const LIMITS = { fragment: 1 << 16, bytes: 1 << 18, entries: 200 };

async function all(stream, limit) {
  const chunks = [];
  let length = 0;
  for (const reader = stream.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) {
      break;
    }
    length += value.length;
    if (length > limit) {
      await reader.cancel();
      throw new Error("the session in the link is too large");
    }
    chunks.push(value);
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

export async function written(entries) {
  const packed = new Blob([entries.join(SEPARATOR)]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = await all(packed, Infinity);
  let binary = "";
  for (const byte of bytes) {
    binary += String.fromCharCode(byte);
  }
  const fragment = KEY + btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
  if (fragment.length > LIMITS.fragment || entries.length > LIMITS.entries) {
    throw new Error("the session is too large for a link; save it as a script");
  }
  return fragment;
}

/** The entries of a session in a fragment; none if it has no session. */
export async function read(fragment) {
  if (!fragment.startsWith(KEY)) {
    return [];
  }
  if (fragment.length > LIMITS.fragment) {
    throw new Error("the session in the link is too large");
  }
  let bytes;
  try {
    const binary = atob(fragment.slice(KEY.length).replaceAll("-", "+").replaceAll("_", "/"));
    const packed = Uint8Array.from(binary, (character) => character.charCodeAt(0));
    bytes = await all(new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw")), LIMITS.bytes);
  } catch (error) {
    throw /too large/.test(error.message) ? error : new Error("the session in the link cannot be read; was it cut off?");
  }
  const entries = new TextDecoder().decode(bytes).split(SEPARATOR);
  if (entries.length > LIMITS.entries) {
    throw new Error("the session in the link is too large");
  }
  return entries.filter((entry) => entry.trim());
}
