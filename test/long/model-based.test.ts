import { testAgainstModel } from "../model-based/clients.ts";

/** `MODEL_STEPS=10000 MODEL_SEED=2 npm run test:long -- model-based` makes more steps, with other commands. */
const STEPS = Number(process.env.MODEL_STEPS ?? 4_000);
const SEED = Number(process.env.MODEL_SEED ?? 20_261_122);

testAgainstModel(STEPS, SEED);
