// Replaces `rapid-client.node`, the native addon of aws-lambda-ric, which would have to be compiled: the three calls of
// the Lambda Runtime API that the runtime client makes through it (AWS Lambda Developer Guide, "Using the Lambda
// runtime API"). The rest of the runtime client runs unmodified.
const http = require("node:http");

const [hostname, port] = process.env.AWS_LAMBDA_RUNTIME_API.split(":");
const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });

/** @type {Promise<unknown>} */
let lastPost = Promise.resolve();

function call(method, path, body, headers = {}) {
  return new Promise((resolve) => {
    const request = http.request(
      { hostname, port, agent, method, path: `/2018-06-01/runtime/invocation/${path}`, headers },
      (response) => {
        const chunks = [];
        response.on("data", (chunk) => chunks.push(chunk));
        response.on("end", () => resolve({ bodyJson: Buffer.concat(chunks).toString(), headers: response.headers }));
      },
    );
    // Without the Runtime API the environment has no more work: the local service has ended.
    request.on("error", () => process.exit(0));
    request.end(body);
  });
}

exports.next = async () => {
  await lastPost;
  return call("GET", "next");
};

exports.done = (id, body) => {
  lastPost = call("POST", `${id}/response`, body, { "content-type": "application/json" });
};

exports.error = (id, body) => {
  lastPost = call("POST", `${id}/error`, body, { "content-type": "application/json" });
};
