import { SecretValue, Validations } from "aws-cdk-lib";
import { AnyPrincipal, Effect, PolicyStatement } from "aws-cdk-lib/aws-iam";
import { type CfnSecret, Secret, type SecretProps } from "aws-cdk-lib/aws-secretsmanager";
import { Construct } from "constructs";
import { MODEL_KEY_PLACEHOLDER } from "../shared/config.ts";
import type { Encryption } from "./encryption.ts";
import type { Settings } from "./settings.ts";

/** What callers and the model's provider are authenticated by. */
export class Secrets extends Construct {
  /** `{"client name": "key", …}`; a new stack has one client, `default`, with a random key. */
  readonly apiKeys: Secret;
  /** The model provider's key, as plain text. */
  readonly modelKey: Secret;
  /** The same for the fallback model, if there is one. */
  readonly fallbackKey: Secret | undefined;
  private readonly encryption: Encryption;

  constructor(scope: Construct, id: string, encryption: Encryption, { fallbackModel }: Settings) {
    super(scope, id);
    this.encryption = encryption;
    this.apiKeys = this.secret("ApiKeys", {
      description: "API keys of the health assistant's clients: a JSON object, client name to key",
      generateSecretString: {
        secretStringTemplate: "{}",
        generateStringKey: "default",
        passwordLength: 40,
        excludePunctuation: true,
      },
    });
    acknowledgeRotation(
      this.apiKeys,
      "A key has to reach its client before the old one ends, and only its client can say when it has. So keys are rotated " +
        "one client at a time, with an overlap, by the procedure for key management; a rotation on a timer would lock out " +
        "every client at once.",
    );
    this.modelKey = this.providerKey("ModelKey", "Key of the model's provider, as plain text");
    this.fallbackKey = fallbackModel
      ? this.providerKey("FallbackKey", "Key of the fallback model's provider, as plain text")
      : undefined;
  }

  /** Holds a placeholder, not a secret: the operator replaces it once, and later deployments leave the value alone. */
  private providerKey(id: string, description: string): Secret {
    const secretStringValue = SecretValue.unsafePlainText(MODEL_KEY_PLACEHOLDER);
    const secret = this.secret(id, { description, secretStringValue });
    acknowledgeRotation(
      secret,
      "The provider issues this key, in its own console, and has no interface by which AWS could have a new one. The " +
        "operator replaces it; functions use the new value within a minute.",
    );
    return secret;
  }

  private secret(id: string, props: SecretProps): Secret {
    const secret = new Secret(this, id, props);
    // By the property `encryptionKey`, the CDK would widen the key's policy for what it allows already.
    (secret.node.defaultChild as CfnSecret).kmsKeyId = this.encryption.key.keyArn;
    secret.addToResourcePolicy(
      new PolicyStatement({
        sid: "TlsOnly",
        effect: Effect.DENY,
        principals: [new AnyPrincipal()],
        actions: ["secretsmanager:*"],
        resources: ["*"],
        conditions: { Bool: { "aws:SecureTransport": false } },
      }),
    );
    return secret;
  }
}

function acknowledgeRotation(secret: Secret, reason: string): void {
  Validations.of(secret).acknowledge(
    { id: "AwsSolutions::AwsSolutions-SMG4", reason },
    { id: "HIPAA.Security::HIPAA.Security-SecretsManagerRotationEnabled", reason },
  );
}
