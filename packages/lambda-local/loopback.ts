import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { refusingBrowsers } from "./own-page.ts";

/** A server on loopback. */
export interface Listening {
  /** Such as `http://127.0.0.1:49152`. */
  origin: string;
  /** Accepts no more connections, and closes those that are open. */
  stop(): void;
}

/** Lets a server listen on a free port of loopback. */
export async function listenOnLoopback(server: Server): Promise<Listening> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Serves programs of this machine, and no page in a browser, on a free port of loopback. */
export function servePrograms(listener: RequestListener): Promise<Listening> {
  return listenOnLoopback(createServer(refusingBrowsers(listener)));
}
