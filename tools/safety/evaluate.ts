import { crossValidate, evaluate } from "../../packages/safety/training/evaluate.ts";
import { readArguments } from "../../shared/command-line.ts";

const HELP = `Usage: npm run eval:safety -- [--cross-validation] [--misses] [FILE OR DIRECTORY…]

Judges labeled messages and conversations with the shipped screen: those of the files and of the directories' files, or
of packages/safety/training/corpus/put-aside-2, and the cautions. A file has JSON lines ({text, level, category}, or
{turns, level, category} for a conversation), described in packages/safety/training/corpus/README.md. Messages with a
field "label" are counted separately for each.

  --cross-validation  judges what the screen is trained on instead, each message with a classifier not trained on it
  --misses            also lists the alerts that are not certain, and the harmless messages that are
  --help              shows this text
`;

const { values, positionals } = readArguments(HELP, {
  options: {
    "cross-validation": { type: "boolean", default: false },
    misses: { type: "boolean", default: false },
  },
  allowPositionals: true,
});
process.stdout.write(values["cross-validation"] ? crossValidate(values.misses) : evaluate(positionals, values.misses));
