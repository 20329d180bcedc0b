/** Runs the service of `npm start` in a separate process, on a free port and with its own database. */
import { startService } from "../../local/service.ts";
import { readSettings } from "../../local/settings.ts";

const [assembly = "", dataDir = ""] = process.argv.slice(2);
const settings = readSettings({ ...process.env, PORT: "0", DATA_DIR: dataDir });
const service = await startService(settings, assembly, { onRequest: () => {}, onLog: () => {} });
process.send?.(service.baseUrl);
process.once("message", async () => {
  await service.stop();
  process.exit(0);
});
