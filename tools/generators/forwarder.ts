import { createServer, request } from "node:http";
import { listenOnLoopback } from "../../local/loopback.ts";

/** Passes requests on to a service, and sees the URLs that clients really send. */
export interface Forwarder {
  baseUrl: string;
  /** How many requests had a text in their URLs. */
  urlsWith(text: string): number;
  stop(): void;
}

/** Starts a forwarder on the loopback interface. */
export async function startForwarder(target: string): Promise<Forwarder> {
  const urls: string[] = [];
  const server = createServer((incoming, response) => {
    urls.push(incoming.url ?? "");
    const { method, headers } = incoming;
    const outgoing = request(new URL(incoming.url ?? "", target), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    outgoing.on("error", () => response.destroy());
    incoming.pipe(outgoing);
  });
  const { origin, stop } = await listenOnLoopback(server);
  return {
    baseUrl: `${origin}${new URL(target).pathname}`,
    urlsWith: (text) => urls.filter((url) => url.includes(text)).length,
    stop,
  };
}
