import { SecretValue } from "aws-cdk-lib";
import { Secret } from "aws-cdk-lib/aws-secretsmanager";
import { Construct } from "constructs";
import { MODEL_KEY_PLACEHOLDER } from "../shared/config.ts";

/** What callers and the model's provider are authenticated by. */
export class Secrets extends Construct {
  /** `{"client name": "key", …}`; a new stack has one client, `default`, with a random key. */
  readonly apiKeys: Secret;
  /** The model provider's key, as plain text. */
  readonly modelKey: Secret;

  constructor(scope: Construct, id: string) {
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
    // A placeholder, not a secret: the operator replaces it once, and later deployments leave the value alone.
    this.modelKey = new Secret(this, "ModelKey", {
      description: "Key of the model's provider, as plain text",
      secretStringValue: SecretValue.unsafePlainText(MODEL_KEY_PLACEHOLDER),
    });
  }
}
