import type { Exchange } from "../exchange.ts";

/** `Date` is cut off to seconds, so it is later than it says; a countdown should rather end too early and ask again. */
const DATE_PRECISION = 1_000;

/** Sends requests as the platform's `fetch` does, and lets someone see each of them and its response as it arrives. */
export class Recorder {
  /** What the service's clock is ahead of this machine's, in milliseconds, by the last response's `Date`. */
  clockOffset = 0;
  private readonly baseUrl: string;
  private readonly onChange: (exchange: Exchange) => void;

  /** @param onChange told of each exchange when it begins, and again whenever there is more of it */
  constructor(baseUrl: string, onChange: (exchange: Exchange) => void) {
    this.baseUrl = baseUrl;
    this.onChange = onChange;
  }

  /** For the client's option `fetch`. */
  readonly fetch = async (input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> => {
    const exchange: Exchange = {
      method: init.method ?? "GET",
      path: String(input).slice(this.baseUrl.length),
      headers: [...new Headers(init.headers)].filter(([name]) => name !== "x-api-key"),
      body: typeof init.body === "string" ? init.body : undefined,
      response: undefined,
      received: "",
      state: "open",
    };
    this.onChange(exchange);
    const end = (state: Exchange["state"]) => {
      if (exchange.state !== "open") {
        return; // a reader who has what it wanted cancels, and what comes of that is no news
      }
      exchange.state = init.signal?.aborted ? "stopped" : state;
      this.onChange(exchange);
    };
    const startedAt = performance.now();
    try {
      const response = await fetch(input, init);
      const { status, statusText, headers, body } = response;
      exchange.response = { status, headers: [...headers], milliseconds: Math.round(performance.now() - startedAt) };
      this.onChange(exchange);
      const date = Date.parse(headers.get("date") ?? "");
      if (!Number.isNaN(date)) {
        this.clockOffset = date + DATE_PRECISION - Date.now();
      }
      return new Response(body && this.watch(body, exchange, end), { status, statusText, headers });
    } catch (error) {
      end("lost");
      throw error;
    }
  };

  /** Passes a body on, and keeps its text. */
  private watch(
    body: ReadableStream<Uint8Array>,
    exchange: Exchange,
    end: (state: Exchange["state"]) => void,
  ): ReadableStream<Uint8Array> {
    const reader = body.getReader();
    const decoder = new TextDecoder();
    return new ReadableStream({
      pull: async (controller) => {
        try {
          const { done, value } = await reader.read();
          exchange.received += decoder.decode(value, { stream: !done });
          if (done) {
            end("complete");
            controller.close();
          } else {
            this.onChange(exchange);
            controller.enqueue(value);
          }
        } catch (error) {
          end("lost");
          controller.error(error);
        }
      },
      cancel: async (reason) => {
        end("complete");
        await reader.cancel(reason);
      },
    });
  }
}
