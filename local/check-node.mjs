// Runs first, in whatever version of Node is used: on linux-x64 `npm ci` installs the right one, elsewhere it is yours.
if (!process.features.typescript) {
  process.stderr.write(
    `Node ${process.versions.node} cannot run this project's TypeScript; install Node 24, or at least 22.18.\n`,
  );
  process.exit(1);
}
