"""Says of each request on standard input whether botocore computes the same signature, and the same hash of its body."""

import hashlib
import json
import re
import sys

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials


def checked(request, region, secret):
    headers = request["headers"]
    pattern = r"Credential=([^/]+)/.*SignedHeaders=([\w;-]+), Signature=([0-9a-f]{64})$"
    key_id, names, signature = re.search(pattern, headers["authorization"]).groups()
    signed = {name: headers[name] for name in names.split(";")}
    url = f"http://{headers['host']}{request['path']}"
    copy = AWSRequest(method=request["method"], url=url, data=request["body"], headers=signed)
    copy.context["timestamp"] = headers["x-amz-date"]
    signer = SigV4Auth(Credentials(key_id, secret), "bedrock", region)
    computed = signer.signature(signer.string_to_sign(copy, signer.canonical_request(copy)), copy)
    digest = hashlib.sha256(request["body"].encode()).hexdigest()
    return {
        "signature": computed == signature,
        "body": headers.get("x-amz-content-sha256", digest) == digest,
    }


given = json.load(sys.stdin)
print(json.dumps([checked(request, given["region"], given["secret"]) for request in given["requests"]]))
