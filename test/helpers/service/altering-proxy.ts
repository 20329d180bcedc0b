import { createServer, request } from "node:http";
import { text } from "node:stream/consumers";
import { listenOnLoopback } from "../../../packages/lambda-local/loopback.ts";

/** A response that passes through the proxy. */
export interface PassingAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

/** Alters the first response that fits. */
export interface Alteration {
  /** @param request the method and the path relative to the base URL, such as `GET /threads/12345` */
  fits: (request: string, answer: PassingAnswer) => boolean;
  alter: (answer: PassingAnswer) => PassingAnswer;
}

/** A proxy on loopback that forwards everything unchanged, except for one response. */
export interface AlteringProxy {
  baseUrl: string;
  stop(): void;
}

export async function startAlteringProxy(targetUrl: string, alteration: Alteration): Promise<AlteringProxy> {
  const { hostname, port, pathname } = new URL(targetUrl);
  let altered = false;
  const server = createServer((incoming, outgoing) => {
    const { method, url: path = "" } = incoming;
    const { "accept-encoding": _, ...headers } = incoming.headers; // bodies are read as text
    const onward = request({ hostname, port, method, path, headers }, async (response) => {
      const { "transfer-encoding": _, "content-length": __, ...kept } = response.headers;
      const answer = { status: response.statusCode ?? 0, headers: kept, body: await text(response) };
      const below = path.slice(pathname.length).split("?")[0];
      const fits = !altered && alteration.fits(`${method} ${below}`, answer);
      altered ||= fits;
      const { status, headers: sent, body } = fits ? alteration.alter(answer) : answer;
      outgoing.writeHead(status, sent).end(body);
    });
    onward.on("error", () => outgoing.destroy());
    incoming.pipe(onward);
  });
  const { origin, stop } = await listenOnLoopback(server);
  return {
    baseUrl: `${origin}${pathname}`,
    stop,
  };
}
