import { train } from "../../packages/safety/training/train.ts";
import { readArguments } from "../../shared/command-line.ts";

const USAGE = `Trains the classifier of the safety screen and writes packages/safety/data/weights.json and weights.bin.

  npm run train:safety
`;

readArguments(USAGE, { options: {} });
process.stdout.write(`${train()}\n`);
