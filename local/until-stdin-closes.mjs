// Runs the program that its arguments name until its stdin is closed: by the process that started it or, if that
// process is killed, by the operating system.
import { spawn } from "node:child_process";

const [program, ...args] = process.argv.slice(2);
const child = spawn(program, args, { stdio: ["ignore", "ignore", "inherit"], windowsHide: true });
child.once("error", (error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
});
child.once("exit", (code) => process.exit(code ?? 1));
process.stdin.on("end", () => child.kill()).resume();
