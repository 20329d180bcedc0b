import { randomUUID } from "node:crypto";
import type {
  GetSecretValueRequest,
  PutSecretValueRequest,
  UpdateSecretVersionStageRequest,
} from "@aws-sdk/client-secrets-manager";

/** An error of Secrets Manager, with the type that the SDK recognizes. */
export class SecretsError extends Error {
  override readonly name = "SecretsError";
  readonly type: string;

  constructor(type: string, message: string) {
    super(message);
    this.type = type;
  }
}

/**
 * One secret: its versions, and the staging labels, each attached to one version. Parameters and responses are those of
 * the operations in the Secrets Manager API Reference.
 */
export class LocalSecret {
  private readonly versions = new Map<string, { SecretString: string; CreatedDate: number }>();
  private readonly labels = new Map<string, string>();

  constructor(value: string) {
    this.put({ SecretString: value });
  }

  get({ VersionId, VersionStage = "AWSCURRENT" }: Partial<GetSecretValueRequest>) {
    const id = VersionId ?? this.labels.get(VersionStage) ?? "";
    const version = this.versions.get(id);
    if (version === undefined) {
      throw new SecretsError("ResourceNotFoundException", "the secret has no such version");
    }
    return { ...version, VersionId: id, VersionStages: this.labelsOf(id) };
  }

  /** PutSecretValue: an existing version is never changed; putting the same value again succeeds. */
  put(request: Partial<PutSecretValueRequest>) {
    const { SecretString = "", ClientRequestToken: id = randomUUID(), VersionStages = ["AWSCURRENT"] } = request;
    if ((this.versions.get(id)?.SecretString ?? SecretString) !== SecretString) {
      throw new SecretsError("ResourceExistsException", "the version exists with a different value");
    }
    if (!this.versions.has(id)) {
      this.versions.set(id, { SecretString, CreatedDate: Date.now() / 1000 });
      for (const label of VersionStages) {
        this.attach(label, id);
      }
    }
    return { VersionId: id, VersionStages: this.labelsOf(id) };
  }

  /** UpdateSecretVersionStage: a label is moved only if the request names the version that it is attached to. */
  moveLabel(request: Partial<UpdateSecretVersionStageRequest>) {
    const { VersionStage: label = "", RemoveFromVersionId, MoveToVersionId } = request;
    if (RemoveFromVersionId !== this.labels.get(label)) {
      throw new SecretsError("InvalidParameterException", `${label} is not attached to that version`);
    }
    if (MoveToVersionId === undefined) {
      this.labels.delete(label);
    } else if (this.versions.has(MoveToVersionId)) {
      this.attach(label, MoveToVersionId);
    } else {
      throw new SecretsError("ResourceNotFoundException", "the secret has no such version");
    }
    return {};
  }

  /** When AWSCURRENT moves, AWSPREVIOUS moves to the version that had it. */
  private attach(label: string, id: string): void {
    const former = this.labels.get(label);
    this.labels.set(label, id);
    if (label === "AWSCURRENT" && former !== undefined && former !== id) {
      this.labels.set("AWSPREVIOUS", former);
    }
  }

  private labelsOf(id: string): string[] {
    return [...this.labels].filter(([, holder]) => holder === id).map(([label]) => label);
  }
}
