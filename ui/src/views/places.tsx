// The likeliest places, live: what is believed to be wrong by all that was answered, and how likely each is.

import { select } from "../selection";
import type { LikelyPlace } from "../wire";

export function Places({ places }: { places: LikelyPlace[] }) {
  const told = places.filter((place) => place.probability >= 0.01);
  if (told.length === 0) return null;
  return (
    <ol class="places" aria-label="Likeliest places">
      {told.map((place) => (
        <li key={place.method} style={{ "--share": place.probability }}>
          <button
            class="location"
            title={place.file === null ? "Show a call of it" : `${place.file}${place.line === null ? "" : `:${place.line}`}: show a call of it`}
            onClick={() => place.number !== null && select({ call: place.number, time: null })}
          >
            {place.method}
          </button>
          <span>{place.percent}</span>
        </li>
      ))}
    </ol>
  );
}
