import { describe, expect, test } from "@jest/globals";
import { growthOf } from "../../tools/load/growth.ts";
import type { Sample } from "../../tools/load/processes.ts";

const SECONDS = 600;

/** A run of ten minutes with one sample per second. */
function runOf(change: (second: number) => Partial<Sample>): Sample[] {
  const holding = { processes: 13, megabytes: 100, descriptors: 90 };
  return Array.from({ length: SECONDS }, (_, second) => ({
    at: second * 1000,
    service: holding,
    lambdas: holding,
    database: holding,
    databaseMegabytes: 5,
    logMegabytes: 1,
    ...change(second),
  }));
}

/** The measurements reported as growing without bound. */
const growing = (samples: Sample[]) =>
  growthOf(samples)
    .filter(({ growth, allowed }) => growth > allowed)
    .map(({ name }) => name);

const holding = (megabytes: number, descriptors = 90) => ({ processes: 1, megabytes, descriptors });

describe("growth under constant load", () => {
  test("is not reported for a varying level", () => {
    expect(growing(runOf((second) => ({ service: holding(100 + 20 * Math.sin(second / 5)) })))).toEqual([]);
  });

  test("is not reported for a level reached in the first half", () => {
    expect(growing(runOf((second) => ({ service: holding(Math.min(300, 100 + second)) })))).toEqual([]);
  });

  test.each<[string, (second: number) => Partial<Sample>]>([
    ["service: memory, MB", (second) => ({ service: holding(100 + second / 5) })],
    ["service: descriptors", (second) => ({ service: holding(100, 90 + Math.floor(second / 20)) })],
    ["Lambda processes: memory, MB", (second) => ({ lambdas: holding(900 + second) })],
    ["database: files, MB", (second) => ({ databaseMegabytes: 5 + second / 60 })],
    ["log, MB", (second) => ({ logMegabytes: second })],
  ])("is reported for %s", (name, change) => {
    expect(growing(runOf(change))).toEqual([name]);
  });
});
