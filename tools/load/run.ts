/** `npm run load`: puts the local service under load, and checks its responses. */
import { readArguments, usageError } from "../../shared/command-line.ts";
import { sendChats } from "./chats.ts";
import { sendGenerated } from "./generated.ts";
import { startServiceProcess } from "./service-process.ts";

const USAGE = `Puts the local service under load, in one of two ways.

  npm run load -- --minutes 10 --rate 40
  npm run load -- --minutes 5 --generated --seed 1

  --minutes N   duration, at least 0.1: 10
  --rate N      requests per second: 40
  --generated   sends what the OpenAPI document allows and forbids, with Schemathesis (Python, installed from PyPI on
                first use; where that is impossible, one line says so), and checks every response
  --seed N      the same seed generates the same requests, as far as responses are the same: 1

Without --generated, autocannon sends conversations and prints latencies, throughput, and responses that are not as
they should be. The service runs in a separate process, as npm start runs it, with an empty database and the offline
model.
Exit code: 0 if nothing fails, or when skipped; 1 otherwise; 2 if the load could not be sent.
`;

const { values } = readArguments(USAGE, {
  options: {
    minutes: { type: "string", default: "10" },
    rate: { type: "string", default: "40" },
    generated: { type: "boolean", default: false },
    seed: { type: "string", default: "1" },
  },
});
const [minutes, rate, seed] = [Number(values.minutes), Number(values.rate), Number(values.seed)];
if (!(minutes >= 0.1 && minutes <= 1_440)) {
  usageError(USAGE, "--minutes must be from 0.1 to 1440.");
}
if (!(Number.isInteger(rate) && rate >= 1 && rate <= 1_000 && Number.isInteger(seed))) {
  usageError(USAGE, "--rate must be a whole number from 1 to 1000, and --seed a whole number.");
}

async function main(): Promise<number> {
  const service = await startServiceProcess();
  try {
    const passed = await (values.generated
      ? sendGenerated(service, minutes * 60, seed)
      : sendChats(service, minutes * 60, rate));
    if (!service.running()) {
      process.stderr.write("The service stopped under load.\n");
      return 1;
    }
    return passed ? 0 : 1;
  } finally {
    await service.stop();
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 2;
}
