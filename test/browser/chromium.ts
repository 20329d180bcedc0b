import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const BUILD = join(import.meta.dirname, "..", "..", ".build");

/** A browser to be launched, and what its process needs in its environment. */
export interface Chromium {
  executablePath: string;
  env: Record<string, string>;
}

/**
 * Finds a Chromium: the one of `CHROMIUM_PATH`, or else, on linux-x64, the one that the npm package @sparticuz/chromium
 * carries with the libraries and a font it needs. That one is unpacked once, into `.build`.
 *
 * @returns undefined when there is none for this machine
 */
export async function findChromium(): Promise<Chromium | undefined> {
  const own = process.env.CHROMIUM_PATH;
  if (own) {
    return { executablePath: own, env: {} };
  }
  if (`${process.platform}-${process.arch}` !== "linux-x64") {
    return undefined;
  }
  const folder = await unpack();
  return {
    executablePath: join(folder, "chromium"),
    env: { LD_LIBRARY_PATH: join(folder, "al2023", "lib"), FONTCONFIG_FILE: join(folder, "fonts.conf"), HOME: folder },
  };
}

async function unpack(): Promise<string> {
  const packageFolder = dirname(dirname(createRequire(import.meta.url).resolve("@sparticuz/chromium")));
  const packageFile = JSON.parse(readFileSync(join(packageFolder, "package.json"), "utf8"));
  const folder = join(BUILD, `chromium-${packageFile.version}`);
  if (!existsSync(folder)) {
    const unfinished = `${folder}.new`;
    rmSync(unfinished, { recursive: true, force: true });
    mkdirSync(unfinished, { recursive: true });
    await inflateInto(unfinished, join(packageFolder, "bin"));
    writeFileSync(join(unfinished, "fonts.conf"), fontsConfiguration(folder));
    renameSync(unfinished, folder);
  }
  return folder;
}

/** The package unpacks to where temporary files go, so for that time they go elsewhere. */
async function inflateInto(folder: string, archives: string): Promise<void> {
  const { inflate } = await import("@sparticuz/chromium");
  const { TMPDIR } = process.env;
  process.env.TMPDIR = folder;
  try {
    await Promise.all(["chromium.br", "al2023.tar.br", "fonts.tar.br"].map((name) => inflate(join(archives, name))));
  } finally {
    if (TMPDIR === undefined) {
      delete process.env.TMPDIR;
    } else {
      process.env.TMPDIR = TMPDIR;
    }
  }
}

/** The package's font, and the machine's own if it has any. */
function fontsConfiguration(folder: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir>${join(folder, "fonts")}</dir>
  <cachedir>${join(folder, "font-cache")}</cachedir>
</fontconfig>
`;
}
