import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.List;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.*;
import org.openapitools.client.auth.ApiKeyAuth;
import org.openapitools.client.model.*;

/** Uses the generated client; prints a line per step that went as it should. */
public class Program {
  public static void main(String[] args) throws Exception {
    ApiClient client = new ApiClient();
    client.setBasePath(System.getenv("BASE_URL"));
    ((ApiKeyAuth) client.getAuthentication("ApiKeyHeader")).setApiKey(System.getenv("API_KEY"));
    PatientsApi patients = new PatientsApi(client);
    ThreadsApi threads = new ThreadsApi(client);
    ChatApi chat = new ChatApi(client);

    CreatePatientRequest request =
        new CreatePatientRequest().name("Pat Example").phoneNumber(args[0]).age(34.0).gender("x");
    CreatedPatient patient = patients.createPatient(request).execute().getPatient();
    String id = patient.getId();
    var read = patients.getPatient(id).executeWithHttpInfo();
    step("patient", read.getData().getPatient().getCreatedAt().equals(patient.getCreatedAt()));

    var opening = threads.createThread().createThreadRequest(new CreateThreadRequest().patientId(id)).idempotencyKey("open-" + id);
    String threadId = opening.execute().getThreadId();
    var repeated = opening.executeWithHttpInfo();
    step("repeat", repeated.getData().getThreadId().equals(threadId) && repeated.getHeaders().containsKey("idempotent-replayed"));

    ChatResult answer = chat.chat(new ChatRequest().threadId(threadId).message("Hello")).execute();
    step("chat", Boolean.TRUE.equals(answer.getSuccess()) && answer.getMessageCount() == 2);

    PatientData data = new PatientData().conditions(List.of("asthma"));
    okhttp3.Request streamed = chat
        .chat(new ChatRequest().threadId(threadId).message("Hello again").patientData(data)).idempotencyKey("key-1")
        .buildCall(null).request().newBuilder().header("Accept", "text/event-stream").build();
    try (okhttp3.Response response = client.getHttpClient().newCall(streamed).execute()) {
      BufferedReader lines = new BufferedReader(new InputStreamReader(response.body().byteStream()));
      List<String> events = lines.lines().filter(line -> line.startsWith("event: ")).toList();
      step("stream", events.size() > 2 && events.get(0).equals("event: delta") && events.get(events.size() - 1).equals("event: done"));
    }

    List<ThreadMessage> newest = threads.listMessages(threadId).limit(3).execute().getMessages();
    var oldest = threads.listMessages(threadId).before(newest.get(2).getId()).execute();
    var open = patients.listPatientThreads(id).execute().getThreads();
    step("lists", oldest.getMessages().size() == 1 && oldest.getMessages().get(0).getContent().equals("Hello")
        && !oldest.getHasMore() && open.size() == 1 && open.get(0).getThreadId().equals(threadId));

    String etag = read.getHeaders().get("etag").get(0);
    var correction = patients.updatePatient(id, new UpdatePatientRequest().allergies("latex")).ifMatch(etag);
    boolean corrected = correction.execute().getPatient().getAllergies().equals("latex");
    try {
      correction.execute();
    } catch (ApiException error) {
      step("412", corrected && error.getCode() == 412);
    }

    SearchPatientsRequest number = new SearchPatientsRequest().phoneNumber("+1 " + args[0]);
    step("search", patients.searchPatients(number).execute().getPatients().get(0).getId().equals(patient.getId()));
    ExportPatientResult exported = patients.exportPatient(id).execute();
    step("export", exported.getPatient().getAllergies().equals("latex") && exported.getThreads().get(0).getMessages().size() == 4);

    ChatResult asked = chat.chat(
        new ChatRequest().threadId(threadId).message("Hello").include(List.of(ChatRequest.IncludeEnum.IDS))).execute();
    var good = new FeedbackRequest().rating(FeedbackRequest.RatingEnum.GOOD);
    Feedback feedback = new FeedbackApi(client).giveFeedback(threadId, asked.getIds().getAssistant(), good).execute().getFeedback();
    step("feedback", feedback.getRating() == Feedback.RatingEnum.GOOD && feedback.getComment() == null);

    HandoffApi handoff = new HandoffApi(client);
    var hold = handoff.holdThread(threadId).holdThreadRequest(new HoldThreadRequest().by("Ana")).execute().getHold();
    var message = handoff.addMessage(threadId, new AddMessageRequest().content("Hello").author("Ana")).execute().getMessage();
    Object returned = handoff.returnThread(threadId).execute().getHold();
    step("handoff", hold.getBy().equals("Ana") && message.getAuthor().equals("Ana") && returned == null);

    EventsApi webhooks = new EventsApi(client);
    var receiver = new CreateWebhookRequest().url(System.getenv("BASE_URL") + "/no-receiver")
        .events(List.of(CreateWebhookRequest.EventsEnum.THREAD_EXPIRED));
    String webhook = webhooks.createWebhook(receiver).execute().getWebhook().getId();
    boolean accepted = webhooks.testWebhook(webhook).execute().getAccepted();
    step("webhook", !accepted && webhooks.deleteWebhook(webhook).execute().getSuccess());

    var question = new CreateCompletionRequestMessagesInner().role(CreateCompletionRequestMessagesInner.RoleEnum.USER)
        .content(new CreateCompletionRequestMessagesInnerContent("Hello"));
    var completion = new OpenAiCompatibleApi(client)
        .createCompletion(new CreateCompletionRequest().model("health-assistant").messages(List.of(question))).execute();
    step("completion", completion.getChoices().get(0).getMessage().getContent() != null);

    try {
      patients.createPatient(request).execute();
    } catch (ApiException error) {
      step("409", error.getCode() == 409 && ConflictError.fromJson(error.getResponseBody()).getPatient().getId().equals(patient.getId()));
    }
    threads.deleteThread(threadId).execute();
    try {
      threads.getThread(threadId).include("metadata").execute();
    } catch (ApiException error) {
      step("404", error.getCode() == 404 && PlainError.fromJson(error.getResponseBody()).getError().equals("Thread not found or expired"));
    }

    opening.idempotencyKey(null).execute();
    boolean erased = patients.deletePatient(id).execute().getErased().getThreads() == 1;
    try {
      patients.getPatient(id).execute();
    } catch (ApiException error) {
      step("erase", erased && error.getCode() == 404);
    }
    System.exit(0); // okhttp's threads would keep the process for a minute
  }

  private static void step(String name, boolean ok) {
    if (ok) System.out.println(name);
  }
}
