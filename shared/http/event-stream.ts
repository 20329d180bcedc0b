import { PassThrough, type Readable } from "node:stream";

/** How often an idle stream says that it is alive, so that nothing on the way takes it for dead. */
const KEEP_ALIVE_MILLISECONDS = 15_000;

/**
 * Runs something that speaks, as a stream of server-sent events (WHATWG HTML, "Server-sent events"): `delta` with
 * `{"text": …}` for each piece, other events as it names them, `done` with the result, or `error` if it fails after its
 * first event.
 *
 * What it writes is buffered without bound, and so never waits for a reader; an answer is small.
 *
 * @param run receives functions that take the pieces and other events; its result is the data of `done`
 * @param onFailure receives a failure in mid-stream; returns the data of `error`
 * @returns at the first event: the stream, and a promise that resolves when `run` has ended, read or not
 * @throws what `run` fails with before its first event, when a plain response can still be given
 */
export async function startEventStream(
  run: (onText: (text: string) => void, onEvent: (event: string, data: unknown) => void) => Promise<unknown>,
  onFailure: (error: unknown) => unknown,
): Promise<{ body: Readable; finished: Promise<void> }> {
  const body = new PassThrough();
  body.on("error", () => {}); // the reader has gone
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
  // Whichever comes first: an event, or the end; an end without an event may be a failure, which is thrown.
  await Promise.race([begun, result]);
  return { body, finished };
}
