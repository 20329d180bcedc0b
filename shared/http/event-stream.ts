import { PassThrough, type Readable } from "node:stream";

/** How often an idle stream says that it is alive, so that nothing on the way takes it for dead. */
const KEEP_ALIVE_MILLISECONDS = 15_000;

/**
 * Runs something that speaks, as a stream of server-sent events (WHATWG HTML, "Server-sent events"): `delta` with
 * `{"text": …}` for each piece, `done` with the result, or `error` when it fails after it has begun to speak.
 *
 * What it writes is buffered without bound, and so never waits for a reader; an answer is small.
 *
 * @param run given what takes the pieces; its result is the data of `done`
 * @param onFailure told of a failure in mid-stream; returns the data of `error`
 * @returns at the first piece: the stream, and a promise that resolves when `run` has ended, read or not
 * @throws what `run` fails with before its first piece, when a plain response can still be given
 */
export async function startEventStream(
  run: (onText: (text: string) => void) => Promise<unknown>,
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
  let spoken = false;
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const result = run((text) => {
    send("delta", { text });
    spoken = true;
    begin();
  });
  const finished = result
    .then(
      (data) => send("done", data),
      (error) => {
        if (spoken) {
          send("error", onFailure(error));
        }
      },
    )
    .finally(() => {
      clearInterval(keepAlive);
      body.end();
    });
  // Whichever comes first: a piece, or the end; an end without a piece may be a failure, which is thrown.
  await Promise.race([begun, result]);
  return { body, finished };
}
