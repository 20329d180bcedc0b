import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json, text } from "node:stream/consumers";

/** A call of a DynamoDB operation, as sent by the client. */
export interface Call {
  operation: string;
  // biome-ignore lint/suspicious/noExplicitAny: each operation has its own body, in DynamoDB's typed notation
  body: any;
  /** Has the database carry it out, with another body if one is given. */
  forward(body?: unknown): Promise<Answer>;
}

export interface Answer {
  status: number;
  body: Record<string, unknown>;
  /** Cuts the connection in the middle of the response. */
  cutOff?: boolean;
}

/** What happens to a call instead of reaching the database; undefined cuts the connection without a response. */
export type Fault = (call: Call) => Answer | undefined | Promise<Answer | undefined>;

/** Picks calls: those of an operation, all that write, all, or those for which a function returns true. */
export type Picks = string | "writes" | "all" | ((call: Call) => unknown);

/** Stands between a client and its database, and does to chosen calls what the embedded database never does. */
export interface FaultProxy {
  endpoint: string;
  /**
   * Does something to some of the calls from now on. Of several faults for a call, the one that was set first applies.
   *
   * @param times to how many calls
   * @param after how many calls it passes on first: 2 makes the third call the first one with the fault
   */
  fail(picks: Picks, fault: Fault, times?: number, after?: number): void;
  /** Ends all faults, and forgets the calls counted so far. */
  reset(): void;
  /** How many calls have arrived since {@link reset}. A retry is a call. */
  calls(picks?: Picks): number;
  stop(): void;
}

const WRITES = /^(Put|Update|Delete|BatchWrite|TransactWrite)/;

/** @param target the endpoint of the database */
export async function startFaultProxy(target: string): Promise<FaultProxy> {
  let faults: { picks: Picks; fault: Fault; times: number; after: number }[] = [];
  let arrived: Call[] = [];
  const server = createServer(async (incoming, response) => {
    const sent = await text(incoming);
    const call: Call = {
      operation: String(incoming.headers["x-amz-target"]).split(".").at(-1) ?? "",
      body: JSON.parse(sent),
      forward: (body) => send(target, incoming.headers, body === undefined ? sent : JSON.stringify(body)),
    };
    arrived.push(call);
    const fault = nextFault(call);
    reply(response, fault ? await fault(call) : await call.forward());
  });
  const nextFault = (call: Call) => {
    for (const candidate of faults.filter(({ picks, times }) => times > 0 && isPicked(call, picks))) {
      if (candidate.after > 0) {
        candidate.after--;
      } else {
        candidate.times--;
        return candidate.fault;
      }
    }
    return undefined;
  };
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    fail: (picks, fault, times = 1, after = 0) => faults.push({ picks, fault, times, after }),
    reset: () => {
      faults = [];
      arrived = [];
    },
    calls: (picks = "all") => arrived.filter((call) => isPicked(call, picks)).length,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function isPicked(call: Call, picks: Picks): boolean {
  if (typeof picks === "function") {
    return Boolean(picks(call));
  }
  return picks === "all" || (picks === "writes" ? WRITES.test(call.operation) : picks === call.operation);
}

function reply(response: ServerResponse, answer: Answer | undefined): void {
  if (!answer) {
    response.socket?.destroy();
    return;
  }
  const body = JSON.stringify(answer.body);
  const headers = { "content-type": "application/x-amz-json-1.0", "content-length": Buffer.byteLength(body) };
  response.writeHead(answer.status, headers);
  if (answer.cutOff) {
    response.write(body.slice(0, body.length / 2), () => response.socket?.destroy());
  } else {
    response.end(body);
  }
}

/** Sends a call on to the database. (`fetch` would work, at several times the cost.) */
async function send(target: string, headers: IncomingHttpHeaders, body: string): Promise<Answer> {
  const { host: _host, connection: _connection, ...kept } = headers;
  const length = Buffer.byteLength(body);
  const sent = request(target, { method: "POST", headers: { ...kept, "content-length": length } });
  sent.end(body);
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  return { status: response.statusCode ?? 0, body: (await json(response)) as Answer["body"] };
}
