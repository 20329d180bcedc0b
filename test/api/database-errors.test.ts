import { expect, test } from "@jest/globals";
import type { Fault, Picks } from "../helpers/database/fault-proxy.ts";
import {
  conflict,
  internalError,
  requestLost,
  responseCutOff,
  throttled,
  throttledAccount,
  unavailable,
} from "../helpers/database/faults.ts";
import { type ServiceWithFaults, setUpServiceWithFaults } from "../helpers/service/service-with-faults.ts";

const service = setUpServiceWithFaults();

const HOUR_MILLISECONDS = 3_600_000;

const withHeaders =
  (fault: Fault, headers: () => Record<string, string>): Fault =>
  async (call) => {
    const answer = await fault(call);
    return answer && { ...answer, headers: headers() };
  };
const clockSkew: Fault = () => ({
  status: 400,
  body: { __type: "com.amazon.coral.service#InvalidSignatureException", message: "Signature expired" },
});
const now = () => new Date().toUTCString();
const inAnHour = () => new Date(Date.now() + HOUR_MILLISECONDS).toUTCString();

// The functions' bundles leave out large parts of the AWS SDK. What is left must understand everything that DynamoDB sends.
const FAULTS: [string, Fault][] = [
  ["throttles a table", throttled],
  ["throttles the account", throttledAccount],
  ["reports an internal error", internalError],
  ["is unavailable", unavailable],
  ["is unavailable until a given time", withHeaders(unavailable, () => ({ "retry-after": now() }))],
  ["is unavailable for some seconds", withHeaders(unavailable, () => ({ "retry-after": "0" }))],
  ["asks for a pause in milliseconds", withHeaders(internalError, () => ({ "x-amz-retry-after": "10" }))],
  ["has a clock that is an hour ahead", withHeaders(clockSkew, () => ({ date: inAnHour() }))],
  ["answers with an error page", () => ({ status: 502, body: {}, headers: { "content-type": "text/html" } })],
  ["does not receive the call", requestLost],
  ["answers with half a response", responseCutOff],
];

/** Sends a request whose first two calls of the database fail. */
async function retried(picks: Picks, fault: Fault, ...call: Parameters<ServiceWithFaults["call"]>) {
  service.database.reset();
  service.database.fail(picks, fault, 2);
  const { status, body } = await service.call(...call);
  expect(service.database.calls(picks)).toBeGreaterThan(2);
  return { status, body };
}

test.each(FAULTS)(
  "a patient is created, corrected, read and erased although the database first %s",
  async (_, fault) => {
    const created = await retried("all", fault, "POST", "/patients", { body: { name: "Maria" } });
    expect(created.status).toBe(201);
    const path = `/patients/${created.body.patient.id}`;
    expect((await retried("all", fault, "PATCH", path, { body: { name: "Ana" } })).status).toBe(200);
    expect(await retried("all", fault, "GET", path)).toMatchObject({ status: 200, body: { patient: { name: "Ana" } } });
    expect((await retried("all", fault, "DELETE", path)).status).toBe(200);
    expect((await service.call("GET", path)).status).toBe(404);
  },
);

test("a patient with a phone number is created and erased although other transactions first use the same items", async () => {
  const body = { phone_number: "555-010-0199" };
  const created = await retried("TransactWriteItems", conflict, "POST", "/patients", { body });
  expect(created.status).toBe(201);
  const path = `/patients/${created.body.patient.id}`;
  expect((await retried("TransactWriteItems", conflict, "DELETE", path)).status).toBe(200);
  expect((await service.call("GET", path)).status).toBe(404);
});
