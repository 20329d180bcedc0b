import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { installFromPyPi } from "../../tools/pypi.ts";

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
  /** Runs a script of this project against it, as with an account. */
  run(script: string, args: string[], env?: Record<string, string>): Promise<Run>;
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
  let endpoint = "";
  const lines = createInterface(server.stderr);
  for await (const line of lines) {
    endpoint = /Running on (http:\/\/\S+)/.exec(line)?.[1] ?? "";
    if (endpoint) {
      break;
    }
  }
  server.stderr.resume(); // a full pipe would stop the server
  if (!endpoint) {
    throw new Error("moto's server did not start");
  }
  const ofAccount = { AWS_ENDPOINT_URL: endpoint, AWS_REGION: "us-east-1" };
  const credentials = { accessKeyId: "rehearsal", secretAccessKey: "rehearsal" };
  return {
    client: { endpoint, region: "us-east-1", credentials },
    run: (script, args, env = {}) =>
      new Promise((resolve) => {
        const signedIn = { AWS_ACCESS_KEY_ID: "rehearsal", AWS_SECRET_ACCESS_KEY: "rehearsal" };
        const options = { env: { PATH: process.env.PATH, ...ofAccount, ...signedIn, ...env } };
        execFile(process.execPath, [script, ...args], options, (error, stdout, stderr) =>
          resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
        );
      }),
    stop: async () => {
      server.kill();
      await exited;
    },
  };
}
