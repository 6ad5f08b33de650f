// Lists of the screen at the wall and of overlays, some items at a time. The script page.js loads it and passes its tools.
export function start({ $, $$, kind, put }) {
  let leaf = 0, turnAfter = kind() === "overlay" ? 8000 : 15000;
  function turnLeaf() { leaf += 1; paginate(); setTimeout(turnLeaf, turnAfter); }
  function paginate() {
    for (const list of $$("[data-turns]")) {
      const size = +list.dataset.turns, turns = Math.ceil(list.children.length / size) || 1;
      [...list.children].forEach((one, index) => { one.hidden = Math.floor(index / size) !== leaf % turns; });
    }
    if (kind() !== "wall") return;
    // All boards come round in a minute.
    const cards = $$(".grid>li"), leaves = Math.ceil(cards.length / (cards.length > 64 ? 25 : 16)), size = Math.ceil(cards.length / leaves) || 1;
    leaf %= Math.max(1, leaves);
    cards.forEach((card, index) => { card.hidden = Math.floor(index / size) !== leaf; });
    const grid = $(".grid"); if (grid) grid.dataset.count = Math.min(size, 25);
    put($("#turn"), leaves > 1 ? `${leaf + 1} / ${leaves}` : "");
    turnAfter = Math.min(15000, 60000 / leaves);
    fit();
  }
  /** Whether the style sheet cuts a name. Widths of elements are whole pixels; those of ranges are exact. */
  function isCut(name) {
    const text = $("bdi", name), range = new Range();
    range.selectNodeContents(text);
    return range.getBoundingClientRect().width > text.getBoundingClientRect().width;
  }
  /** Shrinks (rem) and condenses (em) names, then leaves out the given names of those that are still cut. */
  function fit() {
    const shrink = (names) => {
      for (const [size, space] of [[1.95, 0], [1.7, -0.015], [1.5, -0.025], [1.32, -0.03]]) {
        for (const { style } of names) { style.setProperty("--f", `${size}rem`); style.letterSpacing = `${space}em`; }
        names = names.filter(isCut);
      }
      return names;
    };
    const all = $$(".wall .g .nm1");
    all.forEach((name) => name.classList.remove("short", "long"));
    const cut = shrink(all);
    cut.forEach((name) => name.classList.add("short"));
    // Few boards leave room for a second line.
    const long = shrink(cut);
    if ($(".grid")?.dataset.count < 10) long.forEach((name) => name.classList.add("long"));
  }
  addEventListener("resize", fit);
  paginate();
  setTimeout(turnLeaf, turnAfter);
  return { dress: paginate, tick() {} };
}
