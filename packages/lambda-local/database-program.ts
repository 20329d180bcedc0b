import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { SetupError } from "./setup-error.ts";

/** A program that serves the API of DynamoDB, with its data in an SQLite file. */
export interface DatabaseProgram {
  name: string;
  /** The SQLite file. */
  file: string;
  /** How long it may take to start. */
  startMilliseconds: number;
  /** Where it can listen; undefined for every address of loopback. */
  address?: string;
  /** The command that serves the file at an address of this machine. */
  command(address: string, port: number): string[];
  /** What it prints on stderr when it is listening; undefined if it prints nothing. */
  announcement?(endpoint: string): string;
}

/**
 * Finds the database for this machine: DynamoDB Local if its folder is set, otherwise the embedded DynamoDB.
 *
 * @param dataDir the folder for the SQLite file
 * @param dynamoDbLocalDir the folder that contains AWS's `DynamoDBLocal.jar`
 * @throws SetupError if this machine cannot run it
 */
export function findDatabaseProgram(dataDir: string, dynamoDbLocalDir: string | undefined): DatabaseProgram {
  return dynamoDbLocalDir ? dynamoDbLocal(dynamoDbLocalDir, dataDir) : dynoxide(dataDir);
}

/** https://github.com/nubo-db/dynoxide has one package for each system and processor, named as Node names them. */
function dynoxide(dataDir: string): DatabaseProgram {
  const file = join(dataDir, "dynamodb.db");
  const binary = join(dynoxideFolder(), process.platform === "win32" ? "dynoxide.exe" : "dynoxide");
  return {
    name: "embedded DynamoDB",
    file,
    startMilliseconds: 10_000,
    command: (address, port) => [binary, "--host", address, "--port", String(port), "--db-path", file],
    announcement: (endpoint) => `listening on ${endpoint}`,
  };
}

function dynoxideFolder(): string {
  const name = `@dynoxide/${process.platform}-${process.arch}`;
  try {
    return dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
  } catch {
    throw new SetupError(
      `There is no embedded DynamoDB for this machine (${name} is not installed); run npm ci without --omit=optional, ` +
        "or install Java, unpack DynamoDB Local, and set DYNAMODB_LOCAL_DIR to its folder " +
        '(the README of lambda-local, "Databases").',
    );
  }
}

/** The options are those of "DynamoDB local usage notes" (Amazon DynamoDB Developer Guide). */
function dynamoDbLocal(folder: string, dataDir: string): DatabaseProgram {
  const jar = join(folder, "DynamoDBLocal.jar");
  if (!existsSync(jar)) {
    throw new SetupError(
      `DYNAMODB_LOCAL_DIR is "${folder}", which has no DynamoDBLocal.jar; set it to the folder of the unpacked download.`,
    );
  }
  if (spawnSync("java", ["-version"], { stdio: "ignore" }).status !== 0) {
    throw new SetupError(
      "DynamoDB Local needs Java; install Java 17 or newer, so that java -version prints its version.",
    );
  }
  // By default, pages of any site may use it. It serves none, so its own address allows nobody.
  const options = (port: number) => [
    "-sharedDb",
    "-disableTelemetry",
    "-dbPath",
    dataDir,
    "-cors",
    `http://127.0.0.1:${port}`,
  ];
  const libraries = `-Djava.library.path=${join(folder, "DynamoDBLocal_lib")}`;
  return {
    name: "DynamoDB Local",
    file: join(dataDir, "shared-local-instance.db"),
    startMilliseconds: 60_000,
    address: "127.0.0.1",
    command: (_, port) => ["java", libraries, "-jar", jar, "-port", String(port), ...options(port)],
  };
}
