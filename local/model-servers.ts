import { isLoopback } from "../packages/lambda-local/own-page.ts";
import { SetupError } from "../packages/lambda-local/setup-error.ts";

/** A program that runs models on this machine and speaks OpenAI's protocol. */
interface ModelServer {
  /** As in `--model <name>`. */
  name: string;
  title: string;
  /** Such as http://127.0.0.1:11434. */
  origin: string;
  /** How it is started. */
  remedy: string;
}

/** A server that answers, with the names of its models. */
export interface RunningServer extends ModelServer {
  models: string[];
}

/** The limit for asking a server for its models. Where nothing listens, the answer comes at once. */
const ANSWER_MILLISECONDS = 2_000;

/** Models that cannot answer: they compute embeddings or rank texts. */
const CANNOT_CHAT = /embed|rerank|^bge-/i;

/**
 * The servers that may be running on this machine, at the ports that their documents name: Ollama ("FAQ"), LM Studio
 * ("OpenAI Compatibility Endpoints"), llama.cpp (`llama-server --help`), vLLM ("OpenAI-Compatible Server").
 *
 * @param ollamaHost Ollama's own variable for its address, such as 127.0.0.1:11434
 */
export function modelServers(ollamaHost = process.env.OLLAMA_HOST): ModelServer[] {
  const at = (port: number) => `http://127.0.0.1:${port}`;
  return [
    { name: "ollama", title: "Ollama", origin: ollamaOrigin(ollamaHost) ?? at(11434), remedy: "ollama serve" },
    { name: "lm-studio", title: "LM Studio", origin: at(1234), remedy: "lms server start" },
    { name: "llama.cpp", title: "llama.cpp", origin: at(8080), remedy: "llama-server -m <model>" },
    { name: "vllm", title: "vLLM", origin: at(8000), remedy: "vllm serve <model>" },
  ];
}

/** Where Ollama listens; undefined unless that is on this machine. */
function ollamaOrigin(host: string | undefined): string | undefined {
  const address = host && (host.includes("://") ? host : `http://${host}`).replace("0.0.0.0", "127.0.0.1");
  if (!address || !URL.canParse(address)) {
    return undefined;
  }
  const { hostname, port } = new URL(address);
  return isLoopback(hostname) ? `http://${hostname}:${port || (host?.includes("://") ? "80" : "11434")}` : undefined;
}

/** Looks for the servers that run on this machine, all at the same time. */
export async function findModelServers(servers = modelServers()): Promise<RunningServer[]> {
  const found = await Promise.all(servers.map(running));
  return found.filter((server) => server !== undefined && server.models.length > 0) as RunningServer[];
}

/** The model that `--model` names. */
export interface ChosenModel {
  name: string;
  baseUrl: string;
}

/**
 * Finds a model by a server's name, such as `ollama`: the first one that the server lists; or by both names, such as
 * `ollama/llama3.2`, with or without the tag.
 *
 * @throws SetupError if there is no such server, it does not answer, or it has no such model
 */
export async function chooseModel(choice: string, servers = modelServers()): Promise<ChosenModel> {
  const [serverName = "", ...rest] = choice.split("/");
  const wanted = rest.join("/");
  const server = servers.find(({ name }) => name === serverName);
  if (!server) {
    const names = servers.map(({ name }) => name).join(", ");
    throw new SetupError(
      `--model is "${choice}"; it must begin with one of ${names}, such as ollama or ollama/llama3.2. For another server, set OPENAI_BASE_URL and OPENAI_MODEL.`,
    );
  }
  const { title, origin, remedy } = server;
  const answer = await running(server);
  if (!answer) {
    throw new SetupError(`No ${title} answers at ${origin}; start it (${remedy}), or leave out --model.`);
  }
  const [first] = answer.models;
  if (first === undefined) {
    throw new SetupError(`${title} at ${origin} has no model that can chat; add one, or leave out --model.`);
  }
  const name = wanted === "" ? first : modelCalled(wanted, answer.models);
  if (name === undefined) {
    throw new SetupError(`${title} at ${origin} has no model ${wanted}; it has ${answer.models.join(", ")}.`);
  }
  return { name, baseUrl: `${origin}/v1` };
}

/** A name without a tag means the tag `latest`, as in Ollama, or else any. */
function modelCalled(wanted: string, models: string[]): string | undefined {
  return (
    models.find((name) => name === wanted || name === `${wanted}:latest`) ??
    models.find((name) => name.startsWith(`${wanted}:`))
  );
}

/** Asks a server for its models (OpenAI API reference, "List models"); undefined if none answers. */
async function running(server: ModelServer): Promise<RunningServer | undefined> {
  try {
    const response = await fetch(`${server.origin}/v1/models`, { signal: AbortSignal.timeout(ANSWER_MILLISECONDS) });
    const { data } = (await response.json()) as { data?: { id?: unknown }[] | null };
    const names = (data ?? []).map(({ id }) => String(id)); // anything else that uses the port has no such list
    return response.ok && data !== undefined
      ? { ...server, models: names.filter((name) => !CANNOT_CHAT.test(name)) }
      : undefined;
  } catch {
    return undefined;
  }
}
