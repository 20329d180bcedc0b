import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

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
