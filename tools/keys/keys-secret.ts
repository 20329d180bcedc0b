import {
  GetSecretValueCommand,
  PutSecretValueCommand,
  type SecretsManagerClient,
  UpdateSecretVersionStageCommand,
} from "@aws-sdk/client-secrets-manager";
import { type ClientKeys, formatClientKeys, parseClientKeys } from "../../shared/auth/client-keys.ts";
import { KeysError } from "./changes.ts";

/** The label that a version carries before it is the current one. */
const DRAFT = "DRAFT";

/** How often a change is made again because another one came first. Of those made at once, one succeeds each time. */
const ATTEMPTS = 20;

/** @throws OperatorError when the secret is no JSON object; the client's error */
export async function readClientKeys(client: SecretsManagerClient, secretId: string): Promise<ClientKeys> {
  return (await read(client, secretId)).keys;
}

/**
 * Changes the secret, so that no other change is lost, whoever makes it and by whatever means. Secrets Manager cannot
 * write on a condition, but moves a label only from the version that is named ("UpdateSecretVersionStage",
 * `RemoveFromVersionId`): the new version is written as a draft, and becomes the current one only if that is still the
 * one the change was made from. If it is not, the change is made again, from the one that came in between.
 *
 * A draft that did not become current is of no use to anybody; the next change takes its label, and Secrets Manager
 * removes it in time.
 *
 * @param change what to make of the keys; called again when another change came first
 * @throws KeysError when others keep coming first; what `change` throws; as {@link readClientKeys} says
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
        return; // it was done, and the answer lost
      }
      if (versionId === before.versionId) {
        throw error;
      }
    }
  }
  throw new KeysError("Others keep changing the secret; nothing was changed, try again.");
}

async function read(client: SecretsManagerClient, SecretId: string) {
  const { SecretString = "", VersionId } = await client.send(new GetSecretValueCommand({ SecretId }));
  return { keys: parseClientKeys(SecretString), versionId: VersionId };
}
