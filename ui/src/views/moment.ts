// The moment that the views show: the selected event, or the end of the selected call.

import { api } from "../api";
import { useLoaded } from "../load";
import { selection } from "../selection";
import { version } from "../state";

/** None as long as the call's end is not known. */
export function useMoment(): number | null {
  const { call, time } = selection.value;
  const shown = useLoaded(() => (call === null || time !== null ? null : api.call(call)), [call, time === null, version.value]);
  return time ?? (shown.value?.number === call ? shown.value.exit : null);
}
