import { ComposerPrimitive, useAuiState } from "@assistant-ui/react";

/** The service's limit, in UTF-16 code units. */
const LONGEST = 16_000;

interface ComposerProps {
  /** Whether an answer is arriving. */
  isBusy: boolean;
  stop: () => void;
  onAskForPerson: () => void;
}

/** The field for the next message. What is too long stays in it, and is not sent. */
export function Composer({ isBusy, stop, onAskForPerson }: ComposerProps) {
  const { length } = useAuiState((state) => state.composer.text);
  const isTooLong = length > LONGEST;
  return (
    <ComposerPrimitive.Root aria-label="New message">
      <ComposerPrimitive.Input
        aria-label="Message"
        aria-invalid={isTooLong}
        placeholder="Ask about your health"
        minRows={2}
        maxRows={8}
        dir="auto"
        submitMode={isTooLong ? "none" : "enter"}
        cancelOnEscape={false}
      />
      {isBusy ? (
        // Not the composer's own button, which takes the message back: it is sent, and its answer is stored.
        <button type="button" onClick={stop}>
          Stop
        </button>
      ) : (
        <ComposerPrimitive.Send className="send" disabled={isTooLong}>
          Send
        </ComposerPrimitive.Send>
      )}
      <button type="button" className="person-wanted" disabled={isBusy} onClick={onAskForPerson}>
        Ask for a person
      </button>
      {isTooLong && (
        <p role="alert" className="limit">
          {length.toLocaleString("en")} characters; at most {LONGEST.toLocaleString("en")} can be sent. Shorten the
          message.
        </p>
      )}
    </ComposerPrimitive.Root>
  );
}
