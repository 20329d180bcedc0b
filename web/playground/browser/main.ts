import { fillInLocalKey } from "../../browser/local-service.ts";
import { bindTheme } from "../../browser/theme.ts";
import { Composer } from "./composer.ts";
import { Conversation } from "./conversation.ts";
import { byId } from "./elements.ts";
import { HoldPanel } from "./hold-panel.ts";
import { endAboveKeyboard } from "./keyboard.ts";
import { bindMenus } from "./menus.ts";
import { modelRequest } from "./model-request.ts";
import { offerOtherTab } from "./other-tab.ts";
import { PatientPanel } from "./patient-panel.ts";
import { pinAlert } from "./pinned-alert.ts";
import { ProfileForm } from "./profile-form.ts";
import { Recorder } from "./recorder.ts";
import { bindScrolling } from "./scrolling.ts";
import { quietClient, serviceClient } from "./service.ts";
import { changeSession } from "./session.ts";
import { silence } from "./speech.ts";
import { ThreadChooser } from "./thread-chooser.ts";
import { ThreadPanel } from "./thread-panel.ts";
import { Traffic } from "./traffic.ts";
import { WebhookInbox } from "./webhook-inbox.ts";

/** On one machine the page is at the root, and the stage below it; deployed, it stands beside the operations. */
const baseUrl = new URL(location.pathname === "/" ? "v1" : ".", location.href).href.replace(/\/$/, "");

const conversation = new Conversation();
const traffic = new Traffic();
const recorder = new Recorder(baseUrl, traffic.show);
let keyNotice: HTMLElement | undefined;
const clientOf = () => {
  const client = serviceClient(baseUrl, recorder);
  keyNotice?.remove();
  keyNotice = client ? undefined : conversation.addNotice("Enter the API key first, above.", { failure: true });
  return client;
};
const patient = new PatientPanel({
  clientOf,
  onSwitch: (from) => {
    changeSession({ feedback: undefined });
    if (from) {
      forgetPatient();
    } else {
      composer.reset(); // what was typed before a patient was chosen is kept
      thread.close();
    }
  },
  onErase: (result) => {
    forgetPatient();
    conversation.addNotice(`${result} Nothing about this patient is left on this page.`);
  },
});
/** Whether the offline model of `npm start` answers; then each of its answers shows what a real one would receive. */
let offlineModel = false;
const modelRequestOf = async (message: string) => (offlineModel ? modelRequest(message) : undefined);
const inbox = new WebhookInbox(clientOf);
const thread: ThreadPanel = new ThreadPanel({
  clientOf,
  patient,
  conversation,
  recorder,
  quietClientOf: () => quietClient(baseUrl),
  modelRequestOf,
  isPending: () => composer.isPending || hold.isBusy,
  onThread: (threadId) => hold.follow(threadId),
  onHold: (held) => hold.read(held),
});
const hold = new HoldPanel({ clientOf, conversation, thread });
const composer = new Composer({ clientOf, conversation, thread, modelRequestOf });
new ProfileForm(clientOf);
new ThreadChooser({
  clientOf,
  patient,
  onChoose: (threadId) => {
    composer.reset();
    thread.reopen(threadId);
  },
});

/** Everything that belongs to a patient goes with the patient: the conversation, what was typed, and the requests. */
function forgetPatient(): void {
  inbox.clear();
  changeSession({ feedback: undefined });
  composer.clear();
  thread.close();
  traffic.clear();
  silence();
}

/** What was typed is kept nowhere, so the browser asks before it is lost. */
addEventListener("beforeunload", (event) => {
  const fields = [...document.querySelectorAll<HTMLTextAreaElement>(".write textarea")];
  if (composer.isUnsent || fields.some(({ value }) => value.trim() !== "")) {
    event.preventDefault();
  }
});
offerOtherTab((threadId) => thread.reopen(threadId));
bindTheme();
bindMenus();
bindScrolling();
pinAlert();
endAboveKeyboard();
byId("key-form").addEventListener("submit", (event) => {
  event.preventDefault();
  byId("message").focus();
});
byId<HTMLAnchorElement>("docs").href = `${baseUrl}/docs`;
byId("playground").hidden = false;
fillInLocalKey(byId<HTMLInputElement>("api-key")).then((local) => {
  if (local) {
    byId("key-help").textContent =
      "The API key of this machine's service is filled in. It stays in this page's memory.";
    offlineModel = local.offlineModel;
    composer.offerSources();
    inbox.start();
  }
});
