import { describe, expect, test } from "@jest/globals";
import { liveCheck, PLAN, Unreachable } from "../../shared/live-check/live-check.ts";
import { WHOLE } from "../../shared/live-check/synthetic-patient.ts";
import { startAlteringProxy } from "../helpers/service/altering-proxy.ts";
import { check, startWatching } from "../helpers/service/live-check.ts";
import { API_KEY, setUpService } from "../helpers/service/service.ts";

const service = setUpService();

describe("npm run check:live against the local service", () => {
  test("passes whatever the model answers, and deletes every thread and patient that it creates", async () => {
    const answers = ["one", "two", ".", '{"error":"Not found"}', "data: x\n\nevent: done\n\n<b>&amp;</b> \u2028 👩🏽‍⚕️"];
    service.model.script = () => ({ content: answers[service.model.requests.length - 1] ?? "" });
    service.model.requests.length = 0;
    const watch = await startWatching(service.baseUrl);
    const { output, errors, code } = await check(["--base-url", watch.baseUrl, "--api-key", API_KEY]);
    watch.stop();
    expect(errors).toBe("");
    expect(output).toContain(`${PLAN.length} rules: ${PLAN.length} passed, 0 failed.`);
    expect(code).toBe(0);
    for (const secret of [API_KEY, WHOLE.name, "&amp;"]) {
      expect(output).not.toContain(secret);
    }
    expect(service.model.requests).toHaveLength(answers.length);
    expect(watch.count(/^POST \/patients 201$/)).toBe(3); // one of them is a replay
    expect(watch.count(/^POST \/patients\/fhir 201$/)).toBe(1);
    expect(watch.count(/^DELETE \/patients\/.* 200$/)).toBe(3);
    // One response is a replay, and one thread is erased with its patient.
    expect(watch.count(/^DELETE \/threads\/\d+ 200$/)).toBe(watch.count(/^POST \/threads 201$/) - 2);
  });

  test("reports each failed rule with its expected and actual result, and no other, when one is altered and the model fails", async () => {
    service.model.script = () => ({ status: 401 });
    const proxy = await startAlteringProxy(service.baseUrl, {
      fits: (request, { status }) => request.startsWith("PATCH") && status === 200,
      alter: (answer) => ({ ...answer, status: 404, body: '{"error":"Patient not found"}' }),
    });
    const { output, code } = await check(["--base-url", proxy.baseUrl], { CHECK_API_KEY: API_KEY });
    proxy.stop();
    const answered = [
      /PATCH \/patients\/\{id\} with the current ETag: .* got 404/s,
      /POST \/chat with the patient's phone.* got 500/s,
      /POST \/chat on a thread.* got 500/s,
      /POST \/chat again with the same Idempotency-Key.* got 500/s,
      /POST \/chat with another message.* got 500/s,
      /POST \/chat for a streamed answer.* got 500/s,
      /POST \/openai\/.* 200 with a completion.* got 500/s,
      /POST \/openai\/.* for a streamed completion.* got 500/s,
    ];
    expect(
      output.match(/^ {2}FAIL {2}.*\n {10}expected status 200; got \d+ \(x-request-id: live-check-[\w.-]+\)$/gm),
    ).toEqual(answered.map((rule) => expect.stringMatching(rule)));
    expect(output).toContain(
      `${PLAN.length} rules: ${PLAN.length - answered.length} passed, ${answered.length} failed.`,
    );
    expect(code).toBe(1);
  });

  test("runs no other rule when the key is not accepted; base URL and key can be in the environment", async () => {
    const env = { CHECK_BASE_URL: `${service.baseUrl}/`, CHECK_API_KEY: "not-the-right-key" };
    const { output, code } = await check([], env);
    expect(output).toContain(`Live check of ${service.baseUrl}/\n`);
    expect(output).toContain("1 rules: 0 passed, 1 failed.\nNo other rule was run");
    expect(output).toContain("got 401");
    expect(output).not.toContain("not-the-right-key");
    expect(code).toBe(1);
  });

  test("reports that the service cannot be reached", async () => {
    const gone = await startAlteringProxy(service.baseUrl, { fits: () => false, alter: (answer) => answer });
    gone.stop();
    const { errors, code } = await check(["--base-url", gone.baseUrl, "--api-key", API_KEY]);
    expect(errors).toBe(
      "The service cannot be reached: no response (ECONNREFUSED). Check the base URL and that the service is running.\n",
    );
    expect(code).toBe(2);
  });

  test("rejects an invalid base URL without echoing it", async () => {
    const { errors, code } = await check(["--base-url", "https://name:a-secret@example.test", "--api-key", API_KEY]);
    expect(errors).toMatch(/^--base-url must be an http or https address/);
    expect(errors).not.toContain("a-secret");
    expect(code).toBe(2);
  });
});

describe("liveCheck", () => {
  test.each(["aborted", "not read to the end"])("deletes what it created when it is %s", async (how) => {
    const watch = await startWatching(service.baseUrl);
    const abort = new AbortController();
    const play = async () => {
      for await (const { rule } of liveCheck({ baseUrl: watch.baseUrl, apiKey: API_KEY, signal: abort.signal })) {
        if (rule.startsWith("POST /threads with a patientId")) {
          if (how === "not read to the end") {
            break;
          }
          abort.abort(new Error("aborted"));
        }
      }
    };
    expect(await play().catch((error) => error.message)).toBe(how === "aborted" ? "aborted" : undefined);
    watch.stop();
    expect(watch.count(/^POST \/threads 201$/)).toBe(3); // one of them is a replay
    expect(watch.count(/^DELETE \/threads\/\d+ 200$/)).toBe(2);
    expect(watch.count(/^DELETE \/patients\/.* 200$/)).toBe(2);
  });

  test("throws Unreachable when the first request gets no response", async () => {
    const fetch = () =>
      Promise.reject(new TypeError("fetch failed", { cause: Object.assign(new Error(), { code: "E" }) }));
    const rows = liveCheck({ baseUrl: service.baseUrl, apiKey: API_KEY, fetch });
    await expect(rows.next()).rejects.toThrow(new Unreachable("no response (E)"));
  });
});
