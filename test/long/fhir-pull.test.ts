import { spawn } from "node:child_process";
import { generateKeyPairSync, type KeyObject, verify } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type Listening, listenOnLoopback } from "../../packages/lambda-local/loopback.ts";
import { API_KEY, setUpService } from "../helpers/service/service.ts";

const service = setUpService();
const folder = mkdtempSync(join(tmpdir(), "fhir-pull-"));
const keys = {
  RS384: generateKeyPairSync("rsa", { modulusLength: 2048 }),
  ES384: generateKeyPairSync("ec", { namedCurve: "P-384" }),
};

let server: Listening;
let url: string;
const asked: string[] = [];
let trusted: KeyObject;
/** Whether the server refuses the allergies. */
let refusesAllergies = false;

/** A FHIR server that knows one client and one patient, and refuses the observations. */
async function answer(request: IncomingMessage): Promise<[status: number, body: object]> {
  const { pathname, searchParams } = new URL(request.url ?? "", url);
  asked.push(pathname.replace(/.*\/fhir\//, ""));
  if (pathname === "/fhir/.well-known/smart-configuration") {
    return [200, { token_endpoint: `${url}/token` }];
  }
  if (pathname === "/token") {
    return isOurs(new URLSearchParams(await text(request))) ? [200, { access_token: "token" }] : [401, {}];
  }
  if (request.headers.authorization !== "Bearer token") {
    return [401, {}];
  }
  const subject = { reference: "Patient/7" };
  const found = (...resources: object[]) => ({
    resourceType: "Bundle",
    entry: resources.map((resource) => ({ resource })),
  });
  switch (pathname) {
    case "/fhir/Patient/7":
      return [
        200,
        {
          resourceType: "Patient",
          id: "7",
          name: [{ text: "Pat" }],
          telecom: [{ system: "phone", value: "5550107007" }],
        },
      ];
    case "/fhir/AllergyIntolerance": {
      if (refusesAllergies) {
        return [403, {}];
      }
      const text = searchParams.has("page") ? "Latex" : "Penicillin";
      const page = found({ resourceType: "AllergyIntolerance", patient: subject, code: { text } });
      const next = [{ relation: "next", url: "AllergyIntolerance?page=2" }];
      return [200, searchParams.has("page") ? page : { ...page, link: next }];
    }
    case "/fhir/Observation":
      return [403, {}];
    default:
      return [200, found()];
  }
}

function isOurs(parameters: URLSearchParams): boolean {
  const [header = "", claims = "", signature = ""] = (parameters.get("client_assertion") ?? "").split(".");
  const { iss, sub, aud, exp } = JSON.parse(Buffer.from(claims, "base64url").toString());
  const lifetime = exp - Date.now() / 1000;
  const key = { key: trusted, dsaEncoding: "ieee-p1363" as const };
  return (
    verify("sha384", Buffer.from(`${header}.${claims}`), key, Buffer.from(signature, "base64url")) &&
    [iss, sub, aud].join() === `clinic,clinic,${url}/token` &&
    lifetime > 0 &&
    lifetime <= 300
  );
}

beforeAll(async () => {
  const fhir = createServer(async (request, response) => {
    const [status, body] = await answer(request);
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  server = await listenOnLoopback(fhir);
  url = server.origin;
});
afterAll(() => {
  server.stop();
  rmSync(folder, { recursive: true });
});

async function pull(id: string, settings: NodeJS.ProcessEnv): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, "..", "..", "examples", "fhir-pull.mjs"), id], {
    env: { ...process.env, FHIR_URL: `${url}/fhir/`, BASE_URL: service.baseUrl, API_KEY, ...settings },
  });
  const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { code, output: output + errors };
}

test.each(Object.entries(keys))(
  "imports a patient with a key for %s, and then replaces the record",
  async (name, pair) => {
    const file = join(folder, `${name}.pem`);
    writeFileSync(file, pair.privateKey.export({ type: "pkcs8", format: "pem" }));
    trusted = pair.publicKey;
    const settings = { CLIENT_ID: "clinic", PRIVATE_KEY: file, KEY_ID: name };
    const first = await pull("7", settings);
    const [, id = ""] = /Imported as ([\w-]+): 2 entries\./.exec(first.output) ?? [];
    expect(first).toEqual({
      code: 0,
      output: expect.stringContaining("Skipped Observation: /fhir/Observation answered with 403."),
    });
    const { patient } = (await service.call("GET", `/patients/${id}`)).body;
    expect(patient).toMatchObject({ name: "Pat", phone_number: "15550107007", allergies: "Penicillin, Latex" });
    expect((await pull("7", settings)).output).toContain(`Imported as ${id}`);
    refusesAllergies = true;
    expect((await pull("7", settings)).output).toContain("Skipped AllergyIntolerance");
    refusesAllergies = false;
    expect((await service.call("GET", `/patients/${id}`)).body.patient.allergies).toBe("Penicillin, Latex");
  },
);

test("stops at a server that refuses the client", async () => {
  expect(await pull("7", {})).toEqual({ code: 1, output: "/fhir/Patient/7 answered with 401\n" });
});
