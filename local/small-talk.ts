/** What people say for a greeting and for thanks, without punctuation and in lower case, and what is answered. */
interface SmallTalk {
  greetings: string[];
  thanks: string[];
  hello: string;
  welcome: string;
}

/**
 * In each language of the safety screen. Words that are also a farewell ("ciao", "buenas noches") and those that can
 * answer a question ("ok") are missing on purpose: after a crisis, either may show a danger.
 */
const SMALL_TALK: Record<string, SmallTalk> = {
  en: {
    greetings: ["hello", "hello there", "hi", "hi there", "hey", "good morning", "good afternoon", "good evening"],
    thanks: ["thanks", "thanks a lot", "many thanks", "thank you", "thank you very much", "thank you so much"],
    hello: "Hello! I am a script without an AI, so I have answers to a few questions only.",
    welcome: "You are welcome. Write again whenever you like.",
  },
  es: {
    greetings: ["hola", "buenos días", "buenos dias", "buenas tardes"],
    thanks: ["gracias", "muchas gracias"],
    hello: "¡Hola! Soy un guion sin IA y solo tengo respuestas a unas pocas preguntas.",
    welcome: "De nada. Escriba de nuevo cuando quiera.",
  },
  pt: {
    greetings: ["olá", "ola", "oi", "bom dia", "boa tarde"],
    thanks: ["obrigado", "obrigada", "muito obrigado", "muito obrigada"],
    hello: "Olá! Sou um roteiro sem IA e só tenho respostas a algumas perguntas.",
    welcome: "De nada. Escreva de novo quando quiser.",
  },
  fr: {
    greetings: ["bonjour", "bonsoir"],
    thanks: ["merci", "merci beaucoup"],
    hello: "Bonjour ! Je suis un script sans IA et je n'ai de réponses qu'à quelques questions.",
    welcome: "Je vous en prie. Écrivez de nouveau quand vous voulez.",
  },
  de: {
    greetings: ["hallo", "guten morgen", "guten tag", "guten abend"],
    thanks: ["danke", "danke schön", "vielen dank"],
    hello: "Hallo! Ich bin ein Skript ohne KI und habe nur auf wenige Fragen eine Antwort.",
    welcome: "Gern geschehen. Schreiben Sie wieder, wann immer Sie möchten.",
  },
  zh: {
    greetings: ["你好", "您好"],
    thanks: ["谢谢", "谢谢你", "谢谢您"],
    hello: "您好！我只是没有人工智能的脚本，只能回答少数几个问题。",
    welcome: "不客气。您可以随时再写信息给我。",
  },
  "zh-Hant": {
    greetings: ["妳好"],
    thanks: ["謝謝", "謝謝你", "謝謝您"],
    hello: "您好！我只是沒有人工智慧的腳本，只能回答少數幾個問題。",
    welcome: "不客氣。您可以隨時再寫訊息給我。",
  },
  vi: {
    greetings: ["xin chào", "chào bạn"],
    thanks: ["cảm ơn", "cám ơn", "cảm ơn bạn"],
    hello: "Xin chào! Tôi là một kịch bản không có AI và chỉ có câu trả lời cho vài câu hỏi.",
    welcome: "Không có gì. Bạn cứ viết lại bất cứ lúc nào.",
  },
  tl: {
    greetings: ["kumusta", "kamusta", "magandang umaga", "magandang hapon", "magandang gabi"],
    thanks: ["salamat", "maraming salamat", "salamat po"],
    hello: "Kumusta! Isa akong script na walang AI, kaya iilang tanong lang ang masasagot ko.",
    welcome: "Walang anuman. Sumulat ka ulit kung kailan mo gusto.",
  },
  ar: {
    greetings: ["مرحبا", "مرحباً", "السلام عليكم", "صباح الخير", "مساء الخير"],
    thanks: ["شكرا", "شكراً", "شكرا جزيلا", "شكراً جزيلاً"],
    hello: "مرحبًا! أنا نص معد مسبقًا بلا ذكاء اصطناعي، ولدي أجوبة عن أسئلة قليلة فقط.",
    welcome: "على الرحب والسعة. اكتب مرة أخرى متى شئت.",
  },
  ko: {
    greetings: ["안녕하세요"],
    thanks: ["감사합니다", "고맙습니다", "고마워요"],
    hello: "안녕하세요! 저는 AI가 없는 스크립트라서 몇 가지 질문에만 답할 수 있습니다.",
    welcome: "천만에요. 언제든지 다시 써 주세요.",
  },
  ru: {
    greetings: ["привет", "здравствуйте", "добрый день", "доброе утро", "добрый вечер"],
    thanks: ["спасибо", "большое спасибо", "спасибо большое"],
    hello: "Здравствуйте! Я сценарий без ИИ и отвечаю только на несколько вопросов.",
    welcome: "Пожалуйста. Пишите снова, когда захотите.",
  },
};

/** Returns the answer to a message that is a greeting or thanks and nothing else; undefined for any other. */
export function smallTalkAnswer(message: string): string | undefined {
  const said = message
    .normalize("NFC")
    .toLowerCase()
    .replaceAll(/[\p{P}\s]+/gu, " ")
    .trim();
  for (const { greetings, thanks, hello, welcome } of Object.values(SMALL_TALK)) {
    if (greetings.includes(said)) {
      return hello;
    }
    if (thanks.includes(said)) {
      return welcome;
    }
  }
  return undefined;
}
