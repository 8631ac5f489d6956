// Whether the server is there. It may be stopped and started again while the page is open: what was said is on its
// disk, so the page only waits and then looks again.

import { signal } from "@preact/signals";

import { gone } from "./api";

/** `lost`: nobody answers. `other`: somebody answers who does not know this page's address. */
export const connection = signal<"on" | "lost" | "other">("on");

const FIRST_WAIT = 1000;
const LONGEST_WAIT = 10_000;

let waiting = false;

/** Calls `news` with the number of the last that is new, and without one when the server is back after it was gone. */
export function listen(news: (last: number | null) => void): void {
  let source: EventSource | null = null;
  const open = () => {
    source?.close();
    source = new EventSource("api/live");
    source.onmessage = (message: MessageEvent<string>) => news(Number(message.data));
    source.onerror = lost;
  };
  const lost = () => {
    if (waiting) return;
    waiting = true;
    source?.close();
    void wait(() => {
      open();
      news(null);
    });
  };
  gone.add(lost);
  open();
}

async function wait(back: () => void): Promise<void> {
  for (let pause = FIRST_WAIT / 4; ; pause = Math.min(LONGEST_WAIT, pause * 2)) {
    const state = await look();
    connection.value = state;
    if (state === "on") break;
    await new Promise((done) => setTimeout(done, pause));
  }
  waiting = false;
  back();
}

async function look(): Promise<"on" | "lost" | "other"> {
  try {
    const response = await fetch("api/session", { cache: "no-store" });
    if (response.ok) return "on";
    return response.status === 404 || response.status === 403 ? "other" : "lost";
  } catch {
    return "lost";
  }
}
