import { describe, expect, test } from "@jest/globals";
import { PATIENT_UNKNOWN } from "../../shared/patients/patient.ts";
import { type Reply, setUpService } from "../helpers/service/service.ts";

const service = setUpService();

interface Conversation {
  start(naming: object): Promise<Reply>;
  /** The name of the patient whose record a successful start has used; undefined when there is none. */
  patientOf(started: Reply): Promise<string | undefined>;
  /** What the error's body has besides its text. */
  failure: object;
}

const CONVERSATIONS: [string, Conversation][] = [
  [
    "a chat",
    {
      start: (naming) => service.chat({ message: "hello", ...naming }),
      patientOf: async () => service.recordSent()?.name,
      failure: { success: false },
    },
  ],
  [
    "a new thread",
    {
      start: (naming) => service.call("POST", "/threads", { body: naming }),
      patientOf: async ({ body }) => {
        const { patientId } = await service.thread(body.threadId);
        return patientId ? (await service.call("GET", `/patients/${patientId}`)).body.patient.name : undefined;
      },
      failure: {},
    },
  ],
];

const PHONE = "5550177001";
const NOTATIONS = ["+15550177001", "15550177001", PHONE, "(555) 017-7001", "555-017-7001", "555.017.7001"];

describe.each(CONVERSATIONS)("the patient of %s", (kind, { start, patientOf, failure }) => {
  /** The patient whose record is used when the request names one so; the request must succeed. */
  async function found(naming: object) {
    const started = await start(naming);
    expect(started.status).toBe(kind === "a chat" ? 200 : 201);
    return patientOf(started);
  }

  test("is found by patientId in upper or lower case", async () => {
    const { id } = await service.newPatient({ name: "Ida Example" });
    for (const patientId of [id, id.toUpperCase()]) {
      expect(await found({ patientId })).toBe("Ida Example");
    }
  });

  test("is found by phone in every format, but by patientId when both are given", async () => {
    await service.call("POST", "/patients", {
      body: { name: "Fay Example", age: 40, gender: "male", phone_number: PHONE },
    });
    for (const phone of NOTATIONS) {
      expect(await found({ phone })).toBe("Fay Example");
    }
    const { id } = await service.newPatient({ name: "Ida Example" });
    expect(await found({ patientId: id, phone: PHONE })).toBe("Ida Example");
  });

  test.each(["+1 555 999 0000", "12345", "no number", ""])("is nobody when the phone is %j", async (phone) => {
    expect(await found({ phone })).toBeUndefined();
  });

  test.each(["00000000-0000-4000-8000-000000000000", "no-uuid", `phone#1${PHONE}`, ""])(
    "must exist: patientId %j is a 404, and the model is not called",
    async (patientId) => {
      const before = service.model.requests.length;
      const { status, body } = await start({ patientId });
      expect([status, body]).toEqual([404, { ...failure, error: PATIENT_UNKNOWN.error }]);
      expect(service.model.requests).toHaveLength(before);
    },
  );
});
