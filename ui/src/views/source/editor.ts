// The source in CodeMirror, read only. The view is made once; another file replaces its state, another moment only its
// marks, so that nothing jumps while one steps. The content is not editable, so that keys stay the page's own: the
// cursor is a line of ours.

import { java } from "@codemirror/lang-java";
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { EditorState, type Extension, RangeSetBuilder, StateEffect, StateField } from "@codemirror/state";
import { type BlockInfo, Decoration, type DecorationSet, EditorView, GutterMarker, WidgetType, gutter, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";

import { type Mark, type Marks, NONE, type Text, signOf, told } from "./marks";

export interface Handlers {
  /** An event on a line is wanted: the next one, or the one before. */
  event: (row: number, back: boolean) => void;
  /** The cursor is on a line now. */
  cursor: (said: string) => void;
}

const colours = HighlightStyle.define([
  { tag: tags.keyword, class: "hl-keyword" },
  { tag: [tags.string, tags.character], class: "hl-string" },
  { tag: [tags.comment, tags.docComment], class: "hl-comment" },
  { tag: [tags.number, tags.bool, tags.null], class: "hl-number" },
  { tag: [tags.typeName, tags.className], class: "hl-type" },
]);

/** A longer text is shown without colours: they cost more than they tell. */
const MAX_COLOURED = 3_000_000;

const setMarks = StateEffect.define<Marks>();
const setCursor = StateEffect.define<number | null>();

const marksField = StateField.define<Marks>({
  create: () => NONE,
  update: (marks, change) => change.effects.reduce((now, effect) => (effect.is(setMarks) ? effect.value : now), marks),
});

const cursorField = StateField.define<number | null>({
  create: () => null,
  update: (cursor, change) => change.effects.reduce((now, effect) => (effect.is(setCursor) ? effect.value : now), cursor),
});

/** Values at the end of a line. Text only: what a program stored is never markup. */
class Values extends WidgetType {
  constructor(readonly text: string) {
    super();
  }

  override eq(other: Values): boolean {
    return other.text === this.text;
  }

  override toDOM(): HTMLElement {
    const element = document.createElement("span");
    element.className = "inline";
    element.textContent = this.text;
    return element;
  }
}

const decorations = EditorView.decorations.compute([marksField, cursorField], (state): DecorationSet => {
  const builder = new RangeSetBuilder<Decoration>();
  const { lines } = state.field(marksField);
  const cursor = state.field(cursorField);
  const rows = [...new Set([...lines.keys(), ...(cursor === null ? [] : [cursor])])].sort((a, b) => a - b);
  for (const row of rows) {
    if (row < 1 || row > state.doc.lines) continue;
    const mark = lines.get(row);
    const place = state.doc.line(row);
    const names = [mark?.state, mark?.current === true ? "current" : "", mark?.guilt, row === cursor ? "cursor" : ""];
    const classes = names.filter((name) => name !== "" && name != null).join(" ");
    if (classes !== "") builder.add(place.from, place.from, Decoration.line({ class: classes }));
    if (mark !== undefined && mark.values !== "") {
      builder.add(place.to, place.to, Decoration.widget({ widget: new Values(mark.values), side: 1 }));
    }
  }
  return builder.finish();
});

/** Beside a line: where the moment is and what is guilty, and how often it ran. */
class Beside extends GutterMarker {
  constructor(readonly mark: Mark) {
    super();
  }

  override eq(other: Beside): boolean {
    return JSON.stringify(other.mark) === JSON.stringify(this.mark);
  }

  override toDOM(): HTMLElement {
    const { mark } = this;
    const element = document.createElement("span");
    element.className = `beside ${mark.state} ${mark.guilt ?? ""} ${mark.current ? "current" : ""}`;
    const sign = document.createElement("b");
    sign.textContent = signOf(mark)?.sign ?? "";
    const count = document.createElement("span");
    const ran = mark.dated ? `${short(mark.until)}/${short(mark.count)}` : `${short(mark.count)}×`;
    count.textContent = { ran, idle: "0×", unknown: "", other: "" }[mark.state];
    element.append(sign, count);
    const hint = mark.state === "ran" ? "\nClick: the next event here; with Shift: the one before" : "";
    element.title = `${told(mark)}${hint}`;
    return element;
  }
}

/** 12,345 as 12k: the title has all of it. */
function short(count: number): string {
  return count < 10_000 ? String(count) : count < 1e6 ? `${Math.floor(count / 1e3)}k` : `${Math.floor(count / 1e6)}M`;
}

export class SourceEditor {
  private readonly view: EditorView;
  private key: string | null = null;

  constructor(
    parent: HTMLElement,
    private readonly handlers: Handlers,
  ) {
    this.view = new EditorView({ parent, state: this.state({ key: "", text: "", numbers: null }) });
  }

  destroy(): void {
    this.view.destroy();
  }

  /** Shows a text with its marks. `arrived`: another call is shown than before, so that its method should be seen. */
  show(text: Text, marks: Marks, arrived: boolean): void {
    const fresh = text.key !== this.key;
    if (fresh) {
      this.key = text.key;
      this.view.setState(this.state(text));
    }
    this.view.dispatch({ effects: setMarks.of(marks) });
    const { lines } = this.view.state.doc;
    const within = (row: number) => Math.min(lines, Math.max(1, row));
    if (marks.current !== null) {
      this.reveal(within(marks.current), within(marks.current), "center", fresh);
    } else if (arrived || fresh) {
      // The head of the method is above its first instruction.
      this.reveal(within(marks.first - 2), within(marks.last), "start", fresh);
    }
  }

  /** Scrolls only if the lines are not in sight. */
  private reveal(first: number, last: number, y: "center" | "start", fresh: boolean): void {
    const { view } = this;
    const [from, to] = [view.state.doc.line(first).from, view.state.doc.line(last).from];
    const { scrollTop, clientHeight } = view.scrollDOM;
    const seen = view.lineBlockAt(from).top >= scrollTop && view.lineBlockAt(to).bottom <= scrollTop + clientHeight;
    if (!seen || fresh) view.dispatch({ effects: EditorView.scrollIntoView(from, { y, yMargin: 4 }) });
  }

  private state(text: Text): EditorState {
    const { numbers } = text;
    const pressed = (view: EditorView, line: BlockInfo, event: Event) => {
      this.pick(view.state.doc.lineAt(line.from).number, (event as MouseEvent).shiftKey);
      return true;
    };
    const extensions: Extension[] = [
      EditorState.readOnly.of(true),
      EditorView.editable.of(false),
      EditorState.tabSize.of(4),
      EditorView.contentAttributes.of({ "aria-label": "Source", "aria-readonly": "true", tabindex: "0" }),
      marksField,
      cursorField,
      decorations,
      lineNumbers({
        formatNumber: (row) => (numbers === null ? String(row) : String(numbers[row - 1] ?? "")),
        domEventHandlers: { mousedown: pressed },
      }),
      gutter({
        class: "cm-beside",
        lineMarker: (view, line) => {
          const mark = view.state.field(marksField).lines.get(view.state.doc.lineAt(line.from).number);
          return mark === undefined ? null : new Beside(mark);
        },
        lineMarkerChange: (update) => update.startState.field(marksField) !== update.state.field(marksField),
        initialSpacer: () => new Beside({ state: "ran", count: 9999, until: 0, dated: false, values: "", guilt: null, current: false }),
        domEventHandlers: { mousedown: pressed },
      }),
      EditorView.domEventHandlers({
        click: (event, view) => {
          // Somebody who selects text wants to copy it.
          if (event.button !== 0 || getSelection()?.isCollapsed === false) return false;
          const at = view.posAtCoords({ x: event.clientX, y: event.clientY });
          if (at !== null) this.pick(view.state.doc.lineAt(at).number, event.shiftKey);
          return false;
        },
        keydown: (event, view) => this.keyed(event, view),
      }),
      numbers === null && text.text.length <= MAX_COLOURED ? [java(), syntaxHighlighting(colours)] : [],
    ];
    return EditorState.create({ doc: text.text, extensions });
  }

  private pick(row: number, back: boolean): void {
    this.place(row, false);
    if (this.view.state.field(marksField).lines.get(row)?.state === "ran") this.handlers.event(row, back);
  }

  private place(row: number, scroll: boolean): void {
    const { view } = this;
    const line = view.state.doc.line(row);
    const effects: StateEffect<unknown>[] = [setCursor.of(row)];
    if (scroll) effects.push(EditorView.scrollIntoView(line.from, { y: "nearest", yMargin: 20 }));
    view.dispatch({ effects });
    const mark = told(view.state.field(marksField).lines.get(row));
    this.handlers.cursor(`line ${row}: ${line.text.trim().slice(0, 200)}${mark === "" ? "" : `; ${mark}`}`);
  }

  private keyed(event: KeyboardEvent, view: EditorView): boolean {
    if (event.ctrlKey || event.metaKey || event.altKey) return false;
    const marks = view.state.field(marksField);
    const cursor = view.state.field(cursorField);
    const now = cursor ?? marks.current ?? marks.first;
    const page = Math.max(1, Math.floor(view.scrollDOM.clientHeight / view.defaultLineHeight) - 2);
    const moves: Record<string, number> = {
      ArrowDown: cursor === null ? now : now + 1,
      ArrowUp: cursor === null ? now : now - 1,
      PageDown: now + page,
      PageUp: now - page,
      Home: 1,
      End: view.state.doc.lines,
    };
    const to = moves[event.key];
    if (event.key === "Enter") this.pick(Math.min(now, view.state.doc.lines), event.shiftKey);
    else if (to !== undefined) this.place(Math.min(view.state.doc.lines, Math.max(1, to)), true);
    else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  }
}
