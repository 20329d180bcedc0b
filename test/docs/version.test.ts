import { describe, expect, test } from "@jest/globals";
import { HealthAssistantClient } from "conversational-health-assistant-service/client";
import packageFile from "../../package.json" with { type: "json" };
import lockFile from "../../package-lock.json" with { type: "json" };
import clientPackageFile from "../../packages/client/package.json" with { type: "json" };
import { openApiDocument } from "../../shared/openapi/document.ts";

const { version } = packageFile;

describe("the version in package.json is also that of", () => {
  test("the lock file", () => {
    expect([lockFile.version, lockFile.packages[""].version]).toEqual([version, version]);
  });

  test("the OpenAPI document", () => {
    expect(openApiDocument("https://example.org/v1")).toMatchObject({ info: { version } });
  });

  test("the client's user agent", async () => {
    const sent: Headers[] = [];
    const fetch: typeof globalThis.fetch = async (_, init) => {
      sent.push(new Headers(init?.headers));
      return Response.json({});
    };
    await new HealthAssistantClient({ baseUrl: "https://example.org/v1", apiKey: "key", fetch }).openapi();
    expect(sent.map((headers) => headers.get("user-agent"))).toEqual([`health-assistant-client/${version}`]);
  });

  test("the client's package", () => {
    expect(clientPackageFile.version).toBe(version);
  });
});
