import { toCurl } from "../curl.ts";

/** What stands for the key wherever a request is shown. */
const KEY_PLACEHOLDER = "$API_KEY";

/** The secret of a webhook, which a response shows only once. */
const SECRET = /whsec_[\w+/=]+/g;

/** A request and its response or failure, as the page shows them. */
export interface Exchange {
  method: string;
  /** Relative to the base URL. */
  path: string;
  /** In lower case; without the key, which stands in no exchange. */
  headers: [name: string, value: string][];
  body: string | undefined;
  /** Undefined until the response has begun. */
  response: { status: number; headers: [name: string, value: string][]; milliseconds: number } | undefined;
  /** As much of the response's body as has come. */
  received: string;
  state: "open" | "complete" | "stopped" | "lost";
}

/** The request as it went over the wire, but for the key. */
export function requestText({ method, path, headers, body }: Exchange): string {
  return message(`${method} ${path}`, [["x-api-key", KEY_PLACEHOLDER], ...headers], formatted(body ?? ""));
}

/** The response, or as much of it as has come. */
export function responseText({ response, received, state }: Exchange): string {
  const body = (state === "complete" ? formatted(received) : received).replaceAll(SECRET, "$WEBHOOK_SECRET");
  const words = textOfStream(received);
  const whole =
    words === "" ? body : `The text of its pieces, one after the other:\n\n${words}\n\nThe events:\n\n${body}`;
  return response ? message(`status ${response.status}`, response.headers, whole) : "";
}

/** The texts of a stream's deltas, of which each has a word or two. */
function textOfStream(received: string): string {
  return [...received.matchAll(/^event: delta\ndata: (.*)\n/gm)]
    .map(([, data = "{}"]) => JSON.parse(data).text ?? "")
    .join("");
}

/** The outcome of the request, in a few words. */
export function outcome({ response, state }: Exchange): string {
  const status = response ? `${response.status}, ${response.milliseconds} ms` : "";
  const end = {
    open: response ? "still arriving" : "waiting",
    complete: "",
    stopped: "stopped",
    lost: "connection lost",
  }[state];
  return [status, end].filter(Boolean).join(", ");
}

/** The request as a command; the client's own headers are in it, so that it does the very same. */
export function curlOf({ method, path, headers, body }: Exchange): string {
  return toCurl({ method, path, withKey: true, headers: Object.fromEntries(headers), body });
}

/** JSON over several lines; any other text as it is. */
export function formatted(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}

function message(start: string, headers: [name: string, value: string][], body: string): string {
  return [start, ...headers.map(([name, value]) => `${name}: ${value}`), "", body].join("\n");
}
