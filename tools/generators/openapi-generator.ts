import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ALL_STEPS, type Generator, type Program, STEPS_WITHOUT_STREAM } from "./generator.ts";
import { buildGo, compileTypeScript, maven, mavenArtifact, PROGRAMS, pythonWith, run } from "./toolchain.ts";

interface Language {
  /** Options of the generator for this language. */
  options?: string[];
  /** The steps that the program takes. */
  steps: readonly string[];
  /** Compiles what was generated, together with the program. */
  compile(folder: string): Promise<Program | undefined>;
}

const LANGUAGES: Record<string, Language> = {
  java: {
    // Optional parameters are set by name, so that a new one breaks no caller.
    options: ["-p", "useSingleRequestParameter=true"],
    steps: ALL_STEPS,
    async compile(folder) {
      cpSync(join(PROGRAMS, "Program.java"), join(folder, "src", "main", "java", "Program.java"));
      // The project that is generated builds for Java 8; the program uses what came later.
      return compileWithMaven(folder, "-Dmaven.compiler.source=17", "-Dmaven.compiler.target=17");
    },
  },
  kotlin: {
    steps: STEPS_WITHOUT_STREAM,
    async compile(folder) {
      cpSync(join(PROGRAMS, "Program.kt"), join(folder, "src", "main", "kotlin", "Program.kt"));
      // The project that is generated builds with Gradle, whose plugins are not in Maven's repository.
      cpSync(join(PROGRAMS, "kotlin-pom.xml"), join(folder, "pom.xml"));
      return compileWithMaven(folder);
    },
  },
  python: {
    steps: ALL_STEPS,
    async compile(folder) {
      const python = await pythonWith(join(folder, "requirements.txt"), folder);
      await run(python, ["-m", "compileall", "-q", "openapi_client"], folder);
      cpSync(join(PROGRAMS, "program.py"), join(folder, "program.py"));
      return { command: python, args: ["program.py"] };
    },
  },
  "typescript-fetch": {
    // With other names, the clients of 7.23.0 do not compile in strict mode.
    options: ["-p", "modelPropertyNaming=original"],
    steps: ALL_STEPS,
    async compile(folder) {
      return compileTypeScript(folder, "program.fetch.ts");
    },
  },
  go: {
    steps: STEPS_WITHOUT_STREAM,
    async compile(folder) {
      return buildGo("program.go", folder);
    },
  },
  php: {
    steps: STEPS_WITHOUT_STREAM,
    async compile(folder) {
      await run("composer", ["install", "--no-dev", "--quiet", "--no-interaction"], folder);
      cpSync(join(PROGRAMS, "program.php"), join(folder, "program.php"));
      return { command: "php", args: ["program.php"] };
    },
  },
  csharp: {
    steps: [],
    async compile(folder) {
      await run("dotnet", ["build", join("src", "Org.OpenAPITools"), "--nologo", "--verbosity=quiet"], folder);
      return undefined;
    },
  },
};

/** The clients that one version of openapi-generator makes. */
export function openapiGenerator(version: string): Generator[] {
  return Object.entries(LANGUAGES).map(([language, { options = [], steps, compile }]) => ({
    name: `openapi-generator ${version} ${language}`,
    steps,
    async build(document, folder) {
      const jar = await mavenArtifact("org.openapitools", "openapi-generator-cli", version);
      const output = language === "typescript-fetch" ? join(folder, "generated") : folder;
      await run("java", ["-jar", jar, "generate", "-g", language, "-i", document, "-o", output, ...options], ".");
      return () => compile(folder);
    },
  }));
}

async function compileWithMaven(folder: string, ...options: string[]): Promise<Program> {
  const classpath = ["dependency:build-classpath", "-Dmdep.outputFile=classpath"];
  await maven(["test-compile", ...classpath, "-Dmaven.test.skip=true", ...options], folder);
  const jars = readFileSync(join(folder, "classpath"), "utf8").trim();
  return { command: "java", args: ["-cp", `${join(folder, "target", "classes")}:${jars}`, "Program"] };
}
