import { parseArgs } from "node:util";
import { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { STAGES } from "../../infra/stages.ts";
import type { ClientKeys } from "../../shared/auth/client-keys.ts";
import { add, endOverlap, newKey, revoke, rotate } from "./changes.ts";
import { explain } from "./explain.ts";
import { findKeysSecret } from "./find-secret.ts";
import { changeClientKeys, readClientKeys } from "./keys-secret.ts";

const USAGE = `Manages the API keys of the service's clients.

  npm run keys -- add --client NAME --stage STAGE          a new client; prints its key, this once
  npm run keys -- rotate --client NAME --stage STAGE       a new key beside the one in use; prints it, this once
  npm run keys -- end-overlap --client NAME --stage STAGE  the key before the last rotation stops working
  npm run keys -- revoke --client NAME --stage STAGE       the client and all its keys stop working
  npm run keys -- list --stage STAGE                       the clients, without their keys

  --stage      ${Object.keys(STAGES).join(", ")}; in the account and region that the AWS SDK finds (AWS_PROFILE, AWS_REGION, …)
  --secret-id  name or ARN of the secret, instead of the stage
  --endpoint   the local service's, as npm start shows it; with --secret-id

A new key works within 5 seconds, and one that was taken away stops within a minute (docs/operations.md, "Keys").
Exit code: 0 when it was done, 1 when it was not, 2 when the command is not one of these.
`;

interface Command {
  name: string;
  client: string;
  stage: string;
  secretId: string | undefined;
  endpoint: string | undefined;
}

async function main(): Promise<number> {
  const command = readCommand();
  if (!command) {
    process.stderr.write(USAGE);
    return 2;
  }
  const { name, client, stage, endpoint } = command;
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
      await change((clients) => add(clients, client, key));
      show(key, `The client ${client} was added. Its key, which is shown only now, works within 5 seconds:`);
      break;
    }
    case "rotate": {
      const key = newKey();
      await change((clients) => rotate(clients, client, key));
      show(key, `The new key of ${client}, which is shown only now, works within 5 seconds, beside the previous one:`);
      break;
    }
    case "end-overlap":
      await change((clients) => endOverlap(clients, client));
      tell(`The previous key of ${client} stops working within a minute.`);
      break;
    case "revoke":
      await change((clients) => revoke(clients, client));
      tell(`The client ${client} and its keys stop working within a minute.`);
      break;
  }
  return 0;
}

/** Undefined for what is no command. */
function readCommand(): Command | undefined {
  const options = {
    client: { type: "string", default: "" },
    stage: { type: "string", default: "" },
    "secret-id": { type: "string" },
    endpoint: { type: "string" },
  } as const;
  try {
    const { positionals, values } = parseArgs({ options, allowPositionals: true });
    const { client, stage, "secret-id": secretId, endpoint } = values;
    const [name = "", ...more] = positionals;
    const known = ["list", "add", "rotate", "end-overlap", "revoke"].includes(name) && more.length === 0;
    const one = (name === "list") === (client === "");
    const where = secretId ? stage === "" : Object.hasOwn(STAGES, stage) && !endpoint;
    return known && one && where ? { name, client, stage, secretId, endpoint } : undefined;
  } catch {
    return undefined;
  }
}

/** Only the key goes to the standard output, so that it can be piped to where it is kept. */
function show(key: string, sentence: string): void {
  tell(sentence);
  process.stdout.write(`${key}\n`);
}

function tell(sentence: string): void {
  process.stderr.write(`${sentence}\n`);
}

function table(clients: ClientKeys): string {
  const width = Math.max(...[...clients.keys()].map(({ length }) => length), 0);
  const states = ["no key: can call nothing", "one key", "overlap: the new key and the previous one work"];
  const rows = [...clients].map(([name, { length }]) => `${name.padEnd(width)}  ${states[Math.min(length, 2)]}\n`);
  return rows.join("") || "There are no clients.\n";
}

try {
  process.exitCode = await main();
} catch (error) {
  tell(explain(error));
  process.exitCode = 1;
}
