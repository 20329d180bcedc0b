import { MockIntegration, PassthroughBehavior, type RestApi } from "aws-cdk-lib/aws-apigateway";
import { ERROR_CODE } from "../shared/errors.ts";
import { shapedError } from "../shared/http/error-shape.ts";
import { HEADERS } from "../shared/http/render.ts";
import { acknowledge } from "./acknowledge.ts";
import { quoted } from "./gateway-responses.ts";

/** Where OpenAI's clients look for the API if their base URL is this service's own. */
const PATHS = ["chat/completions", "models", "responses"];

const CODE = "wrong-base-url";

const ERROR =
  "The base URL of OpenAI's clients is this service's base URL followed by /openai/v1, for example " +
  "https://api.example.com/v1/openai/v1";

/**
 * Answers OpenAI's clients with this base URL in their own shape, since they show any other 404 as if nothing were
 * here. The gateway does it without a function, and without a key: the answer is the same for everybody.
 */
export function answerWrongBaseUrls(restApi: RestApi): void {
  const values = { "x-request-id": "context.requestId", ...quoted({ ...HEADERS, [ERROR_CODE]: CODE }) };
  const headers = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [`method.response.header.${name}`, value]),
  );
  const integration = new MockIntegration({
    passthroughBehavior: PassthroughBehavior.WHEN_NO_TEMPLATES,
    requestTemplates: { "application/json": '{"statusCode": 404}' },
    integrationResponses: [
      {
        statusCode: "404",
        responseParameters: headers,
        responseTemplates: { "application/json": JSON.stringify(shapedError("openai", { error: ERROR }, CODE)) },
      },
    ],
  });
  const declared = Object.fromEntries(Object.keys(headers).map((name) => [name, true]));
  const reason = "It tells everybody the same: which base URL is meant. It reaches no function and no data.";
  for (const path of PATHS) {
    const method = restApi.root.resourceForPath(path).addMethod("ANY", integration, {
      methodResponses: [{ statusCode: "404", responseParameters: declared }],
    });
    acknowledge(method, { "AwsSolutions-APIG4": reason, "AwsSolutions-COG4": reason });
  }
}
