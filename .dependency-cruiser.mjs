/**
 * The layers of the code: which directory may import which others. A directory may always import from itself. Nothing
 * else is allowed, no directory may be without a row, and no file may be part of an import cycle; `npm test` checks all
 * three (test/structure/layers.test.ts).
 *
 * The table reads from the top layer to the bottom one, and imports only point down. `shared/*` means the files
 * directly in `shared/`: configuration, errors, secrets and other things that everything stands on. A file with a row
 * of its own is not part of its directory's row.
 */
const FOUNDATION = ["shared/*"];

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
    "tools/live-check", // its rules, for the deployment hook
    "web",
    "shared/openapi",
    "shared/threads",
    "shared/http",
    "shared/auth",
    "shared/model",
    "shared/safety",
    "shared/dynamo",
    "shared/secrets.ts",
    ...BASE,
  ],
  local: [
    "web/playground/delivery.ts", // what its webhook inbox shows
    "tools/command-line.ts",
    "shared/http",
    "shared/model",
    ...FOUNDATION,
  ],
  "tools/demo": ["local", "client", "tools/command-line.ts"],
  "tools/cost": ["tools/command-line.ts"],
  "tools/account": ["tools/aws", "tools/command-line.ts", "infra/stages.ts", "shared/config.ts", "shared/model"],
  "tools/aws": [],
  "tools/cfn-lint": ["tools/command-line.ts", "tools/pypi.ts"],
  "tools/deploy": ["tools/aws"],
  "tools/keys": ["tools/aws", "tools/command-line.ts", "infra/stages.ts", "shared/auth", "shared/request"],
  "tools/limits": ["tools/command-line.ts"],
  "tools/live-check": ["tools/command-line.ts", "shared/openapi", "shared/threads", "shared/http", "shared/contract"],
  "tools/load": ["tools/command-line.ts", "tools/pypi.ts"],
  "tools/print-openapi.ts": ["shared/openapi"],
  "tools/release": ["local/cloud-assembly.ts", "tools/command-line.ts"],
  "tools/restore": ["tools/aws", "tools/command-line.ts", "shared/dynamo"],
  "tools/safety": [
    "tools/interval.ts",
    "tools/command-line.ts",
    "local",
    "shared/chat",
    "shared/threads",
    "shared/model",
    "shared/safety",
  ],
  "tools/sources": ["tools/interval.ts", "tools/command-line.ts", "client", "shared/sources"],
  "tools/*": [],

  // The pages and the client
  web: ["client", "shared/openapi", "shared/threads", "shared/http", ...FOUNDATION],
  client: ["shared/openapi", "tools/command-line.ts"], // at build time, to generate the types

  // The domain
  "shared/openapi": [
    "shared/completions",
    "shared/data-lifecycle",
    "shared/fhir",
    "shared/chat",
    "shared/sources",
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
    "shared/sources",
    "shared/handoff",
    "shared/threads",
    "shared/patients",
    "shared/model",
    "shared/events",
    "shared/idempotency",
    "shared/safety",
    "shared/disclosure",
    ...BASE,
  ],
  "shared/sources": ["shared/dynamo", ...BASE],
  "shared/feedback": ["shared/threads", "shared/events", "shared/safety", "shared/dynamo", ...BASE],
  "shared/handoff": ["shared/threads", "shared/idempotency", ...BASE],
  "shared/threads": [
    "shared/patients",
    "shared/events",
    "shared/idempotency",
    "shared/quotas",
    "shared/safety",
    "shared/dynamo",
    "shared/disclosure",
    ...BASE,
  ],
  "shared/http": ["shared/auth", "shared/quotas", ...BASE],
  "shared/patients": ["shared/idempotency", "shared/dynamo", ...BASE],
  "shared/auth": ["shared/secrets.ts", ...BASE],
  "shared/model": ["shared/safety", "shared/secrets.ts", ...BASE],
  "shared/events": ["shared/dynamo", ...BASE],
  "shared/idempotency": ["shared/dynamo", ...BASE],
  "shared/quotas": ["shared/dynamo", ...BASE],
  "shared/safety": ["shared/contract", ...FOUNDATION],
  "shared/dynamo": ["shared/request", ...FOUNDATION],
  "shared/disclosure": ["shared/request", ...FOUNDATION],
  "shared/secrets.ts": ["shared/observability", "shared/request", ...FOUNDATION],
  "shared/contract": ["shared/request", ...FOUNDATION],
  "shared/observability": ["shared/request", ...FOUNDATION],
  "shared/request": FOUNDATION,
  "shared/*": [],
};

/** Packages that only some files may use. */
const RESTRICTED = {
  "node_modules/openai/": ["shared/model/"],
  "node_modules/@aws-sdk/(client-dynamodb|lib-dynamodb|util-dynamodb)/": ["-repository.ts", "shared/dynamo/"],
  "node_modules/@aws-sdk/client-secrets-manager/": ["shared/secrets.ts"],
};

const TOP = "^(functions|infra|local|tools|web|client|shared)/";

const FILES_WITH_A_ROW = Object.keys(ALLOWED).filter((place) => place.endsWith(".ts"));

function patternOf(place) {
  if (place.endsWith(".ts")) {
    return `^${place}$`;
  }
  return place.endsWith("/*") ? `^(?!(${FILES_WITH_A_ROW.join("|")})$)${place.slice(0, -1)}[^/]+$` : `^${place}/`;
}

const layers = Object.entries(ALLOWED).map(([place, allowed]) => ({
  name: `${place} may import only what the table allows`,
  severity: "error",
  from: { path: patternOf(place) },
  to: { pathNot: [place, ...allowed].map(patternOf), path: "^(functions|infra|local|tools|web|client|shared|test)/" },
}));

/** A file in a directory without a row may not even import a package. */
const rowless = {
  name: "every directory has a row in the table",
  severity: "error",
  from: { path: TOP, pathNot: Object.keys(ALLOWED).map(patternOf) },
  to: {},
};

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
      from: { pathNot: "^test/" },
      to: { path: "^test/" },
    },
    {
      name: "only the stack imports its monitoring",
      severity: "error",
      from: { path: "^infra/", pathNot: "^infra/(monitoring/|service-stack.ts$)" },
      to: { path: "^infra/monitoring/" },
    },
    rowless,
    ...layers,
    ...packages,
  ],
  options: { parser: "swc", tsPreCompilationDeps: true, doNotFollow: { path: "node_modules" } },
};
