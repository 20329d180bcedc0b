import { useState } from "react";

/** Asks the patient to agree to what happens with a message, which the service has refused until then. */
export function ConsentStep({ onAgree }: { onAgree: () => void }) {
  const [hasFailed, setFailed] = useState(false);
  async function agree() {
    const response = await fetch("/api/consent", { method: "POST" }).catch(() => undefined);
    setFailed(!response?.ok);
    if (response?.ok) {
      onAgree();
    }
  }
  return (
    <section className="consent" aria-label="Consent">
      <h2>Before you chat</h2>
      <p>
        An AI answers your messages. It receives what you write, and what your clinic has recorded about your health.
        You can take your consent back at any time: tell your clinic.
      </p>
      <button type="button" className="send" onClick={agree}>
        I agree, send my message
      </button>
      <p role="status">{hasFailed && "Your consent could not be stored. Try again later."}</p>
    </section>
  );
}
