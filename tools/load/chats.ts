import autocannon from "autocannon";

/** Concurrent connections, each of which runs through the story again and again. */
const CONNECTIONS = 6;

/** Records are kept forever, so each run of the story has one of so many patients. */
const PATIENTS = 50;

/** Longer than any response may take. */
const TIMEOUT_SECONDS = 40;

/** What one connection knows about its run of the story. */
interface Story {
  phone?: string;
  threadId?: string;
  answer?: string;
}

interface Step {
  method: "GET" | "POST" | "DELETE";
  path: (story: Story) => string;
  body?: (story: Story) => object;
  headers?: Record<string, string>;
  statuses: number[];
  /** Notes what the response says, or returns what is wrong with it. */
  read?: (story: Story, body: string) => string | undefined;
}

const chat = (more: Partial<Step> = {}): Step => ({
  method: "POST",
  path: () => "/chat",
  body: ({ threadId }) => ({ threadId, message: "When do you open?" }),
  statuses: [200],
  ...more,
});
const keyed = { headers: { "idempotency-key": "load" } };

/** A patient's conversation, with a repetition as after a lost response, and a request that is rejected. */
const STORY: Step[] = [
  {
    method: "POST",
    path: () => "/patients",
    body: (story) => {
      story.phone = `1555${String(Math.floor(Math.random() * PATIENTS)).padStart(7, "0")}`;
      return { name: "Load Patient", phone_number: story.phone, age: 40, gender: "female" };
    },
    statuses: [201, 409],
  },
  {
    method: "POST",
    path: () => "/threads",
    body: ({ phone }) => ({ phone }),
    statuses: [201],
    read: (story, body) => {
      story.threadId = JSON.parse(body).threadId;
      return undefined;
    },
  },
  chat(),
  chat({
    headers: { accept: "text/event-stream" },
    read: (_, body) => (body.includes("event: done") ? undefined : "a stream without an end"),
  }),
  chat({
    ...keyed,
    read: (story, body) => {
      story.answer = body;
      return undefined;
    },
  }),
  chat({
    ...keyed,
    read: ({ answer }, body) => (body === answer ? undefined : "a repeated request with another answer"),
  }),
  chat({ body: () => ({ message: " " }), statuses: [400] }),
  { method: "GET", path: ({ threadId }) => `/threads/${threadId}`, statuses: [200] },
  { method: "DELETE", path: ({ threadId }) => `/threads/${threadId}`, statuses: [200] },
];

/**
 * Sends conversations at a constant rate, and prints latencies, throughput and what was not as it should be.
 *
 * @param rate requests per second, of all connections together
 * @returns whether every response was as expected
 */
export async function sendChats(
  { baseUrl, apiKey }: { baseUrl: string; apiKey: string },
  seconds: number,
  rate: number,
): Promise<boolean> {
  const faults = new Map<string, number>();
  const options: autocannon.Options = {
    url: baseUrl,
    connections: CONNECTIONS,
    duration: seconds,
    overallRate: rate,
    timeout: TIMEOUT_SECONDS,
    requests: STORY.map(({ method, path, body, headers, statuses, read }) => ({
      method,
      setupRequest: (request, story: Story) => ({
        ...request,
        path: `${new URL(baseUrl).pathname}${path(story)}`,
        headers: { "x-api-key": apiKey, "content-type": "application/json", ...headers },
        ...(body && { body: JSON.stringify(body(story)) }),
      }),
      onResponse: (status: number, text: string, story: Story) => {
        const fault = statuses.includes(status) ? read?.(story, text) : `status ${status} of ${method} ${path({})}`;
        if (fault) {
          faults.set(fault, (faults.get(fault) ?? 0) + 1);
        }
      },
    })),
  };
  const result = await new Promise<autocannon.Result>((resolve, reject) => {
    const run = autocannon(options, (error, done) => (error ? reject(error) : resolve(done)));
    process.once("SIGINT", run.stop).once("SIGTERM", run.stop);
  });
  process.stdout.write(autocannon.printResult(result));
  for (const [fault, times] of faults) {
    process.stdout.write(`${times} × ${fault}\n`);
  }
  return faults.size === 0 && result.errors === 0 && result.requests.total > 0;
}
