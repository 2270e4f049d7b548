"""The report's style sheet: light and dark, phone and paper; nothing is fetched from anywhere."""

STYLE = """
:root {
  color-scheme: light dark;
  --page: #f7f6f3; --card: #ffffff; --ink: #16150f; --soft: #57554d; --faint: #86837a; --rule: #e3e1da;
  --blue: #2465b8; --orange: #b84a16; --green: #14764f; --violet: #7a4fb0;
  --good: #14764f; --good-bg: #e7f4ed; --bad: #a33b0b; --bad-bg: #fbeee6;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #121210; --card: #1c1c19; --ink: #f3f2ec; --soft: #bdbbb0; --faint: #8f8c82; --rule: #35342e;
    --blue: #6ea8f0; --orange: #f08a54; --green: #4fc48f; --violet: #b794ea;
    --good: #5fd0a0; --good-bg: #14291f; --bad: #f5a277; --bad-bg: #33201a;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--page); color: var(--ink);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
}
main { max-width: 840px; margin: 0 auto; padding: 28px 20px 60px; }
h1 { font-size: 1.05rem; font-weight: 600; color: var(--soft); margin: 0 0 18px; }
h2 { font-size: 1.2rem; margin: 0 0 6px; }
p { margin: 8px 0; overflow-wrap: anywhere; }
section { background: var(--card); border: 1px solid var(--rule); border-radius: 10px; padding: 20px; margin: 18px 0; }
.verdict { border-left: 6px solid var(--good); }
.verdict.no { border-left-color: var(--bad); }
.verdict .answer { font-size: 1.35rem; line-height: 1.35; font-weight: 650; margin: 4px 0 10px; }
.badge { display: inline-block; font-size: .82rem; font-weight: 650; border-radius: 5px; padding: 2px 9px; }
.yes .badge { color: var(--good); background: var(--good-bg); }
.no .badge { color: var(--bad); background: var(--bad-bg); }
.warning { color: var(--bad); background: var(--bad-bg); border-radius: 8px; padding: 10px 14px; }
.figures {
  display: grid; grid-template-columns: repeat(auto-fit, minmax(125px, 1fr)); gap: 10px 20px; margin: 16px 0 4px;
}
.figures b { display: block; font-size: 1.5rem; line-height: 1.2; font-weight: 650; }
.figures span, .note { color: var(--soft); font-size: .88rem; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; font-variant-numeric: tabular-nums; }
.scroll { overflow-x: auto; }
th, td { border-bottom: 1px solid var(--rule); padding: 5px 12px 5px 0; text-align: left; overflow-wrap: break-word; }
th { font-weight: 600; color: var(--soft); vertical-align: bottom; }
td { vertical-align: top; }
td:first-child { min-width: 7.5em; overflow-wrap: anywhere; }
th.n, td.n { text-align: right; }
td.n { white-space: nowrap; }
th:last-child, td:last-child { padding-right: 0; }
tr.chosen td { font-weight: 650; }
details { margin-top: 10px; }
summary { cursor: pointer; color: var(--soft); font-size: .92rem; }
footer { color: var(--faint); font-size: .85rem; margin-top: 22px; }

svg { display: block; width: 100%; height: auto; font: 12px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
.chart { margin: 12px 0 4px; }
.map { max-width: 620px; margin: 12px auto; }
.key { max-width: 308px; }
.swatch { stroke: var(--faint); }
.row { fill: transparent; }
.workers { columns: 15em; font-size: .88rem; overflow-wrap: anywhere; padding-left: 2.2em; }
svg text { fill: var(--soft); }
svg text.tick { fill: var(--faint); font-variant-numeric: tabular-nums; }
svg text.strong {
  fill: var(--ink); font-weight: 650; paint-order: stroke; stroke: var(--card); stroke-width: 4px;
}
svg text.targetlabel { fill: var(--orange); paint-order: stroke; stroke: var(--card); stroke-width: 4px; }
.grid { stroke: var(--rule); }
.axis { stroke: var(--faint); }
.target { stroke: var(--orange); stroke-dasharray: 5 4; }
.now { stroke: var(--faint); stroke-dasharray: 2 4; }
.steps { fill: none; stroke: var(--blue); stroke-width: 2; }
.step { fill: var(--blue); }
.other { fill: none; stroke: var(--faint); opacity: .7; }
.chosen { fill: var(--card); stroke: var(--green); stroke-width: 4; }
.interval { stroke: var(--blue); stroke-width: 3; opacity: .45; stroke-linecap: round; }
.seen { fill: var(--blue); }
.interval.mine { stroke: var(--green); opacity: .7; }
.seen.mine { fill: var(--green); }
.more { fill: var(--orange); }
.less { fill: var(--blue); }
.self { fill: var(--rule); }
.unknown { fill: none; }
.few { fill: none; stroke: var(--faint); }
rect.few { stroke: none; }
.curve { fill: none; stroke-width: 2.2; }
.curve.series0 { stroke: var(--blue); } .curve.series1 { stroke: var(--orange); }
.curve.series2 { stroke: var(--green); } .curve.series3 { stroke: var(--violet); }
svg text.name { font-weight: 600; }
svg text.series0, .legend .series0 { fill: var(--blue); color: var(--blue); }
svg text.series1, .legend .series1 { fill: var(--orange); color: var(--orange); }
svg text.series2, .legend .series2 { fill: var(--green); color: var(--green); }
svg text.series3, .legend .series3 { fill: var(--violet); color: var(--violet); }
.legend span { font-weight: 600; margin-right: 16px; font-size: .9rem; }
.narrow { display: none; }
@media (max-width: 560px) {
  main { padding: 16px 10px 40px; }
  section { padding: 15px 13px; }
  .wide { display: none; }
  .narrow { display: block; }
  .dense text { font-size: 21px; }
  .verdict .answer { font-size: 1.15rem; }
}
@media print {
  :root {
    --page: #fff; --card: #fff; --ink: #000; --soft: #333; --faint: #666; --rule: #ccc;
    --blue: #2465b8; --orange: #b84a16; --green: #14764f; --violet: #7a4fb0;
    --good: #14764f; --good-bg: #fff; --bad: #a33b0b; --bad-bg: #fff;
  }
  main { max-width: none; padding: 0; }
  section { break-inside: avoid-page; border-color: #bbb; }
  section.long { break-inside: auto; }
  .wide { display: block; }
  .narrow { display: none; }
}
"""
