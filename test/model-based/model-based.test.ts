import { testAgainstModel } from "./clients.ts";

/** Both set by `npm run test:model`. `npm run test:long` makes more steps, with another seed. */
const STEPS = Number(process.env.MODEL_STEPS ?? 750);
const SEED = Number(process.env.MODEL_SEED ?? 20_260_301);

testAgainstModel(STEPS, SEED);
