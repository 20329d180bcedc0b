import { expect, test } from "@jest/globals";
import { rulesFor } from "../../infra/deployment-hook/check-version.ts";
import { functionOf } from "../../shared/contract/endpoint.ts";
import { PLAN } from "../../shared/live-check/live-check.ts";
import { endpoints } from "../../shared/openapi/registry.ts";

/** Operations that the live check does not let succeed, and why. */
const NEVER_SUCCEED: Record<string, string> = {
  "create-webhook": "it would receive the events of other clients",
  "delete-webhook": "there is none to delete",
  "rotate-webhook": "there is none to rotate",
  "test-webhook": "there is none to test",
  "put-source": "chats of other clients would answer from it",
  "put-profile": "it would apply to the chats of other clients",
  "get-source": "there is none to get",
  "delete-source": "there is none to delete",
  "give-feedback": "it would count",
  "withdraw-feedback": "none is given",
};

const succeeding = endpoints.filter(({ name }) => !(name in NEVER_SUCCEED));

test.each(succeeding.map(({ name, method, path }) => [name, `${method} ${path}`]))(
  "the live check has a rule for a successful response of %s",
  (_, operation) => {
    const rules = PLAN.filter((rule) => rule.operation === operation).map(({ name }) => name);
    expect(rules).toContainEqual(expect.stringMatching(/\b20[01]\b/));
  },
);

test.each([...new Set(endpoints.filter((endpoint) => !endpoint.public).map(functionOf))])(
  "a new version of %s is checked by at least three rules, one of them for a successful response",
  (name) => {
    const rules = rulesFor(name).map((rule) => rule.name);
    expect(rules.length).toBeGreaterThanOrEqual(3);
    expect(rules).toContainEqual(expect.stringMatching(/\b20[01]\b/));
  },
);
