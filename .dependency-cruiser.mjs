/**
 * The layers of the code: which directory may import which others. A directory may always import from itself. Nothing else
 * is allowed, and no file may be part of an import cycle; `npm test` checks both (test/structure/layers.test.ts).
 *
 * The table reads from the top layer to the bottom one, and imports only point down. `shared/*` means the files directly in
 * `shared/`: configuration, errors, logging, metrics and other things that know no part of the domain.
 */
const FOUNDATION = ["shared/*"];

export const ALLOWED = {
  // Entry points
  functions: [
    "shared/openapi",
    "shared/openai",
    "shared/http",
    "shared/auth",
    "shared/chat",
    "shared/data-lifecycle",
    "shared/feedback",
    "shared/handoff",
    "shared/threads",
    "shared/events",
    "shared/patients",
    "shared/model",
    ...FOUNDATION,
  ],
  infra: [
    "tools/live-check", // its rules, for the deployment hook
    "web",
    "shared/openapi",
    "shared/safety",
    "shared/http",
    "shared/auth",
    "shared/threads",
    "shared/model",
    "shared/dynamo",
    ...FOUNDATION,
  ],
  local: ["tools/command-line.ts", "shared/http", "shared/model", "shared/threads", "shared/dynamo", ...FOUNDATION],
  "tools/bench": [
    "infra/pascal-case.ts",
    "infra/deployment-hook/invoke-fetch.ts",
    "shared/openapi",
    "tools/command-line.ts",
    "test",
    "local",
    "shared/chat",
    "shared/data-lifecycle",
    "shared/events",
    "shared/threads",
    "shared/dynamo",
    ...FOUNDATION,
  ],
  "tools/demo": ["local", "client", "tools/command-line.ts"],
  "tools/generators": ["local", "tools/command-line.ts"],
  "tools/cost": ["tools/command-line.ts", "local", "shared/chat", ...FOUNDATION],
  "tools/account": ["tools/aws", "tools/command-line.ts", "infra/stages.ts", "shared/config.ts"],
  "tools/aws": [],
  "tools/deploy": ["tools/aws"],
  "tools/keys": ["tools/aws", "tools/command-line.ts", "infra/stages.ts", "shared/auth", "shared/quota-limits.ts"],
  "tools/live-check": ["tools/command-line.ts", "shared/threads"],
  "tools/load": ["tools/command-line.ts", "tools/pypi.ts"],
  "tools/restore": ["tools/aws", "tools/command-line.ts", "shared/dynamo"],
  "tools/safety": ["tools/command-line.ts", "local", "shared/safety"],

  // The pages and the client
  web: ["client", "shared/openapi", "shared/http", "shared/threads", ...FOUNDATION],
  client: ["shared/openapi", "tools/command-line.ts"], // at build time, to generate the types

  // The domain
  "shared/openapi": [
    "shared/openai",
    "shared/http",
    "shared/chat",
    "shared/data-lifecycle",
    "shared/feedback",
    "shared/handoff",
    "shared/threads",
    "shared/events",
    "shared/patients",
    ...FOUNDATION,
  ],
  "shared/openai": ["shared/http", "shared/chat", "shared/threads", "shared/patients", ...FOUNDATION],
  "shared/http": ["shared/auth", "shared/quotas", ...FOUNDATION],
  "shared/auth": FOUNDATION,
  "shared/chat": ["shared/threads", "shared/events", "shared/model", "shared/patients", "shared/safety", ...FOUNDATION],
  "shared/data-lifecycle": [
    "shared/feedback",
    "shared/threads",
    "shared/events",
    "shared/patients",
    "shared/dynamo",
    ...FOUNDATION,
  ],
  "shared/feedback": ["shared/threads", "shared/events", "shared/safety", "shared/dynamo", ...FOUNDATION],
  "shared/handoff": ["shared/threads", ...FOUNDATION],
  "shared/threads": [
    "shared/events",
    "shared/patients",
    "shared/quotas",
    "shared/safety",
    "shared/dynamo",
    ...FOUNDATION,
  ],
  "shared/model": ["shared/safety", ...FOUNDATION],
  "shared/patients": ["shared/dynamo", ...FOUNDATION],
  "shared/quotas": ["shared/dynamo", ...FOUNDATION],
  "shared/events": ["shared/dynamo", ...FOUNDATION],
  "shared/safety": FOUNDATION,
  "shared/dynamo": FOUNDATION,
  "shared/*": [],
};

/** Packages that only some files may use. */
const RESTRICTED = {
  "node_modules/openai/": ["shared/model/assistant.ts"],
  "node_modules/@aws-sdk/(client-dynamodb|lib-dynamodb|util-dynamodb)/": ["-repository.ts", "shared/dynamo/"],
  "node_modules/@aws-sdk/client-secrets-manager/": ["shared/secrets.ts"],
};

const patternOf = (place) =>
  place.endsWith("/*") ? `^${place.slice(0, -1)}[^/]+$` : place.endsWith(".ts") ? `^${place}$` : `^${place}/`;

const layers = Object.entries(ALLOWED).map(([place, allowed]) => ({
  name: `${place} may import only what the table allows`,
  severity: "error",
  from: { path: patternOf(place) },
  to: { pathNot: [place, ...allowed].map(patternOf), path: "^(functions|infra|local|tools|web|client|shared|test)/" },
}));

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
      from: { pathNot: "^(test|tools/bench)/" },
      to: { path: "^test/" },
    },
    {
      name: "only the stack imports its monitoring",
      severity: "error",
      from: { path: "^infra/", pathNot: "^infra/(monitoring/|service-stack.ts$)" },
      to: { path: "^infra/monitoring/" },
    },
    ...layers,
    ...packages,
  ],
  options: { parser: "swc", tsPreCompilationDeps: true, doNotFollow: { path: "node_modules" } },
};
