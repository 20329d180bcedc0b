// Runs first, in any version of Node: on linux-x64, `npm ci` installs the right one; elsewhere, the installed one is
// used.
if (!process.features.typescript) {
  process.stderr.write(
    `Node ${process.versions.node} cannot run this project's TypeScript; install Node 24, or at least 22.18.\n`,
  );
  process.exit(1);
}
