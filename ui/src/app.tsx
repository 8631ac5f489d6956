// The page as a whole: the bar, the panes, what is told in passing, and the keys.

import { useEffect } from "preact/hooks";

import { keep, unmeant } from "./ahead";
import { byKey } from "./commands";
import { Layout } from "./layout";
import { type PaneId, focusPane } from "./panes";
import { announced, follow, refresh } from "./state";
import { Bar } from "./views/bar";
import { Banner, Notice } from "./views/notice";
import { Guide } from "./views/guide";
import { Palette } from "./views/palette";
import { SymptomBar } from "./views/symptoms";

export function App() {
  useEffect(() => {
    void refresh().then(follow);
    const keys = (event: KeyboardEvent) => {
      if (keep(event)) return;
      if (unmeant(event)) return event.preventDefault();
      const command = byKey(event);
      if (command === undefined || event.defaultPrevented) return;
      event.preventDefault();
      void command.run();
    };
    const clicks = (event: MouseEvent) => {
      const on = event.target instanceof Element && event.target.closest("[data-says]") !== null;
      if (!on || !unmeant(event)) return;
      event.preventDefault();
      event.stopPropagation();
    };
    addEventListener("keydown", keys);
    addEventListener("click", clicks, true);
    return () => {
      removeEventListener("keydown", keys);
      removeEventListener("click", clicks, true);
    };
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
      <SymptomBar />
      <Guide />
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
