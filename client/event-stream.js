/**
 * @typedef {object} ServerEvent
 * @property {string} event its name; "message" when it has none
 * @property {string} data its lines of data, joined by line feeds
 */

/**
 * Reads server-sent events (WHATWG HTML, "Interpreting an event stream") as they arrive. Comments, which keep an idle
 * connection open, are skipped, and so is an event that the end of the stream cuts off. Fields other than `event` and
 * `data` mean something only to a reader that reconnects by itself, which this one leaves to its caller.
 *
 * @param {ReadableStream<Uint8Array>} stream in pieces of any size: lines and characters may be cut anywhere. It is
 *   cancelled when the caller stops reading
 * @returns {AsyncGenerator<ServerEvent, void, void>} fails with what the stream fails with
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
 * The lines of a stream of UTF-8, without a byte order mark, ended by LF, CR LF or CR.
 *
 * @param {ReadableStream<Uint8Array>} stream
 * @returns {AsyncGenerator<string, void, void>} without what stands after the last end of a line
 */
async function* readLines(stream) {
  // Not `for await` over the stream itself, which Safari does not know.
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      rest += decoder.decode(value, { stream: !done });
      // A CR at the end of what has arrived may be the first half of a CR LF, unless nothing more comes.
      const lines = rest.split(done ? /\r\n|\n|\r/ : /\r\n|\n|\r(?!$)/);
      rest = lines.pop() ?? "";
      yield* lines;
      if (done) {
        return;
      }
    }
  } finally {
    await reader.cancel().catch(() => {}); // of a stream that has failed, the failure is already on its way
  }
}
