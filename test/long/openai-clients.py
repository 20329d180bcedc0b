"""Talks to a local service with OpenAI's SDK and with LangChain, and prints what it gets."""

import json
import os

from langchain_openai import ChatOpenAI
from openai import APIStatusError, OpenAI

ALERT = "crushing chest pain and my left arm is numb, sweating"
connection = {"base_url": os.environ["BASE_URL"] + "/openai/v1", "api_key": os.environ["API_KEY"]}
client = OpenAI(**connection)
langchain = ChatOpenAI(**connection, model="health-assistant", stream_usage=True)


def ask(content, **more):
    messages = [{"role": "user", "content": content}]
    return client.chat.completions.create(model="health-assistant", messages=messages, **more)


def rejected(call):
    try:
        call()
    except APIStatusError as error:
        return [error.status_code, error.param or error.code]


chunks = list(ask("hello", stream=True, stream_options={"include_usage": True}))
pieces = list(langchain.stream("hello"))
print(
    json.dumps(
        {
            "models": [model.id for model in client.models.list()],
            "chat": ask("hello").choices[0].message.content,
            "stream": "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices),
            "usage": chunks[-1].usage.total_tokens,
            "error": rejected(lambda: ask("hello", n=2)),
            "model": client.models.retrieve("health-assistant").id,
            "responses": rejected(lambda: client.responses.create(model="health-assistant", input="hello")),
            "alert": ask(ALERT).choices[0].message.content,
            "LangChain, chat": langchain.invoke([("system", "You are kind."), ("user", "hello")]).content,
            "LangChain, stream": "".join(piece.content for piece in pieces),
            "LangChain, usage": sum(piece.usage_metadata["total_tokens"] for piece in pieces if piece.usage_metadata),
            "LangChain, alert": langchain.invoke(ALERT).content,
        }
    )
)
