import { SecretValue } from "aws-cdk-lib";
import { Secret } from "aws-cdk-lib/aws-secretsmanager";
import { Construct } from "constructs";
import { MODEL_KEY_PLACEHOLDER } from "../shared/config.ts";
import type { Settings } from "./settings.ts";

/** What callers and the model's provider are authenticated by. */
export class Secrets extends Construct {
  /** `{"client name": "key", …}`; a new stack has one client, `default`, with a random key. */
  readonly apiKeys: Secret;
  /** The model provider's key, as plain text. */
  readonly modelKey: Secret;
  /** The same for the fallback model, if there is one. */
  readonly fallbackKey: Secret | undefined;

  constructor(scope: Construct, id: string, { fallbackModel }: Settings) {
    super(scope, id);
    this.apiKeys = new Secret(this, "ApiKeys", {
      description: "API keys of the health assistant's clients: a JSON object, client name to key",
      generateSecretString: {
        secretStringTemplate: "{}",
        generateStringKey: "default",
        passwordLength: 40,
        excludePunctuation: true,
      },
    });
    this.modelKey = this.providerKey("ModelKey", "Key of the model's provider, as plain text");
    this.fallbackKey = fallbackModel
      ? this.providerKey("FallbackKey", "Key of the fallback model's provider, as plain text")
      : undefined;
  }

  /** Holds a placeholder, not a secret: the operator replaces it once, and later deployments leave the value alone. */
  private providerKey(id: string, description: string): Secret {
    return new Secret(this, id, { description, secretStringValue: SecretValue.unsafePlainText(MODEL_KEY_PLACEHOLDER) });
  }
}
