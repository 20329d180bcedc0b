"""What the fuzzer has to know about the service beyond its OpenAPI document: rules that no schema can express."""

import schemathesis


# Links to a chat name the thread or the patient in the body. The document describes this in words, because
# openapi-generator reads the body of a link only as a string.
CHATS = {
    "POST /threads": {"threadId": "$response.body#/threadId"},
    "GET /threads/{id}": {"threadId": "$response.body#/thread/threadId"},
    "POST /chat": {"threadId": "$response.body#/threadId"},
    "POST /patients": {"patientId": "$response.body#/patient/id"},
}


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """Adds the bodies of links to a chat, so that the fuzzer chats on threads that exist, and leaves out what it misreads."""
    for label, body in CHATS.items():
        method, path = label.lower().split(" ")
        for response in raw_schema["paths"][path][method]["responses"].values():
            for link in response.get("links", {}).values():
                if link["operationId"] == "chat":
                    link["requestBody"] = body
    for path, methods in raw_schema["paths"].items():
        for operation in methods.values():
            # One of two headers with the key is enough there. The fuzzer makes one invalid, and still sends the other.
            if path.startswith("/openai/"):
                operation["security"] = [{"ApiKeyHeader": []}]
            # OpenAPI 3.1 describes a stream as one text; the fuzzer compares each event with that.
            for response in operation["responses"].values():
                response.get("content", {}).get("text/event-stream", {}).pop("schema", None)


@schemathesis.hook
def before_call(context, case, kwargs):
    """Takes out of a body what is invalid only because of what is stored, or of a rule that the document has in words."""
    body, label = case.body, case.operation.label
    if not isinstance(body, dict):
        return
    if label == "POST /chat" and "threadId" in body:
        # Another patient than the thread's is a 400.
        omit(body, "patientId", lambda value: isinstance(value, str))
        omit(body, "phone", lambda value: isinstance(value, str))
    facts = body.get("patientData")
    for name in ("conditions", "allergies"):
        if label == "POST /chat" and isinstance(facts, dict) and isinstance(facts.get(name), list):
            # A fact is a string or an object.
            facts[name] = [fact if isinstance(fact, (str, dict)) else "" for fact in facts[name]]
    if label == "POST /patients" and "phone_number" not in body and is_blank(body.get("name", "")):
        # A patient needs a name or a phone number.
        body["name"] = "Pat Example"
    if label == "PATCH /patients/{id}":
        # A patient needs a name or a phone number, so the last one cannot be removed.
        omit(body, "name", lambda value: value is None or is_blank(value))
        omit(body, "phone_number", lambda value: value is None)


def is_blank(value):
    return isinstance(value, str) and not value.strip()


def omit(body, name, is_rejected):
    if name in body and is_rejected(body[name]):
        del body[name]
