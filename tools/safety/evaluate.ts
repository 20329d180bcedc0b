import type { SafetyAlert } from "../../shared/safety/alert.ts";
import { Classifier } from "../../shared/safety/classifier.ts";
import { alertIn, screen } from "../../shared/safety/screen.ts";
import { sentencesOf } from "../../shared/safety/words.ts";
import { figuresOf, isRight, withInterval } from "./figures.ts";
import { HELD_OUT, type Labelled, readSet, trainingSets } from "./labeled.ts";
import { exampleOf, pack, trainAlert, trainCategories } from "./model.ts";

/**
 * `npm run eval:safety`: sensitivity and specificity of the screen by category and set, with 95 % intervals. Each training
 * set is judged by a classifier that has not seen it, and its misses are listed; `npm run eval:safety -- held-out` judges
 * the set put aside by the screen as it is shipped, and lists none.
 */

if (process.argv[2] === HELD_OUT) {
  print(
    HELD_OUT,
    readSet(HELD_OUT).map((message) => ({ message, alert: screen(message.text).finding?.alert })),
  );
} else {
  const examples = new Map(trainingSets().map((name) => [name, readSet(name).map(exampleOf)]));
  for (const name of trainingSets()) {
    const others = [...examples].filter(([other]) => other !== name).flatMap(([, some]) => some);
    const { header, weights } = pack(
      trainAlert(others),
      trainCategories(others),
      Classifier.shipped().header.threshold,
    );
    const classifier = new Classifier(header, weights);
    const judged = readSet(name).map((message) => ({ message, alert: alertIn(sentencesOf(message.text), classifier) }));
    print(name, judged);
    for (const { message, alert } of judged.filter(({ message, alert }) => !isRight(message, alert))) {
      process.stdout.write(
        `  ${message.level} ${message.category}, judged ${alert?.category ?? "none"}: ${message.text}\n`,
      );
    }
  }
}

function print(name: string, judged: { message: Labelled; alert: SafetyAlert | undefined }[]): void {
  process.stdout.write(`\n${name}, ${judged.length} messages\n`);
  for (const [category, figure] of figuresOf(judged)) {
    process.stdout.write(
      `  ${category.padEnd(18)} ${String(figure.right).padStart(5)} of ${String(figure.all).padEnd(5)} ${withInterval(figure)}\n`,
    );
  }
}
