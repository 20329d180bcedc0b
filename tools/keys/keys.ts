import { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { STAGES } from "../../infra/stages.ts";
import type { ClientEntry, ClientKeys } from "../../shared/auth/client-keys.ts";
import { QUOTA_LIMITS } from "../../shared/quota-limits.ts";
import { explain } from "../aws/explain.ts";
import { readArguments, usageError } from "../command-line.ts";
import { add, type ClientSettings, endOverlap, newKey, revoke, rotate, set } from "./changes.ts";
import { findKeysSecret } from "./find-secret.ts";
import { changeClientKeys, readClientKeys } from "./keys-secret.ts";

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

const COMMANDS = ["list", "add", "rotate", "end-overlap", "revoke", "set"];

interface Command {
  name: string;
  client: string;
  settings: ClientSettings;
  stage: string;
  secretId: string | undefined;
  endpoint: string | undefined;
}

async function main(): Promise<number> {
  const command = readCommand();
  const { name, client, settings, stage, endpoint } = command;
  const local = { endpoint, region: "local", credentials: { accessKeyId: "local", secretAccessKey: "local" } };
  const secretsManager = new SecretsManagerClient(endpoint ? local : {});
  const secretId = command.secretId ?? (await findKeysSecret(secretsManager, stage));
  const change = (make: (clients: ClientKeys) => ClientKeys) => changeClientKeys(secretsManager, secretId, make);
  switch (name) {
    case "list":
      process.stdout.write(table(await readClientKeys(secretsManager, secretId)));
      break;
    case "add": {
      const key = newKey();
      await change((clients) => add(clients, client, key, settings));
      show(key, `The client ${client} was added. Its key works within 5 seconds and is not shown again:`);
      break;
    }
    case "rotate": {
      const key = newKey();
      await change((clients) => rotate(clients, client, key));
      show(
        key,
        `The client ${client} has a new key. It works within 5 seconds and is not shown again; the previous key remains valid:`,
      );
      break;
    }
    case "end-overlap":
      await change((clients) => endOverlap(clients, client));
      tell(`The previous key of ${client} stops working within a minute.`);
      break;
    case "set":
      await change((clients) => set(clients, client, settings));
      tell(`The client ${client} was changed; the change takes effect within a minute.`);
      break;
    case "revoke":
      await change((clients) => revoke(clients, client));
      tell(`The client ${client} was removed; its keys stop working within a minute.`);
      break;
  }
  return 0;
}

function readCommand(): Command {
  const options = {
    client: { type: "string", default: "" },
    tenant: { type: "string" },
    quota: { type: "string", multiple: true },
    stage: { type: "string", default: "" },
    "secret-id": { type: "string" },
    endpoint: { type: "string" },
  } as const;
  const { positionals, values } = readArguments(USAGE, { options, allowPositionals: true });
  const { client, tenant, quota = [], stage, "secret-id": secretId, endpoint } = values;
  const [name = "", ...more] = positionals;
  const quotas = Object.fromEntries(quota.map((one) => one.split("=")));
  const settings = { tenant, quotas };
  const problem = [
    !COMMANDS.includes(name) && `The first argument must be one of ${COMMANDS.join(", ")}.`,
    more.length > 0 && "Only one command can be given.",
    name === "list" && client !== "" && "The command list takes no --client.",
    name !== "list" && client === "" && `The command ${name} needs a --client.`,
    !["add", "set"].includes(name) &&
      (tenant !== undefined || quota.length > 0) &&
      "Only add and set take a --tenant or a --quota.",
    quota.some((one) => !/^[^=]+=[^=]+$/.test(one)) && "A --quota must have the form NAME=LIMIT.",
    secretId && stage !== "" && "Specify either --stage or --secret-id, not both.",
    !secretId && endpoint && "An --endpoint needs a --secret-id.",
    !secretId && !Object.hasOwn(STAGES, stage) && `--stage must be one of ${Object.keys(STAGES).join(", ")}.`,
  ].find((found) => found);
  return problem ? usageError(USAGE, problem) : { name, client, settings, stage, secretId, endpoint };
}

/** Writes only the key to standard output, so that it can be piped. */
function show(key: string, sentence: string): void {
  tell(sentence);
  process.stdout.write(`${key}\n`);
}

function tell(sentence: string): void {
  process.stderr.write(`${sentence}\n`);
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

try {
  process.exitCode = await main();
} catch (error) {
  tell(explain(error, "secret"));
  process.exitCode = 1;
}
