// Runs the program that its arguments name until its stdin is closed: by the process that started it or, if that
// process is killed, by the operating system.
import { spawn } from "node:child_process";

/** A program that has not ended by then, on a busy machine or because a connection stays open, is killed. */
const GRACE_MILLISECONDS = 5_000;

const [program, ...args] = process.argv.slice(2);
const child = spawn(program, args, { stdio: ["ignore", "ignore", "inherit"], windowsHide: true });
child.once("error", (error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
});
child.once("exit", (code) => process.exit(code ?? 1));
const end = () => {
  child.kill();
  setTimeout(() => child.kill("SIGKILL"), GRACE_MILLISECONDS);
};
process.stdin.on("end", end).on("error", end).resume();
