import { describe, expect, test } from "@jest/globals";
import { PATIENT_GONE } from "../../shared/patients/patient.ts";
import { setUpService } from "../helpers/service/service.ts";

const service = setUpService();

const CHANGED = "Patient was changed since it was read";
const NOT_MET = "The resource does not meet the condition of the request";

// test/unit/preconditions.test.ts has lists, weak tags and what is malformed.
/** The tag of the record as it is, or as it was. */
type Tag = "current" | "outdated" | "*";

const CASES: [method: string, header: string, tag: Tag, status: number, error?: string][] = [
  ["GET", "If-None-Match", "current", 304],
  ["GET", "If-Match", "outdated", 412, NOT_MET],
  ["PATCH", "If-Match", "current", 200],
  ["PATCH", "If-Match", "outdated", 412, CHANGED],
  ["PATCH", "If-None-Match", "*", 412, NOT_MET],
  ["DELETE", "If-Match", "current", 200],
  ["DELETE", "If-Match", "outdated", 412, CHANGED],
];

describe("a condition for a patient's record is honored:", () => {
  test.each(CASES)("%s with %s and the tag %j is a %d", async (method, header, tag, status, error = "") => {
    const { id } = await service.newPatient();
    const path = `/patients/${id}`;
    const read = async () => (await service.call("GET", path)).headers.get("etag") ?? "";
    const outdated = await read();
    await service.call("PATCH", path, { body: { allergies: "latex" } });
    const current = await read();
    const value = { current, outdated, "*": "*" }[tag];

    const body = method === "PATCH" ? { allergies: "none" } : undefined;
    const reply = await service.call(method, path, { body, headers: { [header]: value } });
    expect(reply.status).toBe(status);
    if (status === 304) {
      expect([reply.body, reply.headers.get("etag")]).toEqual([undefined, current]);
      expect(reply.headers.get("cache-control")).toBe("no-store");
    }
    if (error !== "") {
      expect(reply.body).toEqual({ success: false, error });
      const record = await service.call("GET", path);
      expect([record.body.patient.allergies, record.headers.get("etag")]).toEqual(["latex", current]);
    }
  });

  test("a missing patient is a 404, whatever the condition", async () => {
    const path = "/patients/00000000-0000-4000-8000-000000000000";
    for (const method of ["GET", "PATCH", "DELETE"]) {
      const body = method === "PATCH" ? {} : undefined;
      const reply = await service.call(method, path, { body, headers: { "If-Match": '"another"' } });
      expect([reply.status, reply.body]).toEqual([404, { error: PATIENT_GONE.error }]);
    }
  });
});

test("a thread has no entity tag, so a condition with one prevents its deletion", async () => {
  const threadId = await service.newThread();
  const path = `/threads/${threadId}`;
  const refused = await service.call("DELETE", path, { headers: { "If-Match": '"another"' } });
  expect([refused.status, refused.body]).toEqual([412, { error: NOT_MET }]);
  expect(await service.thread(threadId)).toMatchObject({ threadId });
  expect((await service.call("DELETE", path, { headers: { "If-Match": "*" } })).status).toBe(200);
});
