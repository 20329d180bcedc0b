import { globSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { describe, expect, test } from "@jest/globals";
import { build, type Plugin } from "esbuild";
import { KEPT_ERRORS } from "../../infra/bundling/bundle.ts";
import {
  emptyFiles,
  evaluatedModules,
  keepErrors,
  regionalEndpoints,
  replacePackages,
} from "../../infra/bundling/plugins.ts";
import { regionalEndpoint } from "../../infra/bundling/regional-endpoint.ts";
import { readTemplate } from "../../local/template.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const KB = 1024;

/** Maximum sizes in KB; all other functions have the maximum `OTHERS`. */
const SIZES: Record<string, number> = {
  Chat: 310,
  CreateThread: 270,
  CreatePatient: 180, // contains the schema library, as the next two
  UpdatePatient: 180,
  SearchPatients: 180,
};
const OTHERS = 156;

const functions = [...readTemplate(process.env.TEST_CLOUD_ASSEMBLY ?? "").functions.values()].map((fn) => {
  const name = Object.keys(SIZES).find((candidate) => fn.name.startsWith(`Api${candidate}`));
  return { id: fn.name, file: join(fn.codePath, "index.mjs"), most: name ? SIZES[name] : OTHERS };
});

describe("the bundle of", () => {
  test.each(functions)("$id is at most $most KB", ({ file, most = 0 }) => {
    expect(statSync(file).size).toBeLessThanOrEqual(most * KB);
  });

  test("every function with its own maximum is checked", () => {
    expect(functions.filter(({ most }) => most !== OTHERS)).toHaveLength(Object.keys(SIZES).length);
  });
});

describe("the endpoint of the bundles is that of the SDK", () => {
  const clients = { dynamodb: DynamoDBClient, secretsmanager: SecretsManagerClient };

  test.each(Object.entries(clients))("%s", (service, Client) => {
    for (const Region of ["us-east-1", "eu-central-1", "ap-southeast-2", "us-gov-west-1", "cn-north-1"]) {
      for (const Endpoint of [undefined, "http://127.0.0.1:8000"]) {
        const { url } = new Client({ region: Region }).config.endpointProvider({ Region, Endpoint });
        expect(regionalEndpoint(service)({ Region, Endpoint }).url.href).toBe(url.href);
      }
    }
  });

  test.each([{ Region: "us-iso-east-1" }, { Region: "us-east-1", UseFIPS: true }, { UseDualStack: true }])(
    "or an error: %j",
    (parameters) => {
      expect(() => regionalEndpoint("dynamodb")(parameters)).toThrow("left out");
    },
  );
});

test("the bundles keep exactly those errors of AWS clients that the functions import", () => {
  const sources = globSync(["shared/**/*.ts", "functions/*.ts"], { cwd: ROOT });
  const imported = sources.flatMap((file) =>
    [...readFileSync(join(ROOT, file), "utf8").matchAll(/import \{([^}]*)\} from "@aws-sdk\/([^"]+)"/g)].flatMap(
      ([, names = "", client]) => [...names.matchAll(/\w+Exception\b/g)].map(([name]) => `${client} ${name}`),
    ),
  );
  const kept = Object.entries(KEPT_ERRORS).flatMap(([client, names]) => names.map((name) => `${client} ${name}`));
  expect([...new Set(imported)].sort()).toEqual(kept.sort());
});

describe("the bundling plugins", () => {
  const bundle = async (code: string, plugin: Plugin): Promise<string> => {
    const { outputFiles } = await build({
      stdin: { contents: code, resolveDir: ROOT },
      bundle: true,
      write: false,
      format: "esm",
      logLevel: "silent",
      plugins: [plugin],
    });
    return outputFiles[0]?.text ?? "";
  };

  test("replace an imported package", async () => {
    const code = await bundle(
      'import { encodeTime } from "ulid"; console.log(encodeTime);',
      replacePackages({ ulid: 'export const encodeTime = "the replacement";' }, ROOT),
    );
    expect(code).toContain("the replacement");
  });

  test("fail the build when a package to replace is no longer imported", async () => {
    const plugin = replacePackages({ ulid: "", "no-such-package": "" }, ROOT);
    await expect(bundle('import "ulid";', plugin)).rejects.toThrow("leaves out: no-such-package.");
  });

  test("empty an imported file and keep its exports", async () => {
    const code = await bundle(
      'import { ulid, decodeTime } from "ulid"; new decodeTime(); ulid();',
      emptyFiles([/node_modules\/ulid\//], { ulid: "() => false" }),
    );
    expect(code.length).toBeLessThan(700);
    expect(new Function(code)).not.toThrow();
  });

  test("fail the build when an error to keep, or a client with an endpoint, is no longer there", async () => {
    const code = 'import "@aws-sdk/client-dynamodb";';
    await expect(bundle(code, keepErrors({ "client-dynamodb": ["NoSuchError"] }))).rejects.toThrow("NoSuchError");
    await expect(bundle(code, regionalEndpoints({ "client-no-such": "x" }))).rejects.toThrow("client-no-such");
  });

  test("evaluate a module whose exports are data, and fail the build when there is no such module", async () => {
    const code = 'import { contents } from "./shared/openapi/contents.ts"; console.log(contents);';
    const evaluated = await bundle(code, evaluatedModules([/openapi\/contents\.ts$/]));
    expect(evaluated).toContain('"openapi":"3.1.1"');
    expect(evaluated).not.toContain("createDocument");
    await expect(bundle(code, evaluatedModules([/contents\.ts$/, /no-such-file/]))).rejects.toThrow("/no-such-file/.");
  });

  test("fail the build when a pattern no longer matches a file", async () => {
    const plugin = emptyFiles([/node_modules\/ulid\//, /ulid\/no-such-file/]);
    await expect(bundle('import "ulid";', plugin)).rejects.toThrow("leaves out: /ulid\\/no-such-file/.");
  });
});
