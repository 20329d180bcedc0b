import { type ParseArgsConfig, parseArgs } from "node:util";

/**
 * Reads a script's arguments, for every script in package.json. With `--help`, it prints the usage and ends the process
 * with exit code 0. If an argument is invalid, it prints an error and the usage, and ends the process with exit code 2.
 *
 * @param usage what the script does, and its arguments
 * @param config for `parseArgs` of `node:util`; positionals are rejected unless it allows them
 */
export function readArguments<const T extends ParseArgsConfig>(
  usage: string,
  config: T,
): ReturnType<typeof parseArgs<T>> {
  const args = config.args ?? process.argv.slice(2);
  if (args.includes("--help") || args.includes("-h")) {
    process.stdout.write(`${usage.trim()}\n`);
    process.exit(0);
  }
  try {
    return parseArgs(config);
  } catch (error) {
    // Omits the rest of Node's message, which explains how to pass a positional argument that begins with a dash.
    const { code, message } = error as NodeJS.ErrnoException;
    return usageError(
      usage,
      // Does not quote the argument, which may be a key whose option was forgotten.
      code === "ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL"
        ? "There is an argument that does not belong to an option."
        : message.replace(/\. To specify .*$/s, "."),
    );
  }
}

/** Prints what is wrong with the arguments, and the usage, and ends the process with exit code 2. */
export function usageError(usage: string, message: string): never {
  process.stderr.write(`${message}\n\n${usage.trim()}\n`);
  process.exit(2);
}
