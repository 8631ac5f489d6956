// What the signs mean, and all keys, from the same tables that make them.

import { commands } from "../commands";
import { keyName } from "./button";
import { MARKED, type MarkedThing } from "../marks";
import { Dialog } from "./dialog";
import { Signs } from "./legend";

export function Help({ close }: { close: () => void }) {
  const groups = [...new Set(commands.map((command) => command.group ?? "Views and steps"))];
  return (
    <Dialog label="Help: signs and keys" class="palette help" close={close}>
      <header>
        <h2>Signs and keys</h2>
        <button class="small" onClick={close}>
          Close <kbd>Esc</kbd>
        </button>
      </header>
      <div class="columns">
        {(Object.keys(MARKED) as MarkedThing[]).map((of) => (
          <section key={of} aria-label={`Signs: ${MARKED[of]}`}>
            <Signs of={of} />
          </section>
        ))}
        {groups.map((group) => {
          const list = commands.filter((command) => (command.group ?? "Views and steps") === group && command.keys.length > 0);
          return list.length === 0 ? null : (
            <section key={group} aria-label={group}>
              <h3>{group}</h3>
              <dl>
                {list.map((command) => (
                  <div key={command.id}>
                    <dt>
                      {command.keys.map((key) => (
                        <kbd key={key}>{keyName(key)}</kbd>
                      ))}
                    </dt>
                    <dd>{command.title}</dd>
                  </div>
                ))}
              </dl>
            </section>
          );
        })}
      </div>
      <p class="faint">
        In the tree, arrows move and open. On a line between panes, arrows resize and Enter hides. Everything else is found
        by <kbd>Ctrl+K</kbd>.
      </p>
    </Dialog>
  );
}
