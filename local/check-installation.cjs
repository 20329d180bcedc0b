// Every script loads this first, in any version of Node, however old. On Linux, `npm ci` installs the right version,
// and npm finds that one first; elsewhere the one of the machine is used.
function problem() {
  if (!process.features.typescript) {
    return `Node ${process.versions.node} cannot run this project's TypeScript; install Node 24, or at least 22.18.`;
  }
  // One of the packages that exist once for each kind of machine, which npm therefore takes for optional.
  const name = `@esbuild/${process.platform}-${process.arch}`;
  try {
    require.resolve(`${name}/package.json`);
  } catch {
    return `The packages for this machine, such as ${name}, are not installed; run npm ci, without --omit=optional.`;
  }
}

const found = problem();
if (found) {
  process.stderr.write(`${found}\n`);
  process.exit(1);
}
