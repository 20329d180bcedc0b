import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { installFromPyPi } from "../../../tools/pypi.ts";
import { startSupplement } from "./supplement.ts";

const ROOT = join(import.meta.dirname, "../../..");

/** What a script printed, and its exit code. */
export interface Run {
  code: number;
  stdout: string;
  stderr: string;
}

/** AWS's APIs as implemented by moto, in memory. */
export interface Moto {
  /** For a client of the AWS SDK. */
  client: { endpoint: string; region: string; credentials: { accessKeyId: string; secretAccessKey: string } };
  /** The actions of CloudFormation that were called, in order. */
  calls: string[];
  /** Runs a script of this project against it, as with an account. */
  run(script: string, args: string[], env?: Record<string, string>): Promise<Run>;
  /** Runs a step of a workflow, as GitHub does, in the project's folder. */
  runShell(step: string, env: Record<string, string>): Promise<Run>;
  stop(): Promise<void>;
}

/** Installs and starts moto's server. Returns why it cannot be installed here, if that is the case. */
export async function startMoto(): Promise<Moto | { missing: string }> {
  const installed = await installFromPyPi("moto[server]==5.2.5", "moto_server");
  if ("missing" in installed) {
    return installed;
  }
  const server = spawn(installed.program, ["-H", "127.0.0.1", "-p", "0"], { stdio: ["ignore", "ignore", "pipe"] });
  const exited = once(server, "exit");
  const { endpoint, calls, stop } = await startSupplement(await addressOf(server.stderr));
  const credentials = { accessKeyId: "rehearsal", secretAccessKey: "rehearsal" };
  const account = {
    AWS_ENDPOINT_URL: endpoint,
    AWS_REGION: "us-east-1",
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  };
  const run = (program: string, args: string[], variables: Record<string, string>): Promise<Run> =>
    new Promise((resolve) => {
      const env = { PATH: process.env.PATH, HOME: process.env.HOME, ...account, ...variables };
      execFile(program, args, { cwd: ROOT, env }, (error, stdout, stderr) =>
        resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
      );
    });
  return {
    client: { endpoint, region: account.AWS_REGION, credentials },
    calls,
    run: (script, args, env = {}) => run(process.execPath, [script, ...args], env),
    runShell: (step, env) => run("bash", ["-e", "-c", step], env),
    stop: async () => {
      stop();
      server.kill();
      await exited;
    },
  };
}

/** Reads the address that moto prints when it is ready. */
async function addressOf(output: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface(output)) {
    const address = /Running on (http:\/\/\S+)/.exec(line)?.[1];
    if (address) {
      output.resume(); // a full pipe would stop the server
      return address;
    }
  }
  throw new Error("moto's server did not start");
}
