import { cpus, loadavg, release, totalmem } from "node:os";
import { round } from "./statistics.ts";
import type { Table } from "./table.ts";

/** Describes the machine that the figures were measured on. */
export function describeMachine(): Table {
  return {
    title: "Machine",
    columns: ["property", "value"],
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
