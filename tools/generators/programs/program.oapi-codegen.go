// Uses the client that oapi-codegen makes; prints a line per step that went as it should.
package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"generated/api"
)

func step(name string, ok bool) {
	if ok {
		fmt.Println(name)
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func header(name, value string) api.RequestEditorFn {
	return func(_ context.Context, request *http.Request) error {
		request.Header.Set(name, value)
		return nil
	}
}

func main() {
	ctx, name, age, gender := context.Background(), "Pat Example", float64(34), "x"
	key := api.WithRequestEditorFn(header("X-API-Key", os.Getenv("API_KEY")))
	client := must(api.NewClientWithResponses(os.Getenv("BASE_URL"), key))

	request := api.CreatePatientRequest{Name: &name, PhoneNumber: &os.Args[1], Age: &age, Gender: &gender}
	created := must(client.CreatePatientWithResponse(ctx, nil, request)).JSON201
	id := created.Patient.Id
	read := must(client.GetPatientWithResponse(ctx, id, nil)).JSON200
	step("patient", read.Patient.CreatedAt.Equal(created.Patient.CreatedAt))

	opening := api.CreateThreadRequest{PatientId: &id}
	threadId := must(client.CreateThreadWithResponse(ctx, nil, opening)).JSON201.ThreadId
	message := api.ChatRequest{Message: "Hello", ThreadId: &threadId}
	answer := must(client.ChatWithResponse(ctx, nil, message)).JSON200
	step("chat", answer.Success && *answer.MessageCount == 2)

	stream := must(client.Chat(ctx, nil, message, header("Accept", "text/event-stream")))
	events := string(must(io.ReadAll(stream.Body)))
	step("stream", strings.HasPrefix(events, "event: delta\n") && strings.Contains(events, "\nevent: done\n"))

	limit := 1
	list := must(client.ListMessagesWithResponse(ctx, threadId, &api.ListMessagesParams{Limit: &limit})).JSON200
	step("lists", len(list.Messages) == 1 && list.HasMore)

	conflict := must(client.CreatePatientWithResponse(ctx, nil, request)).JSON409
	step("409", conflict != nil && conflict.Patient.Id == id)

	must(client.DeleteThreadWithResponse(ctx, threadId))
	missing := must(client.GetThreadWithResponse(ctx, threadId, nil)).JSON404
	step("404", missing != nil && missing.Error == "Thread not found or expired")

	erasure := must(client.DeletePatientWithResponse(ctx, id, nil)).JSON200
	erased := must(client.GetPatientWithResponse(ctx, id, nil)).StatusCode()
	step("erase", erasure.Success && erased == 404)
}
