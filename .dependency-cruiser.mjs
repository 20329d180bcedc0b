import { readFileSync } from "node:fs";

/**
 * The layers of the code: which directory may import which others. A directory may always import from itself. Nothing
 * else is allowed, no directory may be without a row, and no file may be part of an import cycle; `npm test` checks all
 * three (test/structure/layers.test.ts).
 *
 * The table reads from the top layer to the bottom one, and imports only point down. `shared/*` means the files
 * directly in `shared/`: configuration, errors, secrets and other things that everything stands on. A file with a row
 * of its own is not part of its directory's row.
 */
const FOUNDATION = ["shared/*", "shared/clinic.ts"];

/** What almost every part of the domain stands on. */
const BASE = ["shared/contract", "shared/observability", "shared/request", ...FOUNDATION];

export const ALLOWED = {
  // Entry points
  functions: [
    "shared/openapi",
    "shared/completions",
    "shared/data-lifecycle",
    "shared/fhir",
    "shared/chat",
    "shared/sources",
    "shared/profile",
    "shared/feedback",
    "shared/handoff",
    "shared/threads",
    "shared/http",
    "shared/patients",
    "shared/model",
    "shared/events",
    "shared/idempotency",
    ...BASE,
  ],
  infra: [
    "packages/lambda-local/path-parameters.ts", // the hook invokes functions as API Gateway does
    "shared/live-check", // for the deployment hook
    "web",
    "shared/openapi",
    "shared/threads",
    "shared/fhir/fhir-body.ts", // its size, for the gateway's 413
    "shared/http",
    "shared/auth",
    "shared/model",
    "packages/safety",
    "shared/dynamo",
    "shared/secrets.ts",
    ...BASE,
  ],
  local: [
    "infra/settings-schema.ts", // what a setting may be
    "shared/command-line.ts",
    "packages/lambda-local",
    "web/playground/delivery.ts", // what its webhook inbox shows
    "shared/http",
    "shared/model",
    "packages/safety/language.ts", // in which the offline model says that it has no answer
    ...FOUNDATION,
  ],
  "tools/client": ["shared/openapi", "shared/command-line.ts"], // generates the types, builds the package
  "tools/demo": ["local", "packages/client", "packages/lambda-local", "shared/command-line.ts"],
  "tools/account": ["tools/aws", "shared/command-line.ts", "infra/stages.ts", "shared/config.ts", "shared/model"],
  "tools/aws": [],
  "tools/cfn-lint": ["shared/command-line.ts", "tools/pypi.ts"],
  "tools/deploy": ["tools/aws", "shared/command-line.ts"],
  "tools/keys": ["tools/aws", "shared/command-line.ts", "infra/stages.ts", "shared/auth", "shared/request"],
  "tools/limits": ["shared/command-line.ts"],
  "tools/live-check": ["shared/command-line.ts", "shared/live-check"],
  "tools/load": ["shared/command-line.ts", "tools/pypi.ts"],
  "tools/print-openapi.ts": ["shared/openapi"],
  "tools/release": ["packages/lambda-local/cloud-assembly.ts", "shared/command-line.ts"],
  "tools/restore": ["tools/aws", "shared/command-line.ts", "shared/dynamo"],
  "tools/safety": [
    "shared/command-line.ts",
    "packages/lambda-local",
    "local",
    "shared/chat",
    "shared/threads",
    "shared/model",
    "shared/request",
    "shared/tenant.ts",
    "packages/safety",
  ],
  "tools/mutation": ["shared/command-line.ts"],
  "tools/profile": ["tools/terminal.ts", "shared/command-line.ts", "packages/client"],
  "tools/sources": [
    "packages/safety", // its interval of a share
    "tools/terminal.ts",
    "shared/command-line.ts",
    "packages/client",
    "shared/sources",
  ],
  "tools/*": ["shared/command-line.ts", "packages/client"],

  // The pages
  web: ["packages/client", "shared/openapi", "shared/threads", "shared/http", ...FOUNDATION],

  // The domain
  "shared/live-check": [
    "packages/lambda-local/path-parameters.ts",
    "shared/openapi",
    "shared/threads",
    "shared/http",
    "shared/contract",
  ],
  "shared/openapi": [
    "shared/completions",
    "shared/data-lifecycle",
    "shared/fhir",
    "shared/chat",
    "shared/sources",
    "shared/profile",
    "shared/feedback",
    "shared/handoff",
    "shared/threads",
    "shared/http",
    "shared/patients",
    "shared/events",
    "shared/disclosure",
    ...BASE,
  ],
  "shared/completions": [
    "shared/chat",
    "shared/threads",
    "shared/http",
    "shared/patients",
    "shared/idempotency",
    ...BASE,
  ],
  "shared/fhir": ["shared/http", "shared/patients", "shared/idempotency", ...BASE],
  "shared/data-lifecycle": [
    "shared/feedback",
    "shared/threads",
    "shared/patients",
    "shared/events",
    "shared/idempotency",
    "shared/dynamo",
    ...BASE,
  ],
  "shared/chat": [
    "shared/profile",
    "shared/sources",
    "shared/handoff",
    "shared/threads",
    "shared/patients",
    "shared/model",
    "shared/events",
    "shared/idempotency",
    "packages/safety",
    "shared/disclosure",
    ...BASE,
  ],
  "shared/sources": ["shared/dynamo", ...BASE],
  "shared/profile": ["shared/events", "packages/safety", "shared/dynamo", ...BASE],
  "shared/feedback": ["shared/threads", "shared/events", "packages/safety", "shared/dynamo", ...BASE],
  "shared/handoff": ["shared/threads", "shared/idempotency", ...BASE],
  "shared/threads": [
    "shared/profile",
    "shared/patients",
    "shared/events",
    "shared/idempotency",
    "shared/quotas",
    "packages/safety",
    "shared/dynamo",
    "shared/disclosure",
    ...BASE,
  ],
  "shared/http": ["shared/profile", "shared/auth", "shared/quotas", ...BASE],
  "shared/patients": ["shared/idempotency", "shared/dynamo", ...BASE],
  "shared/auth": ["shared/secrets.ts", ...BASE],
  "shared/model": ["packages/safety", "shared/secrets.ts", ...BASE],
  "shared/events": ["shared/dynamo", ...BASE],
  "shared/idempotency": ["shared/dynamo", ...BASE],
  "shared/quotas": ["shared/dynamo", ...BASE],
  "shared/dynamo": ["shared/request", ...FOUNDATION],
  "shared/disclosure": ["shared/request", ...FOUNDATION],
  "shared/clinic.ts": ["packages/safety", "shared/*"],
  "shared/command-line.ts": [],
  "shared/secrets.ts": ["shared/observability", "shared/request", ...FOUNDATION],
  "shared/contract": ["shared/request", ...FOUNDATION],
  "shared/observability": ["shared/request", ...FOUNDATION],
  "shared/request": FOUNDATION,
  "shared/*": [],

  // The packages, which know nothing of the service
  "packages/client": [],
  "packages/lambda-local": [],
  "packages/safety": [],
};

/** Packages that only some files may use. */
const RESTRICTED = {
  "node_modules/openai/": ["shared/model/"],
  "node_modules/@aws-sdk/(client-dynamodb|lib-dynamodb|util-dynamodb)/": ["-repository.ts", "shared/dynamo/"],
  "node_modules/@aws-sdk/client-secrets-manager/": ["shared/secrets.ts"],
};

const TOP = "^(functions|infra|local|tools|web|packages|shared)/";

/** Tests of the service, and of a package. */
const TESTS = ["^test/", "^packages/[^/]+/test/"];

const FILES_WITH_A_ROW = Object.keys(ALLOWED).filter((place) => place.endsWith(".ts"));

function patternOf(place) {
  if (place.endsWith(".ts")) {
    return `^${place}$`;
  }
  if (place.startsWith("packages/")) {
    return `^${place}/(?!test/)`;
  }
  return place.endsWith("/*") ? `^(?!(${FILES_WITH_A_ROW.join("|")})$)${place.slice(0, -1)}[^/]+$` : `^${place}/`;
}

const layers = Object.entries(ALLOWED).map(([place, allowed]) => ({
  name: `${place} may import only what the table allows`,
  severity: "error",
  from: { path: patternOf(place) },
  to: { pathNot: [place, ...allowed].map(patternOf), path: "^(functions|infra|local|tools|web|packages|shared|test)/" },
}));

/** A file in a directory without a row may not even import a package. */
const rowless = {
  name: "every directory has a row in the table",
  severity: "error",
  from: { path: TOP, pathNot: [...TESTS, ...Object.keys(ALLOWED).map(patternOf)] },
  to: {},
};

/** What a package exports is its door: nothing else of it is imported from outside. */
const doors = Object.keys(ALLOWED)
  .filter((place) => place.startsWith("packages/"))
  .map((place) => ({
    name: `only the exports of ${place} are imported from outside`,
    severity: "error",
    from: { path: TOP, pathNot: `^${place}/` },
    to: { path: `^${place}/`, pathNot: entryPoints(place).map((file) => `^${place}/${file}$`) },
  }));

/** The files that a package's `exports` name for ES modules. */
function entryPoints(place) {
  const { exports } = JSON.parse(readFileSync(new URL(`${place}/package.json`, import.meta.url), "utf8"));
  return Object.values(exports).map((target) => (target.import ?? target).replace("./", ""));
}

const packages = Object.entries(RESTRICTED).map(([path, places]) => ({
  name: `only ${places.join(" and ")} may import ${path}`,
  severity: "error",
  from: { path: "^(functions|shared)/", pathNot: places },
  to: { path },
}));

export default {
  forbidden: [
    { name: "no cycles", severity: "error", from: {}, to: { circular: true } },
    {
      name: "nothing but tests imports tests",
      severity: "error",
      from: { pathNot: TESTS },
      to: { path: TESTS },
    },
    {
      name: "only the stack imports its monitoring",
      severity: "error",
      from: { path: "^infra/", pathNot: "^infra/(monitoring/|service-stack.ts$)" },
      to: { path: "^infra/monitoring/" },
    },
    {
      name: "only the OpenAPI document imports what is said about endpoints; all others import its types",
      severity: "error",
      from: { path: "^shared/", pathNot: "^shared/openapi/" },
      to: { path: ["/docs\\.ts$", "/webhook-docs\\.ts$"], dependencyTypesNot: ["type-only"] },
    },
    rowless,
    ...layers,
    ...doors,
    ...packages,
  ],
  options: { parser: "swc", tsPreCompilationDeps: true, doNotFollow: { path: "node_modules" } },
};
