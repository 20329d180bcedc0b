import "./no-eval.ts";
import { HealthChatTransport, type LoadedChat } from "health-assistant-client/ai-sdk";
import { useEffect, useState } from "react";
import { createRoot } from "react-dom/client";
import { Chat } from "./chat.tsx";

interface State {
  patients: string[];
  /** Who has a conversation. */
  patient?: string;
  /** Undefined if nobody has one, or it has ended. */
  chat?: LoadedChat | undefined;
  problem?: string;
}

const transport = new HealthChatTransport();

/** Sends a request to this example's own server. */
async function ask(method: string, body?: object): Promise<Response> {
  const headers = { "content-type": "application/json" };
  const response = await fetch("/api/session", { method, headers, body: body && JSON.stringify(body) });
  if (!response.ok) {
    throw new Error((await response.json()).error);
  }
  return response;
}

async function load(): Promise<State> {
  const session = await (await ask("GET")).json();
  try {
    return { ...session, chat: session.patient && (await transport.load()) };
  } catch (error) {
    return { ...session, problem: (error as Error).message };
  }
}

function App() {
  const [state, setState] = useState<State>({ patients: [] });
  const { patients, patient, chat, problem } = state;

  function show(next: Promise<State>) {
    next.then(setState, (error) => setState({ ...state, problem: error.message }));
  }
  function choose(name: string) {
    show(ask("POST", { patient: name }).then(load));
  }

  useEffect(() => {
    load().then(setState);
  }, []);

  if (chat && patient) {
    return (
      <Chat
        key={chat.id}
        chat={chat}
        transport={transport}
        patient={patient}
        onLeave={() => setState({ patients })}
        onRestart={() => choose(patient)}
      />
    );
  }
  return (
    <main className="picker">
      <h1>Health assistant</h1>
      <p>Who is asking? In an application, this is the patient who is signed in.</p>
      {patients.map((name) => (
        <button type="button" key={name} onClick={() => choose(name)}>
          {name}
        </button>
      ))}
      <p role="status">{problem}</p>
    </main>
  );
}

/** The keyboard of iOS covers the page, which then ends above it: whom to call stays in view. */
visualViewport?.addEventListener("resize", () => {
  const { height = 0, scale = 1 } = visualViewport ?? {};
  const isCovered = height * scale < innerHeight - 120;
  document.documentElement.style.setProperty("--height", isCovered ? `${height}px` : "100dvh");
  if (isCovered) {
    scrollTo(0, 0);
  }
});

createRoot(document.body).render(<App />);
