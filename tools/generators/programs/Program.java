import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.List;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.ChatApi;
import org.openapitools.client.api.PatientsApi;
import org.openapitools.client.api.ThreadsApi;
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
        new CreatePatientRequest().name("Pat Example").phoneNumber(args[0]).age(new java.math.BigDecimal(34)).gender("x");
    CreatedPatient patient = patients.createPatient(request).getPatient();
    step("patient", patients.getPatient(patient.getId().toString()).getPatient().getCreatedAt().equals(patient.getCreatedAt()));

    String threadId = threads.createThread(new CreateThreadRequest().patientId(patient.getId().toString())).getThreadId();
    ChatResponse answer = chat.chat(new ChatRequest().threadId(threadId).message("Hello"), null);
    step("chat", Boolean.TRUE.equals(answer.getSuccess()) && answer.getMessageCount() == 2);

    PatientData data = new PatientData().conditions(List.of("asthma"));
    okhttp3.Request streamed = chat
        .chatCall(new ChatRequest().threadId(threadId).message("Hello again").patientData(data), "key-1", null)
        .request().newBuilder().header("Accept", "text/event-stream").build();
    try (okhttp3.Response response = client.getHttpClient().newCall(streamed).execute()) {
      BufferedReader lines = new BufferedReader(new InputStreamReader(response.body().byteStream()));
      List<String> events = lines.lines().filter(line -> line.startsWith("event: ")).toList();
      step("stream", events.size() > 2 && events.get(0).equals("event: delta") && events.get(events.size() - 1).equals("event: done"));
    }

    threads.deleteThread(threadId);
    try {
      threads.getThread(threadId);
    } catch (ApiException error) {
      step("404", error.getCode() == 404 && PlainError.fromJson(error.getResponseBody()).getError().equals("Thread not found or expired"));
    }
    try {
      patients.createPatient(request);
    } catch (ApiException error) {
      step("409", error.getCode() == 409 && ConflictError.fromJson(error.getResponseBody()).getPatient().getId().equals(patient.getId()));
    }
    System.exit(0); // okhttp's threads would keep the process for a minute
  }

  private static void step(String name, boolean ok) {
    if (ok) System.out.println(name);
  }
}
