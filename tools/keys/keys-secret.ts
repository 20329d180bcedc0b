import {
  GetSecretValueCommand,
  PutSecretValueCommand,
  paginateListSecrets,
  type SecretsManagerClient,
  UpdateSecretVersionStageCommand,
} from "@aws-sdk/client-secrets-manager";
import { type ClientKeys, formatClientKeys, parseClientKeys } from "../../shared/auth/client-keys.ts";
import { OperationError } from "../aws/explain.ts";

/** How the secret's description begins (`infra/secrets.ts`), up to a character that a filter cannot contain. */
export const DESCRIPTION = "API keys of the health assistant";

/**
 * Finds the secret that holds a stage's API keys by the tags that every resource of the stack has.
 *
 * @returns its ARN
 * @throws OperationError when this account and region have no such secret, or more than one; errors of the AWS SDK
 */
export async function findKeysSecret(client: SecretsManagerClient, stage: string): Promise<string> {
  const Filters = [{ Key: "description" as const, Values: [DESCRIPTION] }];
  const pages = await Array.fromAsync(paginateListSecrets({ client }, { Filters }));
  const own = pages
    .flatMap(({ SecretList = [] }) => SecretList)
    .filter(({ Tags = [] }) => {
      const tags = new Map(Tags.map(({ Key, Value }) => [Key, Value]));
      return tags.get("service") === "health-assistant" && tags.get("stage") === stage;
    });
  const [secret, ...more] = own.map(({ ARN = "" }) => ARN);
  if (secret === undefined) {
    throw new OperationError(
      `No secret for the stage ${stage} was found; check the account and region, and that the stage is deployed.`,
    );
  }
  if (more.length > 0) {
    throw new OperationError(`More than one secret was found for the stage ${stage}; specify one with --secret-id.`);
  }
  return secret;
}

/** The staging label of a version that is not current yet. */
const DRAFT = "DRAFT";

/** Maximum attempts when concurrent changes conflict. In each round, one of them succeeds. */
const ATTEMPTS = 20;

/** @throws OperatorError when the secret is not a JSON object; errors of the AWS SDK */
export async function readClientKeys(client: SecretsManagerClient, secretId: string): Promise<ClientKeys> {
  return (await read(client, secretId)).keys;
}

/**
 * Updates the secret without losing concurrent changes, including manual ones. Secrets Manager has no conditional
 * write, but it moves a label only from the version named in the request ("UpdateSecretVersionStage",
 * `RemoveFromVersionId`). So the new version is written as a draft and becomes current only if the version it is based
 * on is still current. Otherwise the change is applied again, to the version that is current now.
 *
 * An abandoned draft is harmless: the next change takes over its label, and Secrets Manager then deletes it.
 *
 * @param change returns the changed keys; called again after each conflict
 * @throws OperationError after too many conflicts; whatever `change` and {@link readClientKeys} throw
 */
export async function changeClientKeys(
  client: SecretsManagerClient,
  SecretId: string,
  change: (keys: ClientKeys) => ClientKeys,
): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const before = await read(client, SecretId);
    const SecretString = formatClientKeys(change(before.keys));
    const draft = await client.send(new PutSecretValueCommand({ SecretId, SecretString, VersionStages: [DRAFT] }));
    try {
      await client.send(
        new UpdateSecretVersionStageCommand({
          SecretId,
          VersionStage: "AWSCURRENT",
          RemoveFromVersionId: before.versionId,
          MoveToVersionId: draft.VersionId,
        }),
      );
      return;
    } catch (error) {
      const { versionId } = await read(client, SecretId);
      if (versionId === draft.VersionId) {
        return; // the update succeeded, but its response was lost
      }
      if (versionId === before.versionId) {
        throw error;
      }
    }
  }
  throw new OperationError("The secret was changed concurrently too many times; nothing was changed, try again.");
}

async function read(client: SecretsManagerClient, SecretId: string) {
  const current = { SecretId, VersionStage: "AWSCURRENT" };
  const { SecretString = "", VersionId } = await client.send(new GetSecretValueCommand(current));
  return { keys: parseClientKeys(SecretString), versionId: VersionId };
}
