// The view of somebody's reporting lines, which chart.js draws.

import { to } from "./address.js";
import { draw, most } from "./chart.js";
import * as directory from "./directory.js";
import { make } from "./dom.js";
import { guarded } from "./frame.js";
import { head } from "./person.js";

export async function chartView(id, signal) {
  const [user, chain, reports] = await Promise.all([
    directory.person(id, signal), directory.chain(id, signal), directory.reports(id, most, 1, signal),
  ]);
  const counts = new Map([[user.id, reports.totalResults]]);
  const place = make("div", {});
  const parts = [...head(user, "chart"), place];
  const others = reports.totalResults - reports.Resources.length;
  if (others > 0) parts.push(make("p", { class: "more" }, make("a", { href: to("user", id) }, `and ${others} more`)));
  let drawn;
  const fill = () => {
    const links = () => [...place.querySelectorAll("a")];
    const focused = links().indexOf(document.activeElement);
    drawn = draw({ user, chain, reports: reports.Resources, counts }, place.clientWidth);
    place.replaceChildren(drawn.svg);
    if (focused >= 0) links()[focused].focus({ preventScroll: true });
  };
  const count = (one) => guarded(async () => {
    const number = await directory.reportCount(one.id, signal);
    counts.set(one.id, number);
    drawn.tell(one.id, number);
  }, () => { /* The chart does without the number. */ });
  return {
    parts,
    redraw: fill,
    done() {
      fill();
      for (const one of [...chain, ...reports.Resources]) count(one);
    },
  };
}
