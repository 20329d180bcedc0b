import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A line between a browser and a service, on loopback, that can break. */
export interface Line {
  /** The service's address by way of this line. */
  url: string;
  /** Breaks every connection that is open; new ones can be made. */
  cut(): void;
  stop(): void;
}

export async function startLine(targetUrl: string): Promise<Line> {
  const { hostname, port } = new URL(targetUrl);
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.pipe(other);
      socket.on("error", () => {});
      socket.on("close", () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = new URL(targetUrl);
  url.port = String((server.address() as AddressInfo).port);
  const cut = () => {
    for (const socket of sockets) {
      socket.resetAndDestroy();
    }
  };
  return {
    url: url.href,
    cut,
    stop: () => {
      server.close();
      cut();
    },
  };
}
