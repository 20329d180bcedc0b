// Made from the OpenAPI document by "npm run client:types"; not to be changed by hand.

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
 * connection open, are skipped, and so is an event that the end of the stream cuts off. Fields other than `event` and
 * `data` mean something only to a reader that reconnects by itself, which this one leaves to its caller.
 *
 * @param {ReadableStream<Uint8Array>} stream in pieces of any size: lines and characters may be cut anywhere. It is
 *   cancelled when the caller stops reading
 * @returns {AsyncGenerator<ServerEvent, void, void>} fails with what the stream fails with
 */
export declare function readEvents(stream: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent, void, void>;
