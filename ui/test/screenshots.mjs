// The pictures in docs/images: the page on the worked examples, as a person would come there. `make screenshots`.

import { mkdirSync } from "node:fs";
import path from "node:path";

import { open, quiet, root, settled, views } from "./harness.mjs";

const images = path.join(root, "docs/images");
const ARGS = ["--strategy", "top-down", "--source", "examples"];
mkdirSync(images, { recursive: true });

async function take(page, name) {
  await settled(page, async () => {});
  quiet(page);
  await page.mouse.move(0, 0);
  await page.waitForTimeout(300);
  await page.screenshot({ path: path.join(images, `${name}.png`) });
  console.log(`docs/images/${name}.png`);
}

/** As somebody sees it who has read the introduction. */
async function begin(program, colorScheme) {
  const opened = await open("examples", program, { args: ARGS, context: { colorScheme, viewport: { width: 1440, height: 860 } } });
  await opened.page.getByRole("button", { name: "Got it" }).click();
  return opened;
}

/** Opens the parts of a variable of the selected call, and presses a button beside one of them. */
async function beside(page, variable, part, button) {
  const panel = views(page).details.getByRole("tabpanel");
  await views(page).details.getByRole("tab", { name: "State" }).click();
  await panel.getByRole("button", { name: `Parts of ${variable}` }).click();
  const row = panel.getByRole("row").filter({ hasText: part }).first();
  await row.hover();
  await row.getByRole("button", { name: button }).click();
}

{
  const { page } = await begin("BottomUpMergeSort", "light");
  const { tree, details } = views(page);
  await tree.getByRole("row", { name: /sort#1/ }).waitFor();
  await take(page, "question");
  for (const answer of ["n", "y", "y", "y", "y"]) await settled(page, () => page.keyboard.press(answer));
  await beside(page, "a", /^\W*(a)?\[2\]/, /history/i);
  await details.getByRole("tabpanel").getByRole("option").last().click();
  await details.getByRole("tab", { name: "Events" }).click();
  await take(page, "events");
}
{
  const { page } = await begin("BottomUpMergeSort", "dark");
  for (const answer of ["n", "y", "y", "y", "y", "n"]) await settled(page, () => page.keyboard.press(answer));
  await take(page, "verdict");
}
{
  const { page } = await begin("FileLister", "light");
  await views(page).tree.getByRole("row", { name: /FileLister\.run#1/ }).click();
  await beside(page, "this", /^\W*names/, /missing/i);
  const balloon = views(page).details.getByRole("tabpanel").getByRole("button", { name: /\.add\(/ });
  await balloon.waitFor();
  await balloon.click();
  await views(page).details.getByRole("tab", { name: "Events" }).click();
  await take(page, "omission");
}
process.exit(0);
