import type { ChatEvent, HealthAssistantClient, Patient, Thread } from "conversational-health-assistant-service/client";

/**
 * Type-checked by `npm run types`, never run. The check fails if a line marked `@ts-expect-error` compiles, or if any
 * other line does not.
 */
export async function useTypes(client: HealthAssistantClient, Client: typeof HealthAssistantClient): Promise<void> {
  await client.chat({ message: "hello", threadId: "48213", patientData: { age: 34, allergies: ["penicillin", {}] } });
  // @ts-expect-error: the field is message
  await client.chat({ mesage: "hello" });
  // @ts-expect-error: the field is threadId
  await client.chat({ message: "hello", threadID: "48213" });
  // @ts-expect-error: message is a string
  await client.chat({ message: 5 });
  // @ts-expect-error: a message is required
  await client.chat({ threadId: "48213" });
  // @ts-expect-error: the field is blood_type
  await client.chat({ message: "hello", patientData: { bloodType: "0+" } });
  // @ts-expect-error: the field is dosage
  await client.chat({ message: "hello", patientData: { medications: [{ name: "aspirin", dose: "100 mg" }] } });
  // @ts-expect-error: the role is user or assistant
  await client.chat({ message: "hello", conversationHistory: [{ role: "system", content: "x" }] });
  // @ts-expect-error: the option is idempotencyKey
  await client.chat({ message: "hello" }, { idempotenceKey: "x" });
  await client.createThread({}, { idempotencyKey: "x" });
  // @ts-expect-error: getThread has no idempotencyKey
  await client.getThread("48213", { idempotencyKey: "x" });
  // @ts-expect-error: the field is phone
  await client.createThread({ phone_number: "5551234567" });
  await client.createThread({ metadata: { anything: { at: ["all"] } } });
  // @ts-expect-error: metadata is an object
  await client.createThread({ metadata: "web" });
  // @ts-expect-error: the field is phone_number
  await client.createPatient({ name: "Pat Example", phone: "5551234567" });
  await client.createPatient({ name: "Pat Example", notes: [{ anything: 1 }], refill_info: { at: "all" } });

  const { response, messageCount } = await client.chat({ message: "hello" });
  // @ts-expect-error: messageCount is undefined without a thread
  const count: number = messageCount;
  // @ts-expect-error: the field is response
  const { answer } = await client.chat({ message: "hello" });
  const { thread } = await client.getThread("48213");
  const expiresAt: Thread["expiresAt"] = thread.expiresAt;
  // @ts-expect-error: metadata is returned only if asked for, and can be null
  thread.metadata.source;
  const { patient } = await client.getPatient("7f0c4e5a-1d0b-4c55-9a39-0d1f6b9c2a11");
  const allergies: Patient["allergies"] = patient.allergies;
  // @ts-expect-error: allergies can be null
  patient.allergies.length;
  // @ts-expect-error: the method does not exist
  await client.listPatients();

  for await (const event of client.streamChat({ message: "hello" })) {
    const received: ChatEvent = event;
    // @ts-expect-error: only a delta has text
    received.text;
    if (event.event === "done") {
      event.response.messageCount?.toFixed();
      // @ts-expect-error: only a delta has text
      event.text;
    }
  }
  // @ts-expect-error: the option is apiKey
  new Client({ baseUrl: "https://example.test/v1", key: "x" });
  void [response, count, answer, expiresAt, allergies];
}
