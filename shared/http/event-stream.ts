import { PassThrough, type Readable } from "node:stream";

/** The interval of keep-alive comments, so that no intermediary closes an idle stream. */
const KEEP_ALIVE_MILLISECONDS = 15_000;

/**
 * Runs a function that sends text as a stream of server-sent events (WHATWG HTML, "Server-sent events"): `delta` with
 * `{"text": …}` for each piece, other events under their names, then `done` with the result, or `error` if it fails
 * after its first event.
 *
 * Writes are buffered without limit and so never wait for a reader; answers are small.
 *
 * @param run receives functions to send pieces and other events; its result is the data of `done`
 * @param onFailure receives a failure during the stream; returns the data of `error`
 * @returns at the first event, the stream and a promise that resolves when `run` has ended, whether or not the stream
 *   is read
 * @throws the error of `run` before its first event, when a plain response is still possible
 */
export async function startEventStream(
  run: (onText: (text: string) => void, onEvent: (event: string, data: unknown) => void) => Promise<unknown>,
  onFailure: (error: unknown) => unknown,
): Promise<{ body: Readable; finished: Promise<void> }> {
  const body = new PassThrough();
  body.on("error", () => {}); // the reader has disconnected
  const send = (event: string, data: unknown) => {
    if (!body.destroyed) {
      body.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
    }
  };
  const keepAlive = setInterval(() => !body.destroyed && body.write(": keep-alive\n\n"), KEEP_ALIVE_MILLISECONDS);
  let started = false;
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const onEvent = (event: string, data: unknown) => {
    send(event, data);
    started = true;
    begin();
  };
  const result = run((text) => onEvent("delta", { text }), onEvent);
  const finished = result
    .then(
      (data) => send("done", data),
      (error) => {
        if (started) {
          send("error", onFailure(error));
        }
      },
    )
    .finally(() => {
      clearInterval(keepAlive);
      body.end();
    });
  // Waits for the first event or the end. An end without an event may be a failure, which is thrown.
  await Promise.race([begun, result]);
  return { body, finished };
}
