import { parentPort } from "node:worker_threads";
import { bundle } from "./bundle.ts";

parentPort?.postMessage(await bundle());
