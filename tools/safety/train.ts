import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Classifier } from "../../shared/safety/classifier.ts";
import { alertByRules } from "../../shared/safety/rules.ts";
import { DOUBT } from "../../shared/safety/screen.ts";
import { sentencesOf } from "../../shared/safety/words.ts";
import { readSet, trainingSets } from "./labeled.ts";
import { exampleOf, pack, trainAlert, trainCategories } from "./model.ts";

/**
 * `npm run train:safety`: trains the classifier of the safety screen on all sets but the one put aside, and writes its
 * two data files. The same data give the same files, to the bit.
 */

const DATA = join(import.meta.dirname, "..", "..", "shared", "safety", "data");

/**
 * The share of harmless messages that are to be left in peace. In a clinic nearly all messages are harmless, and a warning
 * that is mostly wrong is soon not read; what the screen misses, the model may still see.
 */
const SPECIFICITY = 0.952;

/** The sets that hold all kinds of messages in the proportions of the guide; others deepen what these lack. */
const MIXED = ["set-1", "set-2", "set-3", "set-4", "set-14"];

const sets = new Map(trainingSets().map((name) => [name, readSet(name).map(exampleOf)]));
const threshold = chooseThreshold();
const all = [...sets.values()].flat();
const { header, weights } = pack(trainAlert(all), trainCategories(all), threshold);
mkdirSync(DATA, { recursive: true });
writeFileSync(join(DATA, "weights.json"), `${JSON.stringify(header, null, 2)}\n`);
writeFileSync(join(DATA, "weights.bin"), weights);
process.stdout.write(`${all.length} messages, ${weights.length} bytes, threshold ${threshold}\n`);

/** Judges each mixed set by a classifier that has not seen it, and takes the threshold that leaves enough in peace. */
function chooseThreshold(): number {
  const scores = MIXED.flatMap((left) => {
    const others = [...sets].filter(([name]) => name !== left).flatMap(([, examples]) => examples);
    const { header, weights } = pack(trainAlert(others), trainCategories(others), 0);
    const classifier = new Classifier(header, weights);
    const harmless = (sets.get(left) ?? []).filter(({ category }) => category === undefined);
    return harmless.map(({ text }) => {
      const sentences = sentencesOf(text);
      return classifier.judge(sentences).margin + (alertByRules(sentences) ? DOUBT : 0);
    });
  });
  const sorted = scores.toSorted((a, b) => a - b);
  return Number((sorted[Math.ceil(SPECIFICITY * sorted.length)] as number).toFixed(4));
}
