// What the signs mean: the same list wherever somebody asks for it.

import { MARKED, MARKS, type MarkedThing } from "../marks";
import { Menu } from "./menu";

/** Opens the signs that a view has. */
export function Legend({ of }: { of: MarkedThing }) {
  return (
    <Menu class="legend" label="Signs: what they mean" title="Signs ▾">
      {() => <Signs of={of} />}
    </Menu>
  );
}

export function Signs({ of }: { of: MarkedThing }) {
  return (
    <>
      <h3>{MARKED[of]}</h3>
      <dl class="signs">
        {MARKS.filter((mark) => mark.of === of).map(({ name, sign, means }) => (
          <div key={name}>
            <dt class={`sign-${name}`}>{sign}</dt>
            <dd>{means}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}
