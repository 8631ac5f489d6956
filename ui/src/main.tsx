import { render } from "preact";

import { App } from "./app";
import "./styles/base.css";
import "./styles/layout.css";
import "./styles/bar.css";
import "./styles/tree.css";
import "./styles/question.css";
import "./styles/verdict.css";
import "./styles/details.css";
import "./styles/events.css";
import "./styles/source.css";
import "./styles/timeline.css";
import "./styles/palette.css";

const place = document.getElementById("app");
if (place !== null) render(<App />, place);
