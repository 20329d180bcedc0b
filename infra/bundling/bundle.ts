import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { build, type Metafile } from "esbuild";
import { buildPages } from "../../web/build.ts";
import { BUNDLES } from "./folder.ts";
import { emptyFiles, keepErrors, lazyBuiltins, regionalEndpoints, replacePackages, versionsOnly } from "./plugins.ts";
import { copySafetyData } from "./safety-data.ts";

const ROOT = join(import.meta.dirname, "..", "..");

/**
 * Packages of the AWS SDK that these functions load and never use, by the names they are imported under, with what
 * stands in for them.
 */
const REPLACED_PACKAGES = {
  // Lambda hands a role's credentials over in environment variables ("Defined runtime environment variables"); the
  // other providers (SSO, instance metadata, web identity, …) bring clients of their own along: 100 KB.
  "@aws-sdk/credential-provider-node": `
    import { fromEnv } from "@aws-sdk/credential-provider-env";
    export const defaultProvider = fromEnv;`,
  // A cache for endpoints that a service may announce; DynamoDB's are not asked for.
  "@aws-sdk/endpoint-cache": "export class EndpointCache {}",
  // Operations that stream events; neither DynamoDB's nor Secrets Manager's do.
  "@smithy/core/event-streams": "export {};",
};

/** Files that these functions load and never use. */
const EMPTIED_FILES = [
  // The region that an EC2 instance would ask for, and the rate limiter of a retry mode that is not the default.
  /@smithy\/core\/.*\/getInstanceMetadataRegion\.js/,
  /@smithy\/core\/.*\/DefaultRateLimiter\.js/,
  /@smithy\/core\/.*\/AdaptiveRetryStrategy\.js/,
  // SHA-256 in JavaScript, for a Node without its own.
  /@smithy\/core\/.*\/Sha256Js\.js/,
  // The files ~/.aws/config and ~/.aws/credentials, which Lambda does not have.
  /@smithy\/core\/.*\/shared-ini-file-loader\/loadSharedConfigFiles\.js/,
  // What keeps secrets out of the SDK's own log, which is off.
  /@smithy\/core\/.*\/schemaLogFilter\.js/,
  // Partitions, which `regional-endpoint.ts` does without.
  /@aws-sdk\/core\/.*\/util-endpoints\/lib\/aws\/partitions\.js/,
  // Signatures of event streams, S3's parameters, and iterators over pages.
  /@smithy\/signature-v4\/.*\/HeaderFormatter\.js/,
  /@smithy\/core\/.*\/service-customizations\/s3\.js/,
  /@aws-sdk\/lib-dynamodb\/.*\/pagination\//,
  // What the model's SDK has beside Chat Completions: 260 KB of other endpoints, helpers and ways to authenticate.
  /openai\/resources\/(?!index\.mjs|shared\.mjs|chat\/(?!completions\/messages\.mjs))/,
  /openai\/lib\/(?!chat-completions\/streaming\.mjs)/,
  /openai\/helpers\//,
  // Uploads, queries and lists.
  /openai\/internal\/(uploads|to-file)\.mjs/,
  /openai\/internal\/qs\//,
  /openai\/core\/pagination\.mjs/,
  /openai\/(azure|bedrock)\.mjs/,
  /openai\/internal\/auth\/x509-workload-identity-auth\.mjs/,
  /openai\/auth\/workload-identity-auth\.mjs/,
];

/** Exports of those files that the SDKs call even so. */
const EMPTIED_FILES_KEEP = {
  isX509WorkloadIdentity: "() => false",
  finalizeStreamingFormRequestOptions: "() => {}",
  loadSharedConfigFiles: "async () => ({ configFile: {}, credentialsFile: {} })",
  schemaLogFilter: "(_, data) => data",
};

/** The errors of the operations that are called, by client. An error that is left out is one of the client's base class. */
const KEPT_ERRORS = {
  "client-dynamodb": [
    "ConditionalCheckFailedException",
    "IdempotentParameterMismatchException",
    "InternalServerError",
    "InvalidEndpointException",
    "ItemCollectionSizeLimitExceededException",
    "ProvisionedThroughputExceededException",
    "ReplicatedWriteConflictException",
    "RequestLimitExceeded",
    "ResourceNotFoundException",
    "ThrottlingException",
    "TransactionCanceledException",
    "TransactionConflictException",
    "TransactionInProgressException",
  ],
  "client-secrets-manager": [
    "DecryptionFailure",
    "InternalServiceError",
    "InvalidParameterException",
    "InvalidRequestException",
    "ResourceNotFoundException",
  ],
};

/**
 * Bundles every file under `functions/` for Lambda, and puts the safety layer's data and the web pages beside the bundles.
 *
 * @param safetyTexts as in `Settings`
 * @returns what went into each bundle, and how many bytes of it
 * @throws as {@link bundle} and {@link copySafetyData} say
 */
export async function bundleFunctions(safetyTexts: string): Promise<Metafile> {
  const metafile = await bundle();
  copySafetyData(metafile, safetyTexts);
  return metafile;
}

/**
 * The same without the safety layer's data. The bundles are minified and include the AWS SDK, since the runtime's own copy
 * starts slower; one build makes all of them.
 *
 * @throws esbuild's errors; an Error when something that is left out here is not there any more
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
    logLevel: "warning",
    plugins: [
      lazyBuiltins(),
      replacePackages(REPLACED_PACKAGES, ROOT),
      emptyFiles(EMPTIED_FILES, EMPTIED_FILES_KEEP),
      keepErrors(KEPT_ERRORS),
      regionalEndpoints({ "client-dynamodb": "dynamodb", "client-secrets-manager": "secretsmanager" }),
      versionsOnly(),
    ],
  });
}
