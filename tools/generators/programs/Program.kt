import org.openapitools.client.apis.ChatApi
import org.openapitools.client.apis.PatientsApi
import org.openapitools.client.apis.ThreadsApi
import org.openapitools.client.infrastructure.ApiClient
import org.openapitools.client.infrastructure.ClientError
import org.openapitools.client.infrastructure.ClientException
import org.openapitools.client.models.ChatRequest
import org.openapitools.client.models.CreatePatientRequest
import org.openapitools.client.models.CreateThreadRequest

fun step(name: String, ok: Boolean) {
  if (ok) println(name)
}

/** The status and the body of a call that is to fail. */
fun failure(call: () -> Any): Pair<Int, String> =
    try {
      throw IllegalStateException("${call()}")
    } catch (error: ClientException) {
      error.statusCode to "${(error.response as ClientError<*>).body}"
    }

/** Uses the generated client; prints a line per step that went as it should. */
object Program {
  @JvmStatic
  fun main(args: Array<String>) {
    val baseUrl = System.getenv("BASE_URL")
    ApiClient.apiKey["X-API-Key"] = System.getenv("API_KEY")
    val patients = PatientsApi(baseUrl)
    val threads = ThreadsApi(baseUrl)

    val request = CreatePatientRequest(name = "Pat Example", phoneNumber = args[0], age = 34.0, gender = "x")
    val patient = patients.createPatient(request).patient
    step("patient", patients.getPatient(patient.id).patient.createdAt == patient.createdAt)

    val opening = CreateThreadRequest(patientId = patient.id)
    val threadId = threads.createThread(createThreadRequest = opening).threadId
    val answer = ChatApi(baseUrl).chat(ChatRequest(message = "Hello", threadId = threadId))
    step("chat", answer.success && answer.messageCount == 2)

    val list = threads.listMessages(threadId, limit = 1)
    step("lists", list.messages.size == 1 && list.hasMore)

    val (taken, conflict) = failure { patients.createPatient(request) }
    step("409", taken == 409 && patient.id in conflict)

    threads.deleteThread(threadId)
    val (gone, missing) = failure { threads.getThread(threadId) }
    step("404", gone == 404 && "Thread not found or expired" in missing)

    val erased = patients.deletePatient(patient.id).success
    step("erase", erased && failure { patients.getPatient(patient.id) }.first == 404)
    System.exit(0) // okhttp's threads would keep the process for a minute
  }
}
