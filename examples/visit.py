"""A patient's visit, from a script, with Python's standard library alone.

    npm start                  in one shell
    python3 examples/visit.py  in another

A client made by openapi-generator does the same with types ("Client libraries" in the reference); it is not used here
because making it takes Java, and this file is to run as it is.
"""

import json
import os
import urllib.error
import urllib.request
import uuid

BASE_URL = os.environ.get("BASE_URL", "http://127.0.0.1:3000/v1")
API_KEY = os.environ.get("API_KEY", "local-dev-key")


def send(method, path, body=None, **headers):
    """Returns the open response; its status may be that of an error."""
    request = urllib.request.Request(
        BASE_URL + path,
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={"X-API-Key": API_KEY, "Content-Type": "application/json", **headers},
    )
    try:
        return urllib.request.urlopen(request, timeout=35)
    except urllib.error.HTTPError as error:
        if error.status == 401:
            raise SystemExit("The service does not know the key: set API_KEY to one of its keys.")
        return error
    except urllib.error.URLError:
        raise SystemExit(f"{BASE_URL} cannot be reached: start the service, or correct BASE_URL.")


def call(method, path, body=None, **headers):
    with send(method, path, body, **headers) as response:
        return response.status, json.load(response)


def stream(thread_id, message):
    """Yields the pieces of the answer as they arrive."""
    headers = {"Accept": "text/event-stream", "Idempotency-Key": str(uuid.uuid4())}
    with send("POST", "/chat", {"threadId": thread_id, "message": message}, **headers) as response:
        if response.status != 200:
            lines = response.headers["x-help-lines"]  # whom to call: show it, the message may be about a danger
            raise RuntimeError(f'{json.load(response)["error"]} {lines}')
        event = ""
        for line in response:
            name, _, value = line.decode().rstrip("\n").partition(": ")
            if name == "event":
                event = value
            elif name == "data" and event == "delta":
                yield json.loads(value)["text"]
            elif name == "data" and event == "error":
                failure = json.loads(value)  # nothing was stored: discard what was shown
                raise RuntimeError(f'{failure["error"]}. {failure["help"]["text"]}')


status, body = call("POST", "/patients", {"name": "Maria Example", "phone_number": "(555) 123-4567", "age": 34,
                                          "gender": "female", "allergies": "penicillin"},
                    Prefer="handling=strict")  # or a misspelled field would be ignored
patient = body["patient"]  # a 409 has the existing patient
print("patient", status, patient["phone_number"])

_, thread = call("POST", "/threads", {"patientId": patient["id"]})
thread_id = thread["threadId"]
for message in ("Which vitamins do I need in winter?", "Is it enough to eat vegetables?"):
    print(">", message)
    for text in stream(thread_id, message):
        print(text, end="", flush=True)
    print()

print("messages", call("GET", f"/threads/{thread_id}")[1]["thread"]["messageCount"])
print("deleted", call("DELETE", f"/threads/{thread_id}")[1]["success"])
print("afterwards", *call("GET", f"/threads/{thread_id}"))
