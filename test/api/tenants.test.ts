import { beforeAll, expect, test } from "@jest/globals";
import { seededRandom } from "../helpers/database/random-faults.ts";
import { addClients } from "../helpers/service/clients.ts";
import { setUpService } from "../helpers/service/service.ts";
import { MARKS, type Pool, TenantWorld } from "../helpers/tenant-world.ts";

/** `TENANT_STEPS=5000 SEED=1 npm run jest -- test/api/tenants.test.ts` for more. */
const STEPS = Number(process.env.TENANT_STEPS ?? 250);
const SEED = Number(process.env.SEED ?? 20_260_301);

const service = setUpService({ SECRETS_CACHE_SECONDS: "1" });
beforeAll(async () => {
  await addClients(service, {
    "alder-app": { keys: ["key-of-alder-app"], tenant: "alder" },
    "alder-desk": { keys: ["key-of-alder-desk"], tenant: "alder" },
    birch: { keys: ["key-of-birch"] },
  });
});

test(`two tenants that use each other's ids, phone numbers and keys are as isolated as if each were alone (seed ${SEED})`, async () => {
  const pool: Pool = { threads: [], patients: [] };
  const tenants = [
    new TenantWorld(service, "Alder", ["key-of-alder-app", "key-of-alder-desk"], pool, seededRandom(SEED)),
    new TenantWorld(service, "Birch", ["key-of-birch"], pool, seededRandom(SEED + 1)),
  ];
  await Promise.all(
    tenants.map(async (tenant) => {
      for (let step = 0; step < STEPS; step++) {
        await tenant.step();
      }
      await tenant.checkAll();
    }),
  );
  for (const { threads, patients } of tenants) {
    expect(threads.size).toBeGreaterThan(STEPS / 50);
    expect(patients.size).toBeGreaterThan(4); // of 8 phone numbers that both use
  }
  for (const { body } of service.model.requests) {
    const sent = JSON.stringify(body);
    expect(MARKS.filter((mark) => sent.includes(mark))).toHaveLength(1);
  }
});

test("another tenant's thread and patient get byte for byte the response of ids that never existed", async () => {
  const [alder, birch] = ["key-of-alder-app", "key-of-birch"];
  const created = { name: "Pat Example", phone_number: "15550109999" };
  const { patient } = (await service.call("POST", "/patients", { body: created, key: alder })).body;
  const { threadId } = (await service.call("POST", "/threads", { body: {}, key: alder })).body;
  const raw = async (method: string, path: string, body?: unknown) => {
    const headers = { "x-api-key": birch, "x-request-id": "same", "content-type": "application/json" };
    const response = await fetch(service.baseUrl + path, {
      method,
      headers,
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const { date: _, ...kept } = Object.fromEntries(response.headers);
    return { status: response.status, headers: kept, text: await response.text() };
  };
  const never = { thread: "00000", patient: "00000000-0000-4000-8000-000000000000", phone: "15550108888" };
  const foreign = { thread: threadId, patient: patient.id, phone: created.phone_number };
  const requests = ({ thread, patient: patientId, phone }: typeof never): Promise<unknown>[] => [
    raw("GET", `/threads/${thread}`),
    raw("DELETE", `/threads/${thread}`),
    raw("GET", `/patients/${patientId}`),
    raw("POST", "/threads", { patientId }),
    raw("POST", "/chat", { message: "When does the pharmacy open?", threadId: thread }),
    raw("POST", "/chat", { message: "When does the pharmacy open?", patientId }),
    raw("POST", "/chat", { message: "When does the pharmacy open?", phone }),
  ];
  expect(await Promise.all(requests(foreign))).toEqual(await Promise.all(requests(never)));

  const same = await service.call("POST", "/patients", { body: created, key: birch });
  expect(same).toMatchObject({ status: 201, body: { patient: created } });
  expect(same.body.patient.id).not.toBe(patient.id);
});
