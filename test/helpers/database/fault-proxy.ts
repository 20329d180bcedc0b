import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request, type ServerResponse } from "node:http";
import { json, text } from "node:stream/consumers";
import { listenOnLoopback } from "../../../packages/lambda-local/loopback.ts";

/** A DynamoDB call, as sent by the client. */
export interface Call {
  operation: string;
  /** Of the client; that of a function contains its name. */
  userAgent: string;
  /** 1 for the client's first attempt. */
  attempt: number;
  // biome-ignore lint/suspicious/noExplicitAny: each operation has its own body, in DynamoDB's typed notation
  body: any;
  /** Forwards the call to the database, with another body if one is given. */
  forward(body?: unknown): Promise<Answer>;
}

export interface Answer {
  status: number;
  body: Record<string, unknown>;
  /** Closes the connection in the middle of the response. */
  cutOff?: boolean;
}

/** Handles a call in place of the database; undefined closes the connection without a response. */
export type Fault = (call: Call) => Answer | undefined | Promise<Answer | undefined>;

/** Selects calls: those of one operation, all writes, all calls, or those for which a function returns true. */
export type Picks = string | "writes" | "all" | ((call: Call) => unknown);

/** A proxy between a client and its database that injects faults which the embedded database never has. */
export interface FaultProxy {
  endpoint: string;
  /**
   * Applies a fault to selected calls from now on. If several faults match a call, the one that was set first applies.
   *
   * @param times the number of calls that get the fault
   * @param after the number of matching calls to forward first: with 2, the third call is the first with the fault
   */
  fail(picks: Picks, fault: Fault, times?: number, after?: number): void;
  /** Removes all faults and resets the call count. */
  reset(): void;
  /** The number of calls since {@link reset}, including retries. */
  calls(picks?: Picks): number;
  stop(): void;
}

const WRITES = /^(Put|Update|Delete|BatchWrite|TransactWrite)/;

/** @param target the endpoint of the database */
export async function startFaultProxy(target: string): Promise<FaultProxy> {
  let faults: { picks: Picks; fault: Fault; times: number; after: number }[] = [];
  let arrived: Call[] = [];
  // A connection that the proxy closed because it was idle would be a fault that no test asked for.
  const server = createServer({ keepAliveTimeout: 0 }, async (incoming, response) => {
    const sent = await text(incoming);
    const call: Call = {
      operation: String(incoming.headers["x-amz-target"]).split(".").at(-1) ?? "",
      userAgent: incoming.headers["user-agent"] ?? "",
      attempt: Number(/attempt=(\d+)/.exec(String(incoming.headers["amz-sdk-request"]))?.[1] ?? 1),
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
  const { origin, stop } = await listenOnLoopback(server);
  return {
    endpoint: origin,
    fail: (picks, fault, times = 1, after = 0) => faults.push({ picks, fault, times, after }),
    reset: () => {
      faults = [];
      arrived = [];
    },
    calls: (picks = "all") => arrived.filter((call) => isPicked(call, picks)).length,
    stop,
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

/** Forwards a call to the database. (`fetch` would work too, at several times the cost.) */
async function send(target: string, headers: IncomingHttpHeaders, body: string): Promise<Answer> {
  const { host: _host, connection: _connection, ...kept } = headers;
  const length = Buffer.byteLength(body);
  const sent = request(target, { method: "POST", headers: { ...kept, "content-length": length } });
  sent.end(body);
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  return { status: response.statusCode ?? 0, body: (await json(response)) as Answer["body"] };
}
