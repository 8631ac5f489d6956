// What is told in passing, and that the server is gone.

import { useEffect } from "preact/hooks";

import { connection } from "../connection";
import { notice, session } from "../state";

/** A remark goes away by itself; what went wrong stays until somebody has read it. */
const READ = 8000;

export function Notice() {
  const now = notice.value;
  useEffect(() => {
    if (now === null || now.bad) return;
    const timer = setTimeout(() => {
      if (notice.value === now) notice.value = null;
    }, READ);
    return () => clearTimeout(timer);
  }, [now]);
  return (
    <div class="notices" role={now?.bad === true ? "alert" : "status"}>
      {now !== null && (
        <div class={`notice${now.bad ? " bad" : ""}`}>
          <p>{now.text}</p>
          <button class="small" aria-label="Close the message" onClick={() => (notice.value = null)}>
            ✕
          </button>
        </div>
      )}
    </div>
  );
}

export function Banner() {
  const state = connection.value;
  const path = session.value?.recording.path ?? "DIR";
  return (
    <div role="alert" class="banner-place">
      {state !== "on" && (
        <p class="banner">
          {state === "lost" ? (
            <>
              <strong>The server does not answer.</strong> Everything you said is kept. Start <code>inquest open {path}</code>{" "}
              again and open the address that it prints; if it comes back at this address, this page goes on by itself.
            </>
          ) : (
            <>
              <strong>The server was started again</strong> and has another address now. Everything you said is kept: open the
              address that <code>inquest open {path}</code> printed.
            </>
          )}
        </p>
      )}
    </div>
  );
}
