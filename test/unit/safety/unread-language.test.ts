import { describe, expect, test } from "@jest/globals";
import { screen } from "../../../shared/safety/screen.ts";
import { isUnreadLanguage } from "../../../shared/safety/unread-language.ts";
import { trainingSources } from "../../../tools/safety/labeled.ts";

const isUnread = (message: string) => isUnreadLanguage(message, screen(message).language);

describe("a message in a language without rules is recognized as such", () => {
  test.each([
    ["Italian", "da tre giorni mi brucia lo stomaco quando mangio qualcosa"],
    ["Italian", "mia nonna non trova piu le sue pastiglie per la pressione"],
    ["Swedish", "Jag har ont i magen sedan igår"],
    ["Swedish", "hur ofta far jag ta min medicin mot allergi"],
    ["Polish", "Boli mnie brzuch od wczoraj"],
    ["Polish", "czy po szczepieniu moge isc na basen z dzieckiem"],
    ["Turkish", "karnım dünden beri ağrıyor"],
    ["Turkish", "kan tahlili icin ac karnina mi gelmem gerekiyor"],
    ["Hindi in Latin letters", "meri dadi ke ghutne mein bahut dard rehta hai"],
    ["Hindi in Latin letters", "kya main yeh goli khane ke baad le sakti hoon"],
    ["Dutch", "mijn buik doet al drie dagen pijn"],
    ["Indonesian", "kaki saya gatal sekali setelah digigit nyamuk"],
    ["Romanian", "de doua zile ma ustura ochii si imi curge nasul"],
    ["Czech", "po jídle se mi točí hlava a je mi špatně"],
    ["Hungarian", "két napja nagyon fáj a torkom és köhögök"],
    ["Finnish", "olkapää on ollut kipeä koko viikon töiden jälkeen"],
    ["Ukrainian", "у мене третій день болить горло і нежить"],
    ["Persian", "پای مادرم چند روز است که ورم کرده"],
    ["Hindi", "पेट में दर्द है"],
    ["Thai", "ปวดท้องมากตั้งแต่เมื่อวาน"],
    ["Japanese", "お腹が痛いです"],
    ["Greek", "πονάει το γόνατό μου όταν ανεβαίνω σκάλες"],
    ["Hebrew", "יש לי כאב ראש מאתמול בערב"],
  ])("%s: %s", async (_, message) => {
    expect(await isUnread(message)).toBe(true);
  });
});

describe("a message in a language with rules, or with no sign of its language, is not", () => {
  test.each([
    "?",
    "ok",
    "120/80",
    "ibuprofen 400 mg",
    "👍",
    "refill pls",
    "can u refill my lisinopril asap",
    "order-3fa0b2c77d1e",
    "hola, necesito una cita para mi hijo el lunes",
    "você pode me dizer o horário da clínica",
    "bonjour, je voudrais renouveler mon ordonnance",
    "ich brauche ein neues Rezept für meine Tabletten",
    "tôi muốn đặt lịch khám vào tuần sau",
    "pwede po bang magpa-check up bukas ng umaga",
    "أريد موعدا مع الطبيب غدا",
    "我想预约下周的体检",
    "다음 주에 진료 예약하고 싶어요",
    "можно записаться к врачу на завтра",
  ])("%s", async (message) => {
    expect(await isUnread(message)).toBe(false);
  });
});

test("fewer than one in a hundred labeled English messages are taken for another language", async () => {
  const messages = trainingSources()
    .flatMap((source) => source.messages)
    .filter((_, index) => index % 10 === 0);
  const unread = await Promise.all(messages.map(({ text }) => isUnread(text)));
  expect(unread.filter(Boolean).length / messages.length).toBeLessThan(0.01);
});
