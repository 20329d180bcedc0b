import { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { STAGES } from "../../infra/stages.ts";
import type { ClientEntry, ClientKeys } from "../../shared/auth/client-keys.ts";
import { readArguments, usageError } from "../../shared/command-line.ts";
import { QUOTA_LIMITS } from "../../shared/request/quota-limits.ts";
import { runScript } from "../aws/explain.ts";
import { add, type ClientSettings, endOverlap, newKey, revoke, rotate, set } from "./changes.ts";
import { changeClientKeys, findKeysSecret, readClientKeys } from "./keys-secret.ts";

const QUOTA_NAMES = Object.keys(QUOTA_LIMITS).join(", ");

const USAGE = `Manages the API keys of the service's clients.

  npm run keys -- add --client NAME --stage STAGE          adds a client and prints its key once
  npm run keys -- rotate --client NAME --stage STAGE       adds a second key next to the current one and prints it once
  npm run keys -- end-overlap --client NAME --stage STAGE  removes the key from before the last rotation
  npm run keys -- revoke --client NAME --stage STAGE       removes the client and all its keys
  npm run keys -- set --client NAME --stage STAGE …        changes the client's tenant or quotas
  npm run keys -- list --stage STAGE                       lists the clients with their tenants and quotas, without keys

  --tenant     for add and set: the tenant whose data the client uses; by default, each client is its own tenant. Data
               belongs to the tenant that created it
  --quota      for add and set, repeatable: NAME=LIMIT, or NAME=none to remove it. The names are
               ${QUOTA_NAMES}
  --stage      ${Object.keys(STAGES).join(", ")}; account and region come from the AWS SDK's configuration (AWS_PROFILE, AWS_REGION, …)
  --secret-id  name or ARN of the secret, instead of --stage
  --endpoint   endpoint of the local service, as printed by npm start; requires --secret-id

A new key works within 5 seconds, and a removed key stops working within a minute (docs/keys-and-tenants.md).
Exit code: 0 on success, 1 on failure, 2 for an invalid command line.
`;

/** A change of one client; `key` is a new key. */
interface Change {
  apply(clients: ClientKeys, client: string, key: string, settings: ClientSettings): ClientKeys;
  /** What is then said after the client's name. */
  said: string;
  /** Prints the new key. */
  printsKey?: boolean;
  /** Takes a tenant and quotas. */
  takesSettings?: boolean;
}

const CHANGES: Record<string, Change> = {
  add: {
    apply: add,
    said: "was added. Its key works within 5 seconds and is not shown again:",
    printsKey: true,
    takesSettings: true,
  },
  rotate: {
    apply: rotate,
    said: "has a new key. It works within 5 seconds and is not shown again; the previous key remains valid:",
    printsKey: true,
  },
  "end-overlap": { apply: endOverlap, said: "has one key again; its previous key stops working within a minute." },
  revoke: { apply: revoke, said: "was removed; its keys stop working within a minute." },
  set: {
    apply: (clients, client, _, settings) => set(clients, client, settings),
    said: "was changed; the change takes effect within a minute.",
    takesSettings: true,
  },
};

/** Quotes only what cannot be a key whose option was forgotten. */
function unknown(name: string): string {
  const said = /^[a-z-]{1,20}$/.test(name) ? `There is no command ${name}. ` : "";
  return `${said}The first argument must be one of ${["list", ...Object.keys(CHANGES)].join(", ")}.`;
}

async function main(): Promise<number> {
  const options = {
    client: { type: "string", default: "" },
    tenant: { type: "string" },
    quota: { type: "string", multiple: true },
    stage: { type: "string", default: "" },
    "secret-id": { type: "string" },
    endpoint: { type: "string" },
  } as const;
  const { positionals, values } = readArguments(USAGE, { options, allowPositionals: true });
  const { client, tenant, quota = [], stage, "secret-id": givenSecret, endpoint } = values;
  const [name = "", ...more] = positionals;
  const change = Object.hasOwn(CHANGES, name) ? CHANGES[name] : undefined;
  const problem = [
    !change && name !== "list" && unknown(name),
    more.length > 0 && "Only one command can be given.",
    !change && client !== "" && "The command list takes no --client.",
    change && client === "" && `The command ${name} needs a --client.`,
    !change?.takesSettings && (tenant ?? quota[0]) !== undefined && "Only add and set take a --tenant or a --quota.",
    quota.some((one) => !/^[^=]+=[^=]+$/.test(one)) && "A --quota must have the form NAME=LIMIT.",
    givenSecret && stage !== "" && "Specify either --stage or --secret-id, not both.",
    !givenSecret && endpoint && "An --endpoint needs a --secret-id.",
    !givenSecret && !Object.hasOwn(STAGES, stage) && `--stage must be one of ${Object.keys(STAGES).join(", ")}.`,
  ].find((found) => found);
  if (problem) {
    usageError(USAGE, problem);
  }
  const local = { endpoint, region: "local", credentials: { accessKeyId: "local", secretAccessKey: "local" } };
  const secrets = new SecretsManagerClient(endpoint ? local : {});
  const secret = givenSecret ?? (await findKeysSecret(secrets, stage));
  if (!change) {
    process.stdout.write(table(await readClientKeys(secrets, secret)));
    return 0;
  }
  const key = newKey();
  const settings = { tenant, quotas: Object.fromEntries(quota.map((one) => one.split("="))) };
  await changeClientKeys(secrets, secret, (clients) => change.apply(clients, client, key, settings));
  process.stderr.write(`The client ${client} ${change.said}\n`);
  if (change.printsKey) {
    process.stdout.write(`${key}\n`); // only the key, so that it can be piped
  }
  return 0;
}

function table(clients: ClientKeys): string {
  const width = Math.max(...[...clients.keys()].map(({ length }) => length), 0);
  const rows = [...clients].map(([name, entry]) => `${name.padEnd(width)}  ${descriptionOf(name, entry)}\n`);
  return rows.join("") || "No clients.\n";
}

function descriptionOf(name: string, { keys, tenant = name, quotas = {}, invalid }: ClientEntry): string {
  if (invalid !== undefined) {
    return "invalid tenant or quota: cannot call the API";
  }
  const states = ["no key: cannot call the API", "one key", "overlap: the new and the previous key both work"];
  const limits = Object.entries(quotas).map(([quota, limit]) => `${quota}=${limit}`);
  return [states[Math.min(keys.length, 2)], ...(tenant === name ? [] : [`tenant ${tenant}`]), ...limits].join("; ");
}

await runScript(main, "secret");
