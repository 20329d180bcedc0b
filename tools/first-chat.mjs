/**
 * `node tools/first-chat.mjs`: runs `npm start` as the README says, has a first chat, and stops the service again. It
 * is JavaScript so that any version of Node can run it, and fails unless a version that is too old gets the sentence
 * that says so.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";

const TOO_OLD = `Node ${process.versions.node} cannot run this project's TypeScript;`;

/** On Linux, the project brings its own Node. */
function isTooOld() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  return process.platform !== "linux" && (major < 22 || (major === 22 && minor < 18));
}

const windows = process.platform === "win32";
const service = spawn("npm start", { shell: true, detached: !windows, env: { ...process.env, PORT: "0" } });
let output = "";
const started = new Promise((resolve) => {
  for (const stream of [service.stdout, service.stderr]) {
    stream.on("data", (data) => {
      process.stdout.write(data);
      output += data;
      const [, baseUrl] = /base URL +(\S+)\s/.exec(output) ?? [];
      if (baseUrl) {
        resolve(baseUrl);
      }
    });
  }
});
const exited = once(service, "close").then(() => undefined);
const baseUrl = await Promise.race([started, exited]);
if (baseUrl) {
  const response = await fetch(`${baseUrl}/chat`, {
    method: "POST",
    headers: { "x-api-key": "local-dev-key", "content-type": "application/json" },
    body: JSON.stringify({ message: "What helps against a headache?" }),
  });
  const { success } = await response.json();
  if (windows) {
    spawnSync("taskkill", ["/pid", String(service.pid), "/t", "/f"]); // Windows knows no interrupt from another process
  } else {
    process.kill(-service.pid, "SIGINT"); // all processes of the group, as Ctrl-C in a terminal
  }
  await exited;
  process.exitCode = success && !isTooOld() ? 0 : 1;
} else {
  process.exitCode = isTooOld() && output.includes(TOO_OLD) ? 0 : 1;
}
process.stdout.write(process.exitCode === 0 ? "As expected.\n" : "Not as expected.\n");
