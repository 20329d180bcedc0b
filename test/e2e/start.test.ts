import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";

const PROGRAM = join(import.meta.dirname, "..", "..", "local", "start.ts");

/** What is in the way here is met after the synthesis; it takes seconds, so the template of this test run stands in. */
const SYNTHESIZED = `
  import { registerHooks } from "node:module";
  const source = 'export const synthesize = async () => process.env.TEST_CLOUD_ASSEMBLY';
  registerHooks({
    load: (url, context, next) =>
      url.endsWith("/local/synthesize.ts") ? { format: "module", source, shortCircuit: true } : next(url, context),
  });
`;

let folder: string;
let occupied: Server;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "health-assistant-"));
  occupied = createServer().listen(0, "127.0.0.1");
  await once(occupied, "listening");
});
afterAll(() => {
  occupied.close();
  rmSync(folder, { recursive: true, force: true });
});

const occupiedPort = () => String((occupied.address() as AddressInfo).port);

/** Starts the service with these settings, and waits for its end. */
function start(settings: NodeJS.ProcessEnv, setUp = ""): Promise<{ code: unknown; stderr: string }> {
  const preload = `data:text/javascript,${encodeURIComponent(SYNTHESIZED + setUp)}`;
  const env = { ...process.env, PORT: "0", DATA_DIR: join(folder, "data"), ...settings };
  return new Promise((resolve) => {
    execFile(process.execPath, ["--import", preload, PROGRAM], { env }, (error, _stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stderr }),
    );
  });
}

describe("npm start, when something is in the way, says in one sentence what to do", () => {
  test("when PORT is no port", async () => {
    expect(await start({ PORT: "99999" })).toEqual({
      code: 1,
      stderr: 'PORT is "99999"; it must be a whole number from 0 to 65535.\n',
    });
  });

  test("when the port is in use", async () => {
    expect(await start({ PORT: occupiedPort() })).toEqual({
      code: 1,
      stderr: `Port ${occupiedPort()} is in use; stop what uses it, or set PORT to another.\n`,
    });
  });

  test("when the data folder cannot be made", async () => {
    writeFileSync(join(folder, "file"), "");
    const dataDir = join(folder, "file", "data");
    expect(await start({ DATA_DIR: dataDir })).toEqual({
      code: 1,
      stderr: `The data folder ${dataDir} cannot be written; set DATA_DIR to one that can.\n`,
    });
  });

  test("when what is in the data folder is no database", async () => {
    const dataDir = mkdtempSync(join(folder, "no-database-"));
    writeFileSync(
      join(dataDir, "dynamodb.db"),
      "this is no database, and long enough not to be taken for an empty one",
    );
    expect(await start({ DATA_DIR: dataDir })).toEqual({
      code: 1,
      stderr: `The embedded DynamoDB cannot use ${dataDir}; set DATA_DIR to a folder that can be written.\n`,
    });
  });

  test("when no DynamoDB answers at DYNAMODB_ENDPOINT", async () => {
    const endpoint = "http://127.0.0.1:1";
    const { code, stderr } = await start({ DYNAMODB_ENDPOINT: endpoint });
    expect(code).toBe(1);
    expect(stderr).toMatch(new RegExp(`^The DynamoDB at ${endpoint} does not work \\(.*\\)\\.\n$`));
  });

  test("when DYNAMODB_ENDPOINT is no address", async () => {
    expect(await start({ DYNAMODB_ENDPOINT: "localhost:8000" })).toEqual({
      code: 1,
      stderr: "DYNAMODB_ENDPOINT is no address; it must be one that begins with http:// or https://.\n",
    });
  });

  test("when there is no embedded DynamoDB for this machine", async () => {
    const elsewhere = 'Object.defineProperty(process, "platform", { value: "sunos" });';
    const { code, stderr } = await start({}, elsewhere);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^There is no embedded DynamoDB for this machine \(.*\); start DynamoDB Local, .*\.\n$/);
    expect(stderr).toContain("DYNAMODB_ENDPOINT=");
  });
});
