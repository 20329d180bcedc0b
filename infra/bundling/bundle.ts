import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { build, type Metafile } from "esbuild";
import { buildPages } from "../../web/build.ts";
import { BUNDLES } from "./folder.ts";
import {
  emptyFiles,
  evaluatedModules,
  keepErrors,
  lazyBuiltins,
  regionalEndpoints,
  replacePackages,
  versionsOnly,
} from "./plugins.ts";
import { copySafetyData } from "./safety-data.ts";

const ROOT = join(import.meta.dirname, "..", "..");

/** AWS SDK packages that the functions load but never use, by import name, with their replacements. */
const REPLACED_PACKAGES = {
  // Lambda provides the role's credentials in environment variables ("Defined runtime environment variables"). The
  // other providers (SSO, instance metadata, web identity, …) load clients of their own: 100 KB.
  "@aws-sdk/credential-provider-node": `
    import { fromEnv } from "@aws-sdk/credential-provider-env";
    export const defaultProvider = fromEnv;`,
  // The cache for endpoint discovery, which is not used with DynamoDB.
  "@aws-sdk/endpoint-cache": "export class EndpointCache {}",
  // middy compares a streamed body with this class. The functions stream Node's own streams; loading it takes 5 ms.
  "node:stream/web": "export class ReadableStream {}",
  // For operations that stream events; DynamoDB and Secrets Manager have none.
  "@smithy/core/event-streams": "export {};",
};

/** Files that the functions load but never use. */
const EMPTIED_FILES = [
  // The region lookup of EC2 instances, and the rate limiter of a retry mode that is not the default.
  /@smithy\/core\/.*\/getInstanceMetadataRegion\.js/,
  /@smithy\/core\/.*\/DefaultRateLimiter\.js/,
  /@smithy\/core\/.*\/AdaptiveRetryStrategy\.js/,
  // SHA-256 and hexadecimal digits in JavaScript, for runtimes without a native implementation.
  /@smithy\/core\/.*\/Sha256Js\.js/,
  /@smithy\/core\/.*\/hex-encoding\.js/,
  // The lookup of settings in ~/.aws/config, which Lambda does not have. It creates two errors for each setting that it does
  // not find. The replacement reads environment variables.
  /@smithy\/core\/.*\/node-config-provider\/configLoader\.js/,
  // The SDK's own log, which is off but was redacted anyway.
  /@smithy\/core\/.*\/schemaLogFilter\.js/,
  /@aws-sdk\/core\/.*\/loggerMiddleware\.js/,
  // The user agent, which the SDK assembles again for each call from ten parts, among them the operating system and the
  // SDK's features in use. The replacement names the SDK's version and the function.
  /@aws-sdk\/core\/.*\/(user-agent-middleware|defaultUserAgent)\.js/,
  // Extensions of a client's configuration, of which there are none, and warnings about old versions of Node.
  /@aws-sdk\/client-.*\/runtimeExtensions\.js/,
  /\/emitWarningIfUnsupportedVersion\.js/,
  // Dates in other protocols' formats. Both services send seconds since 1970, and RFC 7231 dates in Retry-After headers.
  /@smithy\/core\/.*\/(date-utils|parse-utils|schema-date-utils)\.js/,
  // The partition table, which `regional-endpoint.ts` does not need, and the lookup of the endpoint's six parameters in
  // each call.
  /@aws-sdk\/core\/.*\/util-endpoints\/lib\/aws\/partitions\.js/,
  /@smithy\/core\/.*\/(endpointMiddleware|getEndpointFromInstructions)\.js/,
  // Checks for streams and blobs of browsers: reading these globals loads Node's web streams, 4 ms.
  /@smithy\/core\/.*\/stream-type-check\.js/,
  // UUIDs from the global `crypto`, which loads Web Crypto.
  /@smithy\/core\/.*\/uuid\/v4\.js/,
  // The header with the length of the body, which Node adds too. For files, it loads all of Node's file system modules.
  /@smithy\/core\/.*\/(contentLengthMiddleware|calculateBodyLength)\.js/,
  // JSON numbers beyond the precision of a double, and inputs in URLs and headers: neither service has any.
  /@smithy\/core\/.*\/json\/(needsReviver|jsonReviver)\.js/,
  /@smithy\/core\/.*\/HttpBindingNormalizedSchema\.js/,
  // A header that lets AWS detect endless loops between a function and a queue, topic or bucket.
  /@aws-sdk\/core\/.*\/recursionDetectionMiddleware\.js/,
  // Signatures of event streams, and iterators over pages.
  /@smithy\/signature-v4\/.*\/HeaderFormatter\.js/,
  /@aws-sdk\/lib-dynamodb\/.*\/pagination\//,
  // Everything in the model's SDK except Chat Completions: 260 KB of other endpoints, helpers and ways to authenticate.
  /openai\/resources\/(?!index\.mjs|shared\.mjs|chat\/(?!completions\/messages\.mjs))/,
  /openai\/lib\/(?!chat-completions\/streaming\.mjs)/,
  /openai\/helpers\//,
  // Uploads, queries and lists.
  /openai\/internal\/(uploads|to-file)\.mjs/,
  /openai\/internal\/qs\//,
  /openai\/core\/pagination\.mjs/,
  /openai\/(azure|bedrock)\.mjs/,
  // Headers that describe the platform to the provider.
  /openai\/internal\/detect-platform\.mjs/,
  /openai\/internal\/auth\/x509-workload-identity-auth\.mjs/,
  /openai\/auth\/workload-identity-auth\.mjs/,
];

/** Exports of those files that the SDKs call nevertheless, with their replacements. */
const EMPTIED_FILES_KEEP = {
  isX509WorkloadIdentity: "() => false",
  isRunningInBrowser: "() => false",
  getPlatformHeaders: "() => ({})",
  finalizeStreamingFormRequestOptions: "() => {}",
  loadConfig: `({ environmentVariableSelector, default: value }) => async () =>
    environmentVariableSelector(process.env) ?? (typeof value === "function" ? value() : value)`,
  schemaLogFilter: "(_, data) => data",
  getLoggerPlugin: "() => ({ applyToStack: () => {} })",
  createDefaultUserAgentProvider: `({ clientVersion }) =>
    "aws-sdk-js/" + clientVersion + " app/" + process.env.AWS_LAMBDA_FUNCTION_NAME`,
  getUserAgentPlugin: `({ defaultUserAgentProvider: userAgent }) => ({
    applyToStack: (stack) => stack.add((next) => (args) => {
      args.request.headers["user-agent"] = userAgent;
      return next(args);
    }, { name: "userAgent", step: "build" }),
  })`,
  resolveRuntimeExtensions: "(config) => config",
  emitWarningIfUnsupportedVersion: "() => {}",
  toHex: '(bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex")',
  parseEpochTimestamp: "(seconds) => new Date(seconds * 1000)",
  parseRfc7231DateTime: "(date) => new Date(date)",
  needsReviver: "() => false",
  getHttpOperationBindings: "() => ({})",
  recursionDetectionMiddleware: "() => (next) => next",
  isReadableStream: "() => false",
  isBlob: "() => false",
  getContentLengthPlugin: "() => ({ applyToStack: () => {} })",
  bindGetEndpointFromInstructions: "() => {}",
  bindEndpointMiddleware: `() => ({ config }) => (next, context) => async (args) => {
    config.regionalEndpoint ??= config.endpointProvider({
      Region: await config.region(),
      Endpoint: await config.serviceConfiguredEndpoint(),
      UseFIPS: await config.useFipsEndpoint(),
      UseDualStack: await config.useDualstackEndpoint(),
    });
    context.endpointV2 = config.regionalEndpoint;
    return next(args);
  }`,
  bindV4: '() => process.getBuiltinModule("crypto").randomUUID',
};

/** The errors that the functions distinguish, by client. Any other error has the client's base class, and its own name. */
export const KEPT_ERRORS = {
  "client-dynamodb": [
    "ConditionalCheckFailedException",
    "TransactionCanceledException",
    "TransactionInProgressException",
  ],
  "client-secrets-manager": ["ResourceNotFoundException"],
};

/**
 * Bundles every file under `functions/` for Lambda, and adds the safety layer's data and the web pages.
 *
 * @param safetyTexts see `Settings`
 * @returns the inputs of each bundle, with their sizes
 * @throws what {@link bundle} and {@link copySafetyData} throw
 */
export async function bundleFunctions(safetyTexts: string): Promise<Metafile> {
  const metafile = await bundle();
  copySafetyData(metafile, safetyTexts);
  return metafile;
}

/**
 * Does the same without the safety layer's data. The bundles are minified and include the AWS SDK, because the
 * runtime's own copy starts more slowly. One build creates all of them.
 *
 * @throws errors of esbuild; an Error when something that is to be left out no longer exists
 */
export async function bundle(): Promise<Metafile> {
  const [{ metafile }] = await Promise.all([buildFunctions(), buildPages(BUNDLES)]);
  return metafile;
}

function buildFunctions() {
  const names = readdirSync(join(ROOT, "functions")).map((file) => basename(file, ".ts"));
  return build({
    absWorkingDir: ROOT,
    entryPoints: names.map((name) => ({ in: `functions/${name}.ts`, out: `${name}/index` })),
    outdir: BUNDLES,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    minify: true,
    metafile: true,
    platform: "node",
    target: "node24",
    format: "esm",
    mainFields: ["module", "main"],
    legalComments: "none",
    // Reading these globals loads Node's `fetch`, web streams and performance hooks, which no function needs.
    inject: [join(import.meta.dirname, "web-apis.ts")],
    define: {
      "globalThis.ReadableStream": "undefined",
      "globalThis.Blob": "undefined",
      "process.env.SCHEMA_METADATA": '"omitted"', // read in `shared/fields.ts`
    },
    logLevel: "warning",
    plugins: [
      replacePackages(REPLACED_PACKAGES, ROOT),
      lazyBuiltins(),
      emptyFiles(EMPTIED_FILES, EMPTIED_FILES_KEEP),
      keepErrors(KEPT_ERRORS),
      regionalEndpoints({ "client-dynamodb": "dynamodb", "client-secrets-manager": "secretsmanager" }),
      versionsOnly(),
      evaluatedModules([/shared\/openapi\/contents\.ts$/]),
    ],
  });
}
