// Uses the generated client; prints a line per step that went as it should.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	openapi "github.com/GIT_USER_ID/GIT_REPO_ID"
)

func step(name string, ok bool) {
	if ok {
		fmt.Println(name)
	}
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// bodyOf returns the decoded body of an error.
func bodyOf(err error) any {
	var failure *openapi.GenericOpenAPIError
	if !errors.As(err, &failure) {
		panic(err)
	}
	return failure.Model()
}

func main() {
	configuration := openapi.NewConfiguration()
	configuration.Servers = openapi.ServerConfigurations{{URL: os.Getenv("BASE_URL")}}
	client := openapi.NewAPIClient(configuration)
	patients, threads, chat := client.PatientsAPI, client.ThreadsAPI, client.ChatAPI
	keys := map[string]openapi.APIKey{"ApiKeyHeader": {Key: os.Getenv("API_KEY")}}
	ctx := context.WithValue(context.Background(), openapi.ContextAPIKeys, keys)

	request := openapi.CreatePatientRequest{
		Name: openapi.PtrString("Pat Example"), PhoneNumber: &os.Args[1],
		Age: openapi.PtrFloat64(34), Gender: openapi.PtrString("x"),
	}
	created, _, err := patients.CreatePatient(ctx).CreatePatientRequest(request).Execute()
	check(err)
	id := created.Patient.Id
	read, _, err := patients.GetPatient(ctx, id).Execute()
	check(err)
	step("patient", read.Patient.CreatedAt.Equal(created.Patient.CreatedAt))

	opening := openapi.CreateThreadRequest{PatientId: &id}
	thread, _, err := threads.CreateThread(ctx).CreateThreadRequest(opening).Execute()
	check(err)
	message := openapi.ChatRequest{Message: "Hello", ThreadId: &thread.ThreadId}
	answer, _, err := chat.Chat(ctx).ChatRequest(message).Execute()
	check(err)
	step("chat", answer.Success && answer.GetMessageCount() == 2)

	list, _, err := threads.ListMessages(ctx, thread.ThreadId).Limit(1).Execute()
	check(err)
	step("lists", len(list.Messages) == 1 && list.HasMore)

	_, taken, err := patients.CreatePatient(ctx).CreatePatientRequest(request).Execute()
	conflict, isConflict := bodyOf(err).(openapi.ConflictError)
	step("409", taken.StatusCode == 409 && isConflict && conflict.Patient.Id == id)

	_, _, err = threads.DeleteThread(ctx, thread.ThreadId).Execute()
	check(err)
	_, gone, err := threads.GetThread(ctx, thread.ThreadId).Include("metadata").Execute()
	missing, isMissing := bodyOf(err).(openapi.PlainError)
	step("404", gone.StatusCode == 404 && isMissing && missing.Error == "Thread not found or expired")

	erasure, _, err := patients.DeletePatient(ctx, id).Execute()
	check(err)
	_, erased, err := patients.GetPatient(ctx, id).Execute()
	step("erase", erasure.Success && err != nil && erased.StatusCode == 404)
}
