import { describe, expect, test } from "@jest/globals";
import type { APIGatewayProxyEvent } from "aws-lambda";
import { chatEndpoint } from "../../../shared/chat/endpoints.ts";
import { ServiceError } from "../../../shared/errors.ts";
import { jsonBody, MAX_DETAILS } from "../../../shared/http/parse-request.ts";
import { createPatientEndpoint } from "../../../shared/patients/endpoints.ts";
import { createThreadEndpoint } from "../../../shared/threads/endpoints.ts";

const event = (body: unknown, prefer?: string) =>
  ({ body: JSON.stringify(body), headers: prefer === undefined ? {} : { Prefer: prefer } }) as APIGatewayProxyEvent;

const context = () => ({ likelyMeant: [], ignored: [] });
const patient = (body: unknown, prefer?: string) => jsonBody(createPatientEndpoint, event(body, prefer), context());
const chat = (body: unknown) => jsonBody(chatEndpoint, event(body, "handling=strict"), context());
const thread = (body: unknown) => jsonBody(createThreadEndpoint, event(body, "handling=strict"), context());

function faults(run: () => unknown): { error: string; details: unknown; moreDetails: unknown } {
  try {
    run();
  } catch (error) {
    const { message, extra, kind } = error as ServiceError;
    expect(error).toBeInstanceOf(ServiceError);
    expect(kind).toBe("invalid");
    return { error: message, details: extra.details, moreDetails: extra.moreDetails };
  }
  throw new Error("the body was accepted");
}

describe("an unknown field", () => {
  test.each([undefined, "handling=lenient", "respond-async", "wait=5", "handling=stricter", "xhandling=strict"])(
    "is ignored with Prefer: %s",
    (prefer) => {
      expect(patient({ name: "A", phone: "5550100100" }, prefer)).toEqual({ name: "A" });
    },
  );

  test.each(["handling=strict", 'Handling="strict"', "wait=5, handling=strict", "handling = strict; foo"])(
    "is an error with Prefer: %s",
    (prefer) => {
      expect(faults(() => patient({ name: "A", phone: "5550100100" }, prefer))).toMatchObject({
        error: "Failed to create patient",
        details: [{ path: "phone", message: "is not a known field; did you mean phone_number?" }],
      });
    },
  );

  test.each([
    ["phone_number", "; did you mean phone?"],
    ["patient_id", "; did you mean patientId?"],
    ["meta", "; did you mean metadata?"],
    ...["", " ", "õ", "§", "zzz", "zzzzzzzzzzzz"].map((name) => [name, ""]),
  ])("%j of a thread is in the error%s", (name, suggestion) => {
    const [path, message] = [name || '""', `is not a known field${suggestion}`];
    expect(faults(() => thread({ [name]: "A" }))).toMatchObject({
      error: `${path}: ${message}`,
      details: [{ path, message }],
    });
  });

  test("is found at any depth, but not in free-form objects", () => {
    const body = {
      message: "hello",
      patientData: { conditions: [{ anything: 1 }], medications: [{ name: "a" }, { name: "b", dose: "1 mg" }] },
      conversationHistory: [{ role: "user", content: "x", text: "y" }],
    };
    const { details } = faults(() => chat(body));
    expect(details).toEqual([
      { path: "patientData.medications.1.dose", message: "is not a known field; did you mean dosage?" },
      { path: "conversationHistory.0.text", message: expect.stringMatching(/^is not a known field/) },
    ]);
  });

  test("is one of at most 20, each with a short name", () => {
    const names = Array.from({ length: 200 }, (_, index) => [`${index}${"x".repeat(1_000)}`, 1]);
    const { details } = faults(() => patient({ name: "A", ...Object.fromEntries(names) }, "handling=strict"));
    expect(details).toHaveLength(MAX_DETAILS);
    expect(details).toContainEqual({ path: `0${"x".repeat(59)}`, message: "is not a known field" });
    expect(JSON.stringify(details).length).toBeLessThan(5_000);
  });
});
