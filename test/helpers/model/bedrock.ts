import { createHash, createHmac } from "node:crypto";
import { createServer, type IncomingMessage, request as send } from "node:http";
import { text } from "node:stream/consumers";
import { listenOnLoopback } from "../../../packages/lambda-local/loopback.ts";
import type { ScriptedModel } from "./scripted-model.ts";

export const REGION = "eu-west-1";

export const CREDENTIALS = {
  AWS_ACCESS_KEY_ID: "AKIDEXAMPLE",
  AWS_SECRET_ACCESS_KEY: "secret-of-the-role",
  AWS_SESSION_TOKEN: "session-of-the-role",
};

/** A signed request, as another implementation needs it to check the signature. */
export interface SignedRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string;
}

/** Bedrock's runtime endpoint on loopback, in front of a scripted model. */
export interface Bedrock {
  /** Takes the place of `https://bedrock-runtime.<region>.amazonaws.com/openai/v1`. */
  baseUrl: string;
  accepted: SignedRequest[];
  /** Why requests were refused. */
  refused: string[];
  /** Where it is: a request that is signed for another region is refused. */
  region: string;
  /** The secret key, and the session token that is valid; another one has expired. */
  secret: string;
  session: string | undefined;
  /** How many of the next requests are throttled. */
  throttle: number;
  /** Parameters that are refused, as for a model that does not know them. */
  unknownParameters: string[];
  stop(): void;
}

/** The scope of a signature: `<access key>/<date>/<region>/<service>/aws4_request`, and the headers that it covers. */
const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/bedrock\/aws4_request, SignedHeaders=([\w;-]+), Signature=([0-9a-f]{64})$/;

/** Signatures are valid for five minutes ("Elements of an AWS API request signature"). */
const VALID_MILLISECONDS = 300_000;

/**
 * Starts the endpoint. What it accepts is answered by the model.
 *
 * @param credentials those of the role that may ask it
 */
export async function startBedrock(
  model: ScriptedModel,
  credentials: { secret: string; session?: string } = {
    secret: CREDENTIALS.AWS_SECRET_ACCESS_KEY,
    session: CREDENTIALS.AWS_SESSION_TOKEN,
  },
): Promise<Bedrock> {
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const refusal = request.method === "GET" ? undefined : refusalOf(request, body, bedrock);
    if (refusal) {
      bedrock.refused.push(refusal.code);
      const error = { message: refusal.code, type: refusal.code, code: refusal.code, param: refusal.parameter };
      response.writeHead(refusal.status, { "content-type": "application/json", "x-amzn-requestid": "refused" });
      response.end(JSON.stringify({ error }));
      return;
    }
    if (request.method !== "GET") {
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
      bedrock.accepted.push({ method: "POST", path: request.url ?? "", headers, body });
    }
    const passedOn = send(`${model.baseUrl}/chat/completions`, { method: request.method, headers: request.headers });
    passedOn.on("response", (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response).on("error", () => {});
      answer.on("error", () => response.destroy());
    });
    passedOn.on("error", () => response.destroy());
    response.on("close", () => passedOn.destroy());
    passedOn.end(body);
  });
  const { origin, stop } = await listenOnLoopback(server);
  const bedrock: Bedrock = {
    baseUrl: `${origin}/openai/v1`,
    accepted: [],
    refused: [],
    region: REGION,
    secret: credentials.secret,
    session: credentials.session,
    throttle: 0,
    unknownParameters: [],
    stop,
  };
  return bedrock;
}

interface Refusal {
  status: number;
  code: string;
  parameter?: string;
}

function refusalOf(request: IncomingMessage, body: string, bedrock: Bedrock): Refusal | undefined {
  const { headers } = request;
  const [, , date = "", region, signed = "", signature] = AUTHORIZATION.exec(headers.authorization ?? "") ?? [];
  const at = String(headers["x-amz-date"]);
  if (signature === undefined) {
    return { status: 403, code: "MissingAuthenticationTokenException" };
  }
  if (region !== bedrock.region || !at.startsWith(date) || Math.abs(Date.now() - timeOf(at)) > VALID_MILLISECONDS) {
    return { status: 403, code: "InvalidSignatureException" };
  }
  if (signature !== signatureOf(request, body, { date, at, signed: signed.split(";") }, bedrock)) {
    return { status: 403, code: "InvalidSignatureException" };
  }
  if (headers["x-amz-security-token"] !== bedrock.session) {
    return { status: 403, code: "ExpiredTokenException" };
  }
  if (bedrock.throttle > 0) {
    bedrock.throttle--;
    return { status: 429, code: "ThrottlingException" };
  }
  const parameter = Object.keys(JSON.parse(body)).find((name) => bedrock.unknownParameters.includes(name));
  return parameter ? { status: 400, code: "unknown_parameter", parameter } : undefined;
}

/** Signature Version 4, after "Create a signed AWS API request". */
function signatureOf(
  { method, url = "", headers }: IncomingMessage,
  body: string,
  { date, at, signed }: { date: string; at: string; signed: string[] },
  { region, secret }: Bedrock,
): string {
  const hash = (data: string) => createHash("sha256").update(data).digest("hex");
  const hmac = (key: string | Buffer, data: string) => createHmac("sha256", key).update(data).digest();
  const lines = signed.map((name) => `${name}:${String(headers[name]).trim().replace(/ +/g, " ")}\n`);
  const canonical = [method, url, "", lines.join(""), signed.join(";"), hash(body)].join("\n");
  const scope = `${date}/${region}/bedrock/aws4_request`;
  const toSign = ["AWS4-HMAC-SHA256", at, scope, hash(canonical)].join("\n");
  const key = [region, "bedrock", "aws4_request"].reduce(hmac, hmac(`AWS4${secret}`, date));
  return hmac(key, toSign).toString("hex");
}

/** The time of `x-amz-date`, such as 20261124T164800Z. */
function timeOf(at: string): number {
  return Date.parse(at.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"));
}
