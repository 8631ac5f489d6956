// The page as a whole: the bar, the panes, what is told in passing, and the keys.

import { useEffect } from "preact/hooks";

import { byKey } from "./commands";
import { Layout } from "./layout";
import { type PaneId, focusPane } from "./panes";
import { announced, follow, refresh } from "./state";
import { Bar } from "./views/bar";
import { Banner, Notice } from "./views/notice";
import { Palette } from "./views/palette";

export function App() {
  useEffect(() => {
    void refresh().then(follow);
    const keys = (event: KeyboardEvent) => {
      const command = byKey(event);
      if (command === undefined || event.defaultPrevented) return;
      event.preventDefault();
      void command.run();
    };
    addEventListener("keydown", keys);
    return () => removeEventListener("keydown", keys);
  }, []);
  return (
    <>
      <nav class="skips" aria-label="Skip">
        <Skip to="question" title="Skip to the question" />
        <Skip to="tree" title="Skip to the tree" />
        <Skip to="details" title="Skip to the selected call" />
        <Skip to="source" title="Skip to the source" />
      </nav>
      <Bar />
      <Banner />
      <Layout />
      <Notice />
      <Palette />
      <div class="hidden" role="status" aria-live="polite">
        {announced.value}
      </div>
    </>
  );
}

/** Not a link: the address is the selection's. */
function Skip({ to, title }: { to: PaneId; title: string }) {
  return <button onClick={() => focusPane(to)}>{title}</button>;
}
