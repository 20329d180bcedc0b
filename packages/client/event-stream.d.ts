// Generated from the OpenAPI document by "npm run client:types"; do not edit.

export type ServerEvent = {
  /**
   * its name; "message" when it has none
   */
  event: string;
  /**
   * its lines of data, joined by line feeds
   */
  data: string;
};
/**
 * Reads server-sent events (WHATWG HTML, "Interpreting an event stream") as they arrive. Comments, which keep an idle
 * connection open, are skipped, and so is an incomplete last event. Fields other than `event` and `data` only matter to
 * readers that reconnect, which is left to the caller.
 *
 * @param {ReadableStream<Uint8Array>} stream in pieces of any size. It is canceled when the caller stops
 *   reading
 * @returns {AsyncGenerator<ServerEvent, void, void>} throws what the stream throws
 */
export declare function readEvents(stream: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent, void, void>;
