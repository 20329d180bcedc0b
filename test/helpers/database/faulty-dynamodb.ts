import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";
import { json, text } from "node:stream/consumers";

type Json = Record<string, unknown>;

/** A call of a DynamoDB operation, as it came over the wire. */
export interface Call {
  operation: string;
  // biome-ignore lint/suspicious/noExplicitAny: each operation has a body of its own, in DynamoDB's typed notation
  body: any;
  /** Has the database carry it out, with another body if one is given. */
  forward(body?: unknown): Promise<Answer>;
}

export interface Answer {
  status: number;
  body: Json;
}

/** What happens to a call instead of reaching the database; undefined cuts the connection without an answer. */
export type Fault = (call: Call) => Answer | undefined | Promise<Answer | undefined>;

/** Stands between a client and its database, and does to chosen calls what the embedded database never does. */
export interface FaultyDynamoDb {
  endpoint: string;
  /** Does something to the next calls of an operation: to `times` of them. Several faults follow each other. */
  fail(operation: string, fault: Fault, times?: number): void;
  /** Ends all faults, and forgets the calls counted so far. */
  reset(): void;
  /** How many calls have arrived since {@link reset}: of one operation, or of all. */
  calls(operation?: string): number;
  stop(): void;
}

/** A transaction is cancelled, each of its actions for this reason. */
export function refused(reason: string): Fault {
  return ({ body }) =>
    refusal("TransactionCanceledException", {
      message: `Transaction cancelled, please refer cancellation reasons for specific reasons [${reason}]`,
      CancellationReasons: body.TransactItems.map(() => ({ Code: reason })),
    });
}

/** Another transaction is touching the same item. */
export const conflict: Fault = (call) =>
  call.operation === "TransactWriteItems"
    ? refused("TransactionConflict")(call)
    : refusal("TransactionConflictException");

export const throttled: Fault = () => refusal("ProvisionedThroughputExceededException");

export const internalError: Fault = () => ({ ...refusal("InternalServerError"), status: 500 });

/** The first try of the same transaction is still being carried out. */
export const inProgress: Fault = () => refusal("TransactionInProgressException");

/** The call never arrives. */
export const lost: Fault = () => undefined;

/** The call is carried out, but the answer does not come back. */
export const answerLost: Fault = async ({ forward }) => {
  await forward();
  return undefined;
};

/** A secondary index that does not know yet what was written to its table. */
export const staleIndex: Fault = ({ body, forward }) =>
  body.IndexName ? { status: 200, body: { Items: [], Count: 0, ScannedCount: 0 } } : forward();

/** A batch of which only the first item is processed. */
export const unprocessed: Fault = async ({ body, forward }) => {
  const [[table, [first, ...rest]]] = Object.entries(body.RequestItems) as [[string, unknown[]]];
  await forward({ ...body, RequestItems: { [table]: [first] } });
  return { status: 200, body: { UnprocessedItems: rest.length > 0 ? { [table]: rest } : {} } };
};

/** Lets something happen before the call is carried out: after its caller's last look, and before its write. */
export function after(event: (call: Call) => unknown): Fault {
  return async (call) => {
    await event(call);
    return call.forward();
  };
}

function refusal(type: string, details: Json = {}): Answer {
  return { status: 400, body: { __type: `com.amazonaws.dynamodb.v20120810#${type}`, message: type, ...details } };
}

/** @param target the endpoint of the database */
export async function startFaultyDynamoDb(target: string): Promise<FaultyDynamoDb> {
  let faults: { operation: string; fault: Fault; times: number }[] = [];
  let arrived: string[] = [];
  const server = createServer(async (incoming, response) => {
    const operation = String(incoming.headers["x-amz-target"]).split(".").at(-1) ?? "";
    arrived.push(operation);
    const sent = await text(incoming);
    const forward = (body?: unknown) =>
      send(target, incoming.headers, body === undefined ? sent : JSON.stringify(body));
    const planned = faults.find((candidate) => candidate.operation === operation && candidate.times > 0);
    if (planned) {
      planned.times--;
    }
    const answer = planned ? await planned.fault({ operation, body: JSON.parse(sent), forward }) : await forward();
    if (answer) {
      response.writeHead(answer.status, { "content-type": "application/x-amz-json-1.0" });
      response.end(JSON.stringify(answer.body));
    } else {
      incoming.socket.destroy();
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    fail: (operation, fault, times = 1) => faults.push({ operation, fault, times }),
    reset: () => {
      faults = [];
      arrived = [];
    },
    calls: (operation) => arrived.filter((one) => operation === undefined || one === operation).length,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Sends a call on to the database. (`fetch` would do, at several times the cost.) */
async function send(target: string, headers: IncomingHttpHeaders, body: string): Promise<Answer> {
  const { host: _host, connection: _connection, ...kept } = headers;
  const length = Buffer.byteLength(body);
  const sent = request(target, { method: "POST", headers: { ...kept, "content-length": length } });
  sent.end(body);
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  return { status: response.statusCode ?? 0, body: (await json(response)) as Json };
}
