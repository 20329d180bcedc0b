import { Composer } from "./composer.ts";
import { Conversation } from "./conversation.ts";
import { byId } from "./elements.ts";
import { PatientPanel } from "./patient-panel.ts";
import { Recorder } from "./recorder.ts";
import { serviceClient } from "./service.ts";
import { ThreadPanel } from "./thread-panel.ts";
import { Traffic } from "./traffic.ts";

/** On one machine the page is at the root, and the stage below it; deployed, it stands beside the operations. */
const baseUrl = new URL(location.pathname === "/" ? "v1" : ".", location.href).href.replace(/\/$/, "");

const conversation = new Conversation();
const recorder = new Recorder(baseUrl, new Traffic().show);
const clientOf = () => {
  const client = serviceClient(baseUrl, recorder);
  if (!client) {
    conversation.addNotice("Type the API key first, above.", { failure: true });
  }
  return client;
};
const patient = new PatientPanel(clientOf, conversation);
const thread = new ThreadPanel({ clientOf, patientIdOf: () => patient.patientId, conversation, recorder });
new Composer({ clientOf, conversation, thread });

byId<HTMLAnchorElement>("docs").href = `${baseUrl}/docs`;
byId("playground").hidden = false;
