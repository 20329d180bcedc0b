import { cpus, loadavg, release, totalmem } from "node:os";
import { round } from "./statistics.ts";
import type { Table } from "./table.ts";

/** What the figures were measured on; they mean nothing without it. */
export function describeMachine(): Table {
  return {
    title: "Machine",
    columns: ["what", "is"],
    rows: [
      ["processor", cpus()[0]?.model ?? "unknown"],
      ["cores", cpus().length],
      ["memory GB", Math.round(totalmem() / 2 ** 30)],
      ["system", `${process.platform} ${release()} ${process.arch}`],
      ["Node", process.version],
      ["load before", round(loadavg()[0] ?? Number.NaN)],
      ["date", new Date().toISOString().slice(0, 10)],
    ],
  };
}
