/*
 * Fetches a patient's record from a FHIR server and imports it: as a new patient, or, if one has the phone number
 * already, in place of what that one's record contains. Needs Node 20.3 or newer, and nothing else.
 *
 *   node examples/fhir-pull.mjs <the patient's id on the FHIR server>
 *
 * Authorization is that of SMART backend services (HL7, "SMART App Launch", 2.2): a client with a key that the server
 * knows, without a user. Settings, as environment variables:
 *
 *   FHIR_URL     the base URL of the FHIR server
 *   CLIENT_ID    the client's name there; without it, requests are sent without a token, as to an open test server
 *   PRIVATE_KEY  the file with the client's private key (PEM): RSA, or an elliptic curve P-384
 *   KEY_ID       the name of the key in the JSON Web Key Set that was registered
 *   BASE_URL     the base URL of the assistant's service; by default, that of npm start
 *   API_KEY      its key
 */
import { createPrivateKey, randomUUID, sign } from "node:crypto";
import { readFileSync } from "node:fs";

const { FHIR_URL, CLIENT_ID, PRIVATE_KEY = "", KEY_ID } = process.env;
const { BASE_URL = "http://127.0.0.1:3000/v1", API_KEY = "local-dev-key" } = process.env;
const [patientId] = process.argv.slice(2);

const FHIR = "application/fhir+json";

const print = (line) => process.stdout.write(`${line}\n`);

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

/**
 * The searches for what the service reads. The observations are a pregnancy status and the kidneys' filtration rate.
 */
const SEARCHES = {
  AllergyIntolerance: {},
  Condition: {},
  MedicationStatement: { _include: "MedicationStatement:medication" },
  MedicationRequest: { _include: "MedicationRequest:medication" },
  Observation: { code: ["82810-3", "33914-3", "62238-1", "98979-8"].map((code) => `http://loinc.org|${code}`).join() },
};

const SCOPE = ["Patient", "Medication", ...Object.keys(SEARCHES)].map((type) => `system/${type}.rs`).join(" ");

/** Returns a token for the FHIR server (SMART App Launch, "Backend Services"). */
async function requestToken(base) {
  const { token_endpoint } = await read(`${base}/.well-known/smart-configuration`, {});
  const key = createPrivateKey(readFileSync(PRIVATE_KEY));
  const isRsa = key.asymmetricKeyType === "rsa";
  const seconds = Math.floor(Date.now() / 1000);
  const header = { alg: isRsa ? "RS384" : "ES384", kid: KEY_ID, typ: "JWT" };
  const claims = { iss: CLIENT_ID, sub: CLIENT_ID, aud: token_endpoint, jti: randomUUID(), exp: seconds + 240 };
  const unsigned = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
  const signature = sign("sha384", Buffer.from(unsigned), { key, dsaEncoding: "ieee-p1363" });
  const { access_token } = await read(token_endpoint, {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "client_credentials",
      scope: SCOPE,
      client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
      client_assertion: `${unsigned}.${signature.toString("base64url")}`,
    }),
  });
  return access_token;
}

/** The error of a response that is not a success. It says nothing about the patient. */
class Refused extends Error {
  constructor(url, status, body) {
    super(`${new URL(url).pathname} answered with ${status}`);
    this.status = status;
    this.body = body;
  }
}

async function read(url, options) {
  const response = await fetch(url, { ...options, redirect: "error" });
  const body = await response.json().catch(() => undefined);
  if (!response.ok) {
    throw new Refused(url, response.status, body);
  }
  return body;
}

/** Returns the entries of all pages of a search. A page elsewhere is not read: the token is for this server only. */
async function search(base, type, parameters, headers) {
  const entries = [];
  let url = `${base}/${type}?${new URLSearchParams({ patient: patientId, _count: "100", ...parameters })}`;
  while (url) {
    const page = await read(url, { headers });
    entries.push(...(page.entry ?? []).filter(({ search }) => search?.mode !== "outcome"));
    const next = page.link?.find(({ relation }) => relation === "next")?.url;
    const resolved = next && new URL(next, `${base}/`);
    if (resolved && resolved.origin !== new URL(base).origin) {
      throw new Error(`The next page of ${type} is on another server, ${resolved.origin}.`);
    }
    url = resolved?.href;
  }
  return entries;
}

/** Fetches the record. A type that the server refuses, or does not know, is left out and named, and stays as it is stored. */
async function fetchRecord(base) {
  const token = CLIENT_ID && (await requestToken(base));
  const headers = { accept: FHIR, ...(token && { authorization: `Bearer ${token}` }) };
  const patient = await read(`${base}/Patient/${encodeURIComponent(patientId)}`, { headers });
  const entry = [{ fullUrl: `${base}/Patient/${patient.id}`, resource: patient }];
  const types = [];
  for (const [type, parameters] of Object.entries(SEARCHES)) {
    try {
      entry.push(...(await search(base, type, parameters, headers)));
      types.push(type);
    } catch (error) {
      if (!(error instanceof Refused) || error.status === 401 || error.status >= 500) {
        throw error;
      }
      print(`Skipped ${type}: ${error.message}.`);
    }
  }
  if (types.length === 0) {
    throw new Error("Nothing but the patient could be read.");
  }
  return { record: { resourceType: "Bundle", type: "collection", entry }, types };
}

/**
 * Imports a record, and returns the service's report.
 *
 * @param types what the record has all of: of a stored one, nothing else is replaced
 */
async function importRecord({ record, types }) {
  const send = (method, path) =>
    read(`${BASE_URL}${path}`, {
      method,
      headers: { "x-api-key": API_KEY, "content-type": FHIR },
      body: JSON.stringify(record),
    });
  try {
    return await send("POST", "/patients/fhir");
  } catch (error) {
    const existing = error instanceof Refused && error.status === 409 ? error.body?.patient?.id : undefined;
    if (existing === undefined) {
      throw error;
    }
    return send("PUT", `/patients/${existing}/fhir?types=${types}`);
  }
}

if (!FHIR_URL || !patientId) {
  fail("Set FHIR_URL, and name a patient: node examples/fhir-pull.mjs <id>");
}
try {
  const { patient, clinical, ignored, others } = await importRecord(await fetchRecord(FHIR_URL.replace(/\/+$/, "")));
  print(`Imported as ${patient.id}: ${clinical.length} entries.`);
  for (const { path, type, reason } of ignored) {
    print(`Ignored ${type} (${path}): ${reason}.`);
  }
  for (const [type, count] of Object.entries(others)) {
    print(`Not read: ${count} of ${type}.`);
  }
} catch (error) {
  const details = error.body?.details?.map(({ path, message }) => `${path} ${message}`) ?? [];
  fail(
    [error.cause ? `${error.message}: ${error.cause.code ?? error.cause.message}` : error.message, ...details].join(
      "\n",
    ),
  );
}
