<?php

// Uses the generated client; prints a line per step that went as it should.

require __DIR__ . '/vendor/autoload.php';

use OpenAPI\Client\Api\ChatApi;
use OpenAPI\Client\Api\PatientsApi;
use OpenAPI\Client\Api\ThreadsApi;
use OpenAPI\Client\ApiException;
use OpenAPI\Client\Configuration;
use OpenAPI\Client\Model\ChatRequest;
use OpenAPI\Client\Model\CreatePatientRequest;
use OpenAPI\Client\Model\CreateThreadRequest;

function step(string $name, bool $ok): void
{
    if ($ok) {
        echo "$name\n";
    }
}

/** The exception of a call that is to fail. */
function failure(callable $call): ApiException
{
    try {
        $call();
    } catch (ApiException $error) {
        return $error;
    }
    throw new LogicException('The call succeeded.');
}

$configuration = (new Configuration())->setHost(getenv('BASE_URL'))->setApiKey('X-API-Key', getenv('API_KEY'));
$http = new GuzzleHttp\Client();
$patients = new PatientsApi($http, $configuration);
$threads = new ThreadsApi($http, $configuration);
$chat = new ChatApi($http, $configuration);

$request = new CreatePatientRequest([
    'name' => 'Pat Example', 'phone_number' => $argv[1], 'age' => 34, 'gender' => 'x',
]);
$patient = $patients->createPatient($request)->getPatient();
$id = $patient->getId();
step('patient', $patients->getPatient($id)->getPatient()->getCreatedAt() == $patient->getCreatedAt());

$opening = new CreateThreadRequest(['patient_id' => $id]);
$threadId = $threads->createThread(create_thread_request: $opening)->getThreadId();
$answer = $chat->chat(new ChatRequest(['message' => 'Hello', 'thread_id' => $threadId]));
step('chat', $answer->getSuccess() && $answer->getMessageCount() === 2);

$list = $threads->listMessages($threadId, 1);
step('lists', count($list->getMessages()) === 1 && $list->getHasMore());

$taken = failure(fn() => $patients->createPatient($request));
step('409', $taken->getCode() === 409 && $taken->getResponseObject()->getPatient()->getId() === $id);

$threads->deleteThread($threadId);
$gone = failure(fn() => $threads->getThread($threadId));
step('404', $gone->getCode() === 404 && $gone->getResponseObject()->getError() === 'Thread not found or expired');

$erased = $patients->deletePatient($id)->getSuccess();
step('erase', $erased && failure(fn() => $patients->getPatient($id))->getCode() === 404);
