import { testAgainstModel } from "./clients.ts";

/** `MODEL_STEPS=10000 MODEL_SEED=2 npm run jest -- test/model-based` makes more steps, with other commands. */
const STEPS = Number(process.env.MODEL_STEPS ?? 150);
const SEED = Number(process.env.MODEL_SEED ?? 20_260_301);

testAgainstModel(STEPS, SEED);
