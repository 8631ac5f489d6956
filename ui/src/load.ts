// What a view shows of the selection, asked for when the selection changes; an answer that comes too late is dropped.

import { useSignal } from "@preact/signals";
import { useLayoutEffect } from "preact/hooks";

import { Refused } from "./api";

export interface Loaded<T> {
  value: T | null;
  error: string | null;
  loading: boolean;
}

export function useLoaded<T>(work: () => Promise<T> | null, keys: unknown[]): Loaded<T> {
  const state = useSignal<Loaded<T>>({ value: null, error: null, loading: false });
  // Before the screen is painted: the answer comes that much sooner.
  useLayoutEffect(() => {
    let gone = false;
    const asked = work();
    if (asked === null) {
      state.value = { value: null, error: null, loading: false };
      return;
    }
    state.value = { ...state.value, loading: true };
    asked.then(
      (value) => {
        if (!gone) state.value = { value, error: null, loading: false };
      },
      (error: unknown) => {
        if (!gone) state.value = { value: null, error: error instanceof Refused ? error.message : String(error), loading: false };
      },
    );
    return () => {
      gone = true;
    };
  }, keys);
  return state.value;
}
