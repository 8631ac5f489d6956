// A long text in a box of its own, fetched piece by piece as far as somebody reads.

import { signal, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

import { api } from "../../api";
import { attempt } from "../../state";
import type { TextPart } from "../../wire";

const shown = signal<{ location: string; at: number } | null>(null);

export function longText(location: string, at: number): void {
  shown.value = { location, at };
}

export function LongText() {
  const asked = shown.value;
  return asked === null ? null : <Box key={`${asked.location} ${asked.at}`} {...asked} />;
}

function Box({ location, at }: { location: string; at: number }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const pieces = useSignal<TextPart[]>([]);
  const loading = useSignal(false);
  const close = () => (shown.value = null);
  const last = pieces.value[pieces.value.length - 1];
  const read = last === undefined ? 0 : last.skip + [...last.text].length;
  const load = async () => {
    if (loading.value) return;
    loading.value = true;
    const piece = await attempt(() => api.text(location, at, read));
    loading.value = false;
    if (piece === null) close();
    else pieces.value = [...pieces.value, piece];
  };
  useEffect(() => {
    dialog.current?.showModal();
    void load();
  }, []);
  const more = last !== undefined && read < last.recorded;
  const scrolled = (event: Event) => {
    const box = event.currentTarget as HTMLElement;
    if (more && box.scrollTop + box.clientHeight > box.scrollHeight - 400) void load();
  };
  return (
    <dialog class="long-text" ref={dialog} onClose={close} aria-label={`Text of ${location}`}>
      <header>
        <strong>{location}</strong>
        <span class="faint">
          {last === undefined ? "" : `${last.chars.toLocaleString()} chars`}
          {last?.cut === true && `, of which the first ${last.recorded.toLocaleString()} are recorded`}
        </span>
        <button class="small" onClick={() => dialog.current?.close()}>
          Close <kbd>Esc</kbd>
        </button>
      </header>
      <div class="text" tabIndex={0} role="document" aria-label="Text" onScroll={scrolled}>
        {pieces.value.map((piece) => (
          <span key={piece.skip}>{piece.text}</span>
        ))}
        {more && (
          <button class="small" disabled={loading.value} onClick={() => void load()}>
            more: {(last.recorded - read).toLocaleString()} chars
          </button>
        )}
      </div>
    </dialog>
  );
}
