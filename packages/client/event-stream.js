/**
 * @typedef {object} ServerEvent
 * @property {string} event its name; "message" when it has none
 * @property {string} data its lines of data, joined by line feeds
 */

/**
 * Reads server-sent events (WHATWG HTML, "Interpreting an event stream") as they arrive. Comments, which keep an idle
 * connection open, are skipped, and so is an incomplete last event. Fields other than `event` and `data` only matter to
 * readers that reconnect, which is left to the caller.
 *
 * @param {ReadableStream<Uint8Array>} stream in pieces of any size. It is canceled when the caller stops
 *   reading
 * @returns {AsyncGenerator<ServerEvent, void, void>} throws what the stream throws
 */
export async function* readEvents(stream) {
  let event = "";
  /** @type {string[]} */
  let data = [];
  for await (const line of readLines(stream)) {
    const [, field, value = ""] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (line === "") {
      if (data.length > 0) {
        yield { event: event || "message", data: data.join("\n") };
      }
      event = "";
      data = [];
    } else if (field === "event") {
      event = value;
    } else if (field === "data") {
      data.push(value);
    }
  }
}

/**
 * The lines of a UTF-8 stream, which end with LF, CR LF or CR; without a byte order mark.
 *
 * @param {ReadableStream<Uint8Array>} stream
 * @returns {AsyncGenerator<string, void, void>} without an incomplete last line
 */
async function* readLines(stream) {
  // Not `for await` over the stream itself, which Safari does not support.
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      rest += decoder.decode(value, { stream: !done });
      // A CR at the end of a piece may be the first half of a CR LF, unless it is the last piece.
      const lines = rest.split(done ? /\r\n|\n|\r/ : /\r\n|\n|\r(?!$)/);
      rest = lines.pop() ?? "";
      yield* lines;
      if (done) {
        return;
      }
    }
  } finally {
    await reader.cancel().catch(() => {}); // if the stream failed, `read` has thrown already
  }
}
