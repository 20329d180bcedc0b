"""Uses the generated client; prints a line per step that went as it should."""

import os
import sys

from openapi_client import ApiClient, ApiException, ChatApi, Configuration, PatientsApi, ThreadsApi
from openapi_client.models import ChatRequest, CreatePatientRequest, CreateThreadRequest, PatientData


def step(name, ok):
    if ok:
        print(name)


configuration = Configuration(host=os.environ["BASE_URL"], api_key={"ApiKeyHeader": os.environ["API_KEY"]})
with ApiClient(configuration) as client:
    patients, threads, chat = PatientsApi(client), ThreadsApi(client), ChatApi(client)

    request = CreatePatientRequest(name="Pat Example", phone_number=sys.argv[1], age=34, gender="x")
    patient = patients.create_patient(request).patient
    step("patient", patients.get_patient(str(patient.id)).patient.created_at == patient.created_at)

    thread_id = threads.create_thread(CreateThreadRequest(patientId=str(patient.id))).thread_id
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

    threads.delete_thread(thread_id)
    try:
        threads.get_thread(thread_id)
    except ApiException as error:
        step("404", error.status == 404 and error.data.error == "Thread not found or expired")
    try:
        patients.create_patient(request)
    except ApiException as error:
        step("409", error.status == 409 and error.data.patient.id == patient.id)
