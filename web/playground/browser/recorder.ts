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
      const [passedOn, kept] = body?.tee() ?? [body];
      void this.keep(kept, exchange, end);
      return new Response(passedOn, { status, statusText, headers });
    } catch (error) {
      end("lost");
      throw error;
    }
  };

  /** Keeps the text of a body as it arrives. */
  private async keep(
    body: Response["body"] | undefined,
    exchange: Exchange,
    end: (state: Exchange["state"]) => void,
  ): Promise<void> {
    try {
      const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
      for (let piece = await reader?.read(); piece && !piece.done; piece = await reader?.read()) {
        exchange.received += piece.value;
        this.onChange(exchange);
      }
      end("complete");
    } catch {
      end("lost");
    }
  }
}
