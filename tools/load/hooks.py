"""What the fuzzer has to know about the service beyond its OpenAPI document: rules that no schema can express."""

import unicodedata

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
    if not isinstance(case.body, dict):
        return
    exact = with_exact_numbers(case.body)
    if exact != case.body:
        case.body = exact
    body, label = case.body, case.operation.label
    if label == "POST /chat" and isinstance(body.get("message"), str) and not is_visible(body["message"]):
        body["message"] = "hello"
    if label == "POST /chat" and "threadId" in body:
        # Another patient than the thread's is a 400.
        omit(body, "patientId", lambda value: isinstance(value, str))
        omit(body, "phone", lambda value: isinstance(value, str))
    facts = body.get("patientData")
    for name in ("conditions", "allergies"):
        if label == "POST /chat" and isinstance(facts, dict) and isinstance(facts.get(name), list):
            # A fact is a string or an object.
            facts[name] = [fact if isinstance(fact, (str, dict)) else "" for fact in facts[name]]
    if label == "POST /chat" and isinstance(facts, dict) and isinstance(facts.get("medications"), list):
        for medication in facts["medications"]:
            # A medication has a name.
            if isinstance(medication, dict) and isinstance(medication.get("name"), str) and not is_visible(medication["name"]):
                medication["name"] = "aspirin"
    if label == "POST /patients" and "phone_number" not in body and is_blank(body.get("name", "")):
        # A patient needs a name or a phone number.
        body["name"] = "Pat Example"
    if label == "POST /patients/search" and not is_one_search(body):
        # A search is for one thing.
        case.body = {"phone_number": "5550100199"}
    if label == "PATCH /patients/{id}":
        # A patient needs a name or a phone number, so the last one cannot be removed.
        omit(body, "name", lambda value: value is None or is_blank(value))
        omit(body, "phone_number", lambda value: value is None)


def is_one_search(body):
    """Whether a search is for a phone number, an identifier, or a name with a date of birth; a wrong type is another fault."""
    ways = [name in body for name in ("phone_number", "identifier")] + ["name" in body or "birth_date" in body]
    return sum(ways) == 1 and ("name" in body) == ("birth_date" in body)


def with_exact_numbers(value):
    """Free-form data has no integers that a double rounds (RFC 8259, section 6)."""
    if isinstance(value, dict):
        return {name: with_exact_numbers(part) for name, part in value.items()}
    if isinstance(value, list):
        return [with_exact_numbers(part) for part in value]
    is_inexact = isinstance(value, int) and not isinstance(value, bool) and abs(value) > 2**53 - 1
    return 0 if is_inexact else value


def is_visible(message):
    """Whether a message has a character in a common category: the service knows the invisible ones of the others, too."""
    return any(unicodedata.category(character)[0] in "LNPS" and character not in INVISIBLE for character in message)


# Letters and symbols that show nothing: fillers of Hangul, and the empty pattern of Braille.
INVISIBLE = "\u115f\u1160\u3164\uffa0\u2800"


def is_blank(value):
    return isinstance(value, str) and not value.strip()


def omit(body, name, is_rejected):
    if name in body and is_rejected(body[name]):
        del body[name]
