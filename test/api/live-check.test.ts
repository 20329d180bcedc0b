import { expect, test } from "@jest/globals";
import { PLAN } from "../../shared/live-check/live-check.ts";
import { WHOLE } from "../../shared/live-check/synthetic-patient.ts";
import { check, startWatching } from "../helpers/service/live-check.ts";
import { API_KEY, setUpService } from "../helpers/service/service.ts";

const service = setUpService();

test("npm run check:live passes against the local service whatever the model answers, and deletes every thread and patient that it creates", async () => {
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
