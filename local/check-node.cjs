// Every script loads this first, in any version of Node, however old. On Linux, `npm ci` installs the right version, and
// npm finds that one first; elsewhere the one of the machine is used.
if (!process.features.typescript) {
  process.stderr.write(
    `Node ${process.versions.node} cannot run this project's TypeScript; install Node 24, or at least 22.18.\n`,
  );
  process.exit(1);
}
