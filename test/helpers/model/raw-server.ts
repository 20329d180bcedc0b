import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";

/**
 * A server on loopback that answers each request with exactly these bytes, valid HTTP or not, and closes the
 * connection.
 */
export interface RawServer {
  baseUrl: string;
  /** The bytes of the response. */
  response: string | Buffer;
  stop(): void;
}

export async function startRawServer(): Promise<RawServer> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => {}); // the client has closed the connection
    let received = "";
    socket.on("data", (data) => {
      received += data.toString("latin1");
      const head = received.indexOf("\r\n\r\n");
      const length = Number(/^content-length: *(\d+)/im.exec(received)?.[1] ?? 0);
      if (head >= 0 && received.length >= head + 4 + length) {
        socket.end(raw.response);
      }
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const raw: RawServer = {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    response: "",
    stop: () => {
      server.close();
      for (const socket of sockets) {
        socket.destroy();
      }
    },
  };
  return raw;
}
