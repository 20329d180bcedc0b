import { paginateListSecrets, type SecretListEntry, type SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { KeysError } from "./changes.ts";

/** The beginning of the secret's description (`infra/secrets.ts`), up to the first character that a filter cannot contain. */
export const DESCRIPTION = "API keys of the health assistant";

/**
 * Finds the secret that holds a stage's API keys by the tags that every resource of the stack has.
 *
 * @returns its ARN
 * @throws KeysError when this account and region have no such secret, or more than one; errors of the AWS SDK
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
      `No secret for the stage ${stage} was found; check the account and region, and that the stage is deployed.`,
    );
  }
  if (more.length > 0) {
    throw new KeysError(`More than one secret was found for the stage ${stage}; specify one with --secret-id.`);
  }
  return secret;
}

function isOf(stage: string, { Tags = [] }: SecretListEntry): boolean {
  const tags = new Map(Tags.map(({ Key, Value }) => [Key, Value]));
  return tags.get("service") === "health-assistant" && tags.get("stage") === stage;
}
