import { RemovalPolicy, SecretValue } from "aws-cdk-lib";
import { AnyPrincipal, Effect, PolicyStatement } from "aws-cdk-lib/aws-iam";
import { type CfnSecret, Secret, type SecretProps } from "aws-cdk-lib/aws-secretsmanager";
import { Construct } from "constructs";
import { MODEL_KEY_PLACEHOLDER } from "../shared/config.ts";
import { acknowledge } from "./acknowledge.ts";
import type { Encryption } from "./encryption.ts";
import type { Settings } from "./settings.ts";

/** The API keys of callers and of the model providers. */
export class Secrets extends Construct {
  /** `{"client name": "key", …}`; a new stack has one client, `default`, with a random key. */
  readonly apiKeys: Secret;
  /** The model provider's key, as plain text; none for a model on Bedrock. */
  readonly modelKey: Secret | undefined;
  /** The fallback model provider's key, if there is one. */
  readonly fallbackKey: Secret | undefined;
  private readonly encryption: Encryption;
  private readonly removalPolicy: RemovalPolicy;

  constructor(scope: Construct, id: string, encryption: Encryption, settings: Settings) {
    super(scope, id);
    const { fallbackModel, keepsData, modelProvider, fallbackModelProvider } = settings;
    this.encryption = encryption;
    // Nobody else knows every client's key, so the secrets are retained like the data.
    this.removalPolicy = keepsData ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY;
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
      "A client must receive its new key before the old one is removed, and only the client can confirm that. " +
        "Keys are therefore rotated one client at a time, with an overlap, by the key management procedure; a " +
        "scheduled rotation would lock out all clients at once.",
    );
    this.modelKey =
      modelProvider === "openai"
        ? this.providerKey("ModelKey", "Key of the model's provider, as plain text")
        : undefined;
    this.fallbackKey =
      fallbackModel && fallbackModelProvider === "openai"
        ? this.providerKey("FallbackKey", "Key of the fallback model's provider, as plain text")
        : undefined;
  }

  /** A secret with a placeholder. The operator replaces it once, and later deployments do not change the value. */
  private providerKey(id: string, description: string): Secret {
    const secretStringValue = SecretValue.unsafePlainText(MODEL_KEY_PLACEHOLDER);
    const secret = this.secret(id, { description, secretStringValue });
    acknowledgeRotation(
      secret,
      "The provider issues this key in its own console, and has no API through which AWS could request a new " +
        "one. The operator replaces it; functions use the new value within a minute.",
    );
    return secret;
  }

  private secret(id: string, props: SecretProps): Secret {
    const secret = new Secret(this, id, { ...props, removalPolicy: this.removalPolicy });
    // With the property `encryptionKey`, the CDK would add statements to the key policy that it does not need.
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
  acknowledge(secret, {
    "AwsSolutions-SMG4": reason,
    "HIPAA.Security-SecretsManagerRotationEnabled": reason,
  });
}
