"""Uses the generated client; prints a line per step that went as it should."""

import os
import sys

from openapi_client import (
    ApiClient,
    ApiException,
    ChatApi,
    Configuration,
    EventsApi,
    FeedbackApi,
    HandoffApi,
    OpenAICompatibleApi,
    PatientsApi,
    ThreadsApi,
)
from openapi_client.models import (
    AddMessageRequest,
    ChatRequest,
    CreateCompletionRequest,
    CreateCompletionRequestMessagesInner,
    CreateCompletionRequestMessagesInnerContent,
    CreatePatientRequest,
    CreateThreadRequest,
    CreateWebhookRequest,
    FeedbackRequest,
    HoldThreadRequest,
    PatientData,
    SearchPatientsRequest,
    UpdatePatientRequest,
)


def step(name, ok):
    if ok:
        print(name)


configuration = Configuration(host=os.environ["BASE_URL"], api_key={"ApiKeyHeader": os.environ["API_KEY"]})
with ApiClient(configuration) as client:
    patients, threads, chat = PatientsApi(client), ThreadsApi(client), ChatApi(client)

    request = CreatePatientRequest(name="Pat Example", phone_number=sys.argv[1], age=34, gender="x")
    patient = patients.create_patient(request).patient
    id = patient.id
    read = patients.get_patient_with_http_info(id)
    step("patient", read.data.patient.created_at == patient.created_at)

    opening = {"create_thread_request": CreateThreadRequest(patientId=id), "idempotency_key": f"open-{id}"}
    thread_id = threads.create_thread(**opening).thread_id
    repeated = threads.create_thread_with_http_info(**opening)
    step("repeat", repeated.data.thread_id == thread_id and repeated.headers["idempotent-replayed"] == "true")

    answer = chat.chat(ChatRequest(threadId=thread_id, message="Hello"))
    step("chat", answer.success and answer.message_count == 2)

    data = PatientData(conditions=["asthma"])
    response = chat.chat_without_preload_content(
        ChatRequest(threadId=thread_id, message="Hello again", patientData=data),
        idempotency_key="key-1",
        _headers={"Accept": "text/event-stream"},
    )
    lines = b"".join(response.stream()).decode().splitlines()
    events = [line for line in lines if line.startswith("event: ")]
    step("stream", len(events) > 2 and events[0] == "event: delta" and events[-1] == "event: done")

    newest = threads.list_messages(thread_id, limit=3).messages
    oldest = threads.list_messages(thread_id, before=newest[-1].id)
    listed = [message.content for message in oldest.messages] == ["Hello"] and not oldest.has_more
    step("lists", listed and [one.thread_id for one in patients.list_patient_threads(id).threads] == [thread_id])

    correction = {"update_patient_request": UpdatePatientRequest(allergies="latex", gender=None)}
    corrected = patients.update_patient(id, if_match=read.headers["etag"], **correction).patient
    try:
        patients.update_patient(id, if_match=read.headers["etag"], **correction)
    except ApiException as error:
        step("412", error.status == 412 and corrected.allergies == "latex" and corrected.gender is None)

    found = patients.search_patients(SearchPatientsRequest(phone_number=f"+1 {sys.argv[1]}")).patients
    step("search", [one.id for one in found] == [patient.id])
    exported = patients.export_patient(id)
    step("export", exported.patient.allergies == "latex" and len(exported.threads[0].messages) == 4)

    asked = chat.chat(ChatRequest(threadId=thread_id, message="Hello", include=["ids"]))
    good = FeedbackRequest(rating="good")
    feedback = FeedbackApi(client).give_feedback(thread_id, asked.ids.assistant, good).feedback
    step("feedback", feedback.rating == "good" and feedback.comment is None)

    handoff = HandoffApi(client)
    hold = handoff.hold_thread(thread_id, hold_thread_request=HoldThreadRequest(by="Ana")).hold
    message = handoff.add_message(thread_id, AddMessageRequest(content="Hello", author="Ana")).message
    returned = handoff.return_thread(thread_id)
    step("handoff", hold.by == "Ana" and message.role == "person" and returned.hold is None)

    webhooks = EventsApi(client)
    url = os.environ["BASE_URL"] + "/no-receiver"
    webhook = webhooks.create_webhook(CreateWebhookRequest(url=url, events=["thread.expired"])).webhook
    tested = webhooks.test_webhook(webhook.id)
    deleted = webhooks.delete_webhook(webhook.id).success
    step("webhook", webhook.events == ["thread.expired"] and not tested.accepted and deleted)

    question = CreateCompletionRequestMessagesInner(
        role="user", content=CreateCompletionRequestMessagesInnerContent("Hello")
    )
    completion = OpenAICompatibleApi(client).create_completion(
        CreateCompletionRequest(model="health-assistant", messages=[question])
    )
    step("completion", completion.choices[0].finish_reason == "stop")

    try:
        patients.create_patient(request)
    except ApiException as error:
        step("409", error.status == 409 and error.data.patient.id == patient.id)
    threads.delete_thread(thread_id)
    try:
        threads.get_thread(thread_id, include="metadata")
    except ApiException as error:
        step("404", error.status == 404 and error.data.error == "Thread not found or expired")

    threads.create_thread(create_thread_request=CreateThreadRequest(patientId=id))
    erased = patients.delete_patient(id).erased
    try:
        patients.get_patient(id)
    except ApiException as error:
        step("erase", error.status == 404 and erased.threads == 1)
