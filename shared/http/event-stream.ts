import { PassThrough, type Readable } from "node:stream";

/** The interval of keep-alive comments, so that no intermediary closes an idle stream. */
const KEEP_ALIVE_MILLISECONDS = 15_000;

/**
 * Returns a server-sent event (WHATWG HTML, "Server-sent events").
 *
 * @param data sent as JSON
 * @param name undefined for an event without a name
 */
export function serverSentEvent(data: unknown, name?: string): string {
  return `${name === undefined ? "" : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;
}

/**
 * Runs a function that sends a stream of server-sent events.
 *
 * Writes are buffered without limit and so never wait for a reader; answers are small.
 *
 * @param run receives the function that sends events
 * @param failureEvent receives a failure after the first event; returns the event that ends the stream
 * @returns at the first event, the stream and a promise that resolves when `run` has ended, whether or not the stream
 *   is read
 * @throws the error of `run` before its first event, when a plain response is still possible
 */
export async function startEventStream(
  run: (send: (event: string) => void) => Promise<void>,
  failureEvent: (error: unknown) => string,
): Promise<{ body: Readable; finished: Promise<void> }> {
  const body = new PassThrough();
  body.on("error", () => {}); // the reader has disconnected
  const write = (text: string) => {
    if (!body.destroyed) {
      body.write(text);
    }
  };
  const keepAlive = setInterval(() => write(": keep-alive\n\n"), KEEP_ALIVE_MILLISECONDS);
  let started = false;
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const result = run((event) => {
    write(event);
    started = true;
    begin();
  });
  const finished = result
    .catch((error) => {
      if (started) {
        write(failureEvent(error));
      }
    })
    .finally(() => {
      clearInterval(keepAlive);
      body.end();
    });
  // Waits for the first event or the end. An end without an event may be a failure, which is thrown.
  await Promise.race([begun, result]);
  return { body, finished };
}
