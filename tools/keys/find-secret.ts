import { paginateListSecrets, type SecretListEntry, type SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { KeysError } from "./changes.ts";

/** How the description of the secret begins (`infra/secrets.ts`), as far as a filter's characters go. */
const DESCRIPTION = "API keys of the health assistant";

/**
 * Finds the secret of a stage's API keys by what every resource of the stack is tagged with.
 *
 * @returns its ARN
 * @throws KeysError when there is none in this account and region, or more than one; the client's error
 */
export async function findKeysSecret(client: SecretsManagerClient, stage: string): Promise<string> {
  const found: string[] = [];
  const Filters = [{ Key: "description" as const, Values: [DESCRIPTION] }];
  for await (const { SecretList = [] } of paginateListSecrets({ client }, { Filters })) {
    found.push(...SecretList.filter((secret) => isOf(stage, secret)).map(({ ARN = "" }) => ARN));
  }
  const [secret, ...more] = found;
  if (secret === undefined) {
    throw new KeysError(
      `There are no API keys of the stage ${stage} in this account and region; are they the right ones, and is it deployed?`,
    );
  }
  if (more.length > 0) {
    throw new KeysError(`There is more than one secret of the stage ${stage}; name the right one by --secret-id.`);
  }
  return secret;
}

function isOf(stage: string, { Tags = [] }: SecretListEntry): boolean {
  const tags = new Map(Tags.map(({ Key, Value }) => [Key, Value]));
  return tags.get("service") === "health-assistant" && tags.get("stage") === stage;
}
