/**
 * Plain requests for a person, in the languages of the fixed texts. They are recognized without the model, which finds
 * the others: a pattern matches only what can hardly mean anything else. "Should I talk to a doctor?" is a question
 * about health, so the patterns name no professions.
 */
const REQUESTS: readonly RegExp[] = [
  // English
  /\b(?:talk|speak|chat|connect(?: me)?|transfer(?: me)?|put me through|hand(?: me)? over) (?:to|with) (?:an?|some) (?:real|actual|live|human)(?: (?:person|human|human being|agent|representative|people))?\b/,
  /\b(?:can|could|may|let|want|wanna|need|would like|'d like|like)(?: i| me| to)* (?:please )?(?:talk|speak|chat) (?:to|with) (?:a|another) (?:person|human(?: being)?)\b/,
  /\b(?:want|need|give me|get me) an? (?:real|actual|live) (?:person|human(?: being)?|agent)\b/,
  // Spanish, Portuguese, French, German
  /(?:quiero|quisiera|puedo|necesito|me gustaría) hablar con (?:una persona|un humano|un ser humano)/,
  /(?:quero|queria|posso|preciso|gostaria de) falar com (?:uma pessoa|um humano|um ser humano)/,
  /(?:veux|voudrais|peux|puis-je|aimerais) parler (?:à|avec) (?:une (?:vraie )?personne|un (?:être )?humain)/,
  /(?:mit|von) (?:einem|einer) (?:echten |richtigen )?(?:menschen|person) (?:sprechen|reden|schreiben)/,
  // Chinese, Vietnamese, Tagalog, Arabic, Korean, Russian
  /转人工|轉人工|人工客服|(?:跟|和|与|與)真人(?:说话|說話|谈|談|聊|沟通|溝通)/,
  /nói chuyện với (?:một )?(?:người thật|con người)/,
  /(?:makausap|kausapin|makipag-usap sa) (?:ng |ang )?(?:isang )?(?:totoong )?tao\b/,
  /(?:أريد|اريد|أود|اود|هل يمكنني) (?:التحدث|التكلم|أن أتحدث|ان اتحدث) (?:مع|إلى|الى) (?:شخص|إنسان|انسان)/,
  /(?:사람|상담원)(?:과|이랑|하고|이랑 좀) ?(?:직접 )?(?:이야기|얘기|통화|상담|대화)|(?:사람|상담원) ?(?:을 |를 )?연결해/,
  /(?:поговорить|связаться|пообщаться) с (?:живым |реальным |настоящим )?человеком/,
];

/** Whether a message plainly asks for a person instead of the AI. */
export function asksForPerson(message: string): boolean {
  const plain = message.toLowerCase().replaceAll("’", "'").replaceAll(/\s+/g, " ");
  return REQUESTS.some((request) => request.test(plain));
}
