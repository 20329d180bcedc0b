import { API_KEY } from "./api-key.ts";
import type { Backend } from "./backend.ts";

/** A server-sent event. Comments are skipped. */
export interface ServerEvent {
  event: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests access the data freely
  data: any;
}

/** A streamed answer while it is received. */
export interface OpenStream {
  status: number;
  headers: Headers;
  /** The next event, or undefined at the end. */
  next(): Promise<ServerEvent | undefined>;
  /** All remaining events. */
  rest(): Promise<ServerEvent[]>;
  /** Closes the connection. */
  hangUp(): void;
}

/** Requests a streamed answer from `POST /chat`. */
export async function openStream(
  service: Backend,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<OpenStream> {
  const abort = new AbortController();
  const response = await fetch(`${service.baseUrl}/chat`, {
    method: "POST",
    headers: { "x-api-key": API_KEY, "content-type": "application/json", accept: "text/event-stream", ...headers },
    body: JSON.stringify(body),
    signal: abort.signal,
  });
  const events = parse(response);
  const next = async () => (await events.next()).value ?? undefined;
  return {
    status: response.status,
    headers: response.headers,
    next,
    rest: async () => {
      const all: ServerEvent[] = [];
      for (let event = await next(); event; event = await next()) {
        all.push(event);
      }
      return all;
    },
    hangUp: () => abort.abort(),
  };
}

async function* parse(response: Response): AsyncGenerator<ServerEvent, undefined> {
  let buffer = "";
  const decoder = new TextDecoder();
  for await (const bytes of response.body ?? []) {
    buffer += decoder.decode(bytes, { stream: true });
    for (let end = buffer.indexOf("\n\n"); end >= 0; end = buffer.indexOf("\n\n")) {
      const block = buffer.slice(0, end);
      buffer = buffer.slice(end + 2);
      const event = /^event: (.*)$/m.exec(block)?.[1];
      const data = /^data: (.*)$/m.exec(block)?.[1];
      if (event !== undefined && data !== undefined) {
        yield { event, data: JSON.parse(data) };
      }
    }
  }
  return undefined;
}

/** The concatenated texts of the deltas. */
export function textOf(events: ServerEvent[]): string {
  return events
    .filter(({ event }) => event === "delta")
    .map(({ data }) => data.text)
    .join("");
}
