import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Socket, type Server as TcpServer } from "node:net";
import { setTimeout } from "node:timers/promises";
import { afterEach, describe, expect, test } from "@jest/globals";
import { fetchWithin, preconnect } from "../../../shared/model/model-fetch.ts";

const CONNECT_MILLISECONDS = 150;
const fetch = fetchWithin(CONNECT_MILLISECONDS);

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) {
    stop();
  }
});

async function listen(server: TcpServer | Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

/** An HTTP server; counts its connections. */
async function serve(listener: RequestListener) {
  const server = createServer(listener);
  const served = { url: "", connections: 0 };
  server.on("connection", () => served.connections++);
  served.url = `http://127.0.0.1:${await listen(server)}/v1/path?query=1`;
  stops.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return served;
}

describe("a connection", () => {
  test("whose TLS handshake never ends is abandoned at the connect limit", async () => {
    const sockets: Socket[] = [];
    const server = createTcpServer((socket) => sockets.push(socket.on("error", () => {})));
    const port = await listen(server);
    stops.push(() => {
      server.close();
      for (const socket of sockets) {
        socket.destroy();
      }
    });
    await expect(fetch(`https://127.0.0.1:${port}`)).rejects.toThrow("no connection within the limit");
    expect(sockets).toHaveLength(1);
  });

  test("that is refused throws the connection's own error", async () => {
    const server = createTcpServer();
    const port = await listen(server);
    server.close();
    await once(server, "close");
    await expect(fetch(`http://127.0.0.1:${port}`)).rejects.toMatchObject({ code: "ECONNREFUSED" });
  });

  test("that is already open is not abandoned while a later response is slow", async () => {
    const served = await serve(async (_, response) => {
      await setTimeout(2 * CONNECT_MILLISECONDS);
      response.end("answer");
    });
    for (let request = 0; request < 2; request++) {
      expect(await (await fetch(served.url)).text()).toBe("answer");
    }
    expect(served.connections).toBe(1);
  });
});

describe("an idle connection that the server has closed", () => {
  test("is replaced, however many such connections there are", async () => {
    const used = new Set<Socket>();
    const served = await serve(({ socket }, response) => {
      if (used.has(socket)) {
        socket.destroy();
      } else {
        used.add(socket);
        response.end("answer");
      }
    });
    const send = async () => (await fetch(served.url)).text();
    await Promise.all([send(), send(), send(), send(), send()]);
    expect(served.connections).toBe(5);
    expect(await send()).toBe("answer");
  });

  test("is not replaced again when the new connection fails too", async () => {
    let requests = 0;
    const served = await serve((_, response) => {
      requests++;
      if (requests === 1) {
        response.end("answer");
      } else {
        response.destroy();
      }
    });
    await (await fetch(served.url)).text();
    await expect(fetch(served.url)).rejects.toMatchObject({ code: "ECONNRESET" });
    expect(requests).toBe(3);
  });

  test("is not replaced once the response has started", async () => {
    let requests = 0;
    const served = await serve((_, response) => {
      requests++;
      if (requests === 1) {
        response.end("answer");
      } else {
        response.writeHead(200, { "content-length": 100 }).write("half", () => response.destroy());
      }
    });
    await (await fetch(served.url)).text();
    await expect((await fetch(served.url)).text()).rejects.toThrow();
    expect(requests).toBe(2);
  });
});

describe("a preconnect", () => {
  test("sends no key and opens the connection that the first request uses", async () => {
    const keys: unknown[] = [];
    const served = await serve(({ headers }, response) => {
      keys.push(headers.authorization);
      response.writeHead(404).end("not found");
    });
    await preconnect(served.url);
    await (await fetch(served.url, { method: "POST", headers: [["authorization", "Bearer key"]] })).text();
    expect(keys).toEqual([undefined, "Bearer key"]);
    expect(served.connections).toBe(1);
  });

  test("is abandoned when the server never responds", async () => {
    const served = await serve(() => {});
    await expect(preconnect(served.url)).rejects.toMatchObject({ name: "AbortError" });
    expect(served.connections).toBe(1);
  });
});

describe("an abort signal", () => {
  test("ends a request without a response, and its connection", async () => {
    const arrived = Promise.withResolvers<void>();
    const closed = Promise.withResolvers<void>();
    const served = await serve((request) => {
      request.socket.once("close", () => closed.resolve());
      arrived.resolve();
    });
    const abort = new AbortController();
    const response = fetch(served.url, { signal: abort.signal });
    const failure = expect(response).rejects.toMatchObject({ name: "AbortError" });
    await arrived.promise;
    abort.abort();
    await failure;
    await closed.promise;
  });

  test("that is already aborted prevents the request", async () => {
    const served = await serve((_, response) => response.end());
    await expect(fetch(served.url, { signal: AbortSignal.abort() })).rejects.toMatchObject({ name: "AbortError" });
    expect(served.connections).toBe(0);
  });
});
