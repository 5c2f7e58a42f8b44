"""How does a report look?

In: nothing. Out: the style sheet of the page, for narrow and wide windows, light and dark. Charts use its colours by
their names, so that a browser that changes from light to dark changes them too.
"""

from __future__ import annotations

__all__ = ["STYLE"]

STYLE = """
:root {
  color-scheme: light dark;
  --page: #f4f7f9; --card: #ffffff; --ink: #17212b; --muted: #556270; --line: #d8e0e7; --stripe: #f7fafc;
  --accent: #0b7285; --soft: #c9e6ec; --warn: #b35900; --bad: #b42318; --good: #1b7a43;
  --lane0: #0b7285; --lane1: #8250c4; --lane2: #b35900; --lane3: #2f6fd0; --lane4: #1b7a43; --lane5: #b4236a;
  --left0: #9aa8b5; --left1: #d9a441; --left2: #8fa6e0; --badge: #e4f2f5; --tag: #fdf0dc; --code: #eef3f6;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0e1418; --card: #161f26; --ink: #e5edf3; --muted: #9eb0bd; --line: #2b3943; --stripe: #1a252d;
    --accent: #56c5da; --soft: #1e4853; --warn: #f0a35e; --bad: #ff8a7d; --good: #6fd195;
    --lane0: #56c5da; --lane1: #bf9bf0; --lane2: #f0a35e; --lane3: #84b1f7; --lane4: #6fd195; --lane5: #f490bd;
    --left0: #61717e; --left1: #b98a35; --left2: #5f76b5; --badge: #173b44; --tag: #43331a; --code: #202c35;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; scroll-behavior: smooth; }
@media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto; } }
body {
  margin: 0; background: var(--page); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "DejaVu Sans", sans-serif;
}
main, header, footer { max-width: 1180px; margin: 0 auto; padding: 0 24px; }
header { padding-top: 28px; }
h1 { font-size: 28px; line-height: 1.2; margin: 0 0 4px; overflow-wrap: anywhere; }
h2 { font-size: 20px; margin: 0 0 4px; }
h3 { font-size: 15px; margin: 0 0 8px; }
p { margin: 0 0 12px; max-width: 78ch; overflow-wrap: anywhere; }
.card > p:last-child { margin-bottom: 0; }
.place, .lead, .note, .small { color: var(--muted); }
.place { font-family: ui-monospace, "SF Mono", Menlo, "DejaVu Sans Mono", monospace; font-size: 13px; }
.note, .small { font-size: 13px; }
a { color: var(--accent); text-underline-offset: 3px; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
.skip { position: absolute; left: -999px; }
.skip:focus { left: 16px; top: 8px; background: var(--card); padding: 8px 12px; z-index: 2; }
nav ul { display: flex; flex-wrap: wrap; gap: 4px 18px; list-style: none; margin: 14px 0 0; padding: 0; }
nav a { display: inline-block; padding: 4px 0; font-size: 14px; }
.numbers { display: grid; grid-template-columns: repeat(auto-fit, minmax(148px, 1fr)); gap: 12px; margin: 20px 0 0; }
.numbers div { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 12px 14px; }
.numbers dt { color: var(--muted); font-size: 13px; }
.numbers dd { margin: 0; font-size: 21px; font-weight: 650; font-variant-numeric: tabular-nums; line-height: 1.3; }
.numbers .small { display: block; font-weight: 400; line-height: 1.4; }
section { margin: 32px 0 0; }
.cards {
  display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 340px), 1fr)); gap: 16px;
  align-items: start;
}
.card { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 16px; min-width: 0; }
.cards + .card, .card + .card, .card + .cards { margin-top: 16px; }
.cards .card { margin: 0; height: 100%; }
figure { margin: 0; }
figure svg { display: block; width: 100%; height: auto; max-width: 520px; }
figure svg.fixed { max-width: 440px; }
figure .wide { display: none; }
@media (min-width: 1100px) { figure .wide { display: block; } figure .narrow { display: none; } }
.legend {
  display: flex; flex-wrap: wrap; gap: 4px 16px; list-style: none; margin: 8px 0 0; padding: 0;
  font-size: 13px;
}
.legend i { display: inline-block; width: 11px; height: 11px; border-radius: 3px; margin-right: 6px; }
.scroll { overflow-x: auto; max-width: 100%; }
table { border-collapse: collapse; width: 100%; font-size: 14px; font-variant-numeric: tabular-nums; }
caption { text-align: left; color: var(--muted); font-size: 13px; padding: 0 0 6px; }
th { color: var(--muted); font-weight: 600; font-size: 13px; }
th, td { padding: 6px 10px; border-bottom: 1px solid var(--line); vertical-align: top; }
td { overflow-wrap: anywhere; min-width: 6em; }
.bars td { min-width: 0; white-space: nowrap; }
.bars td:first-child { min-width: 9em; white-space: normal; }
.dense th, .dense td { padding: 4px 8px; min-width: 0; }
td[style*="right"], th[style*="right"] { white-space: nowrap; min-width: 0; }
tbody tr:last-child td, tbody tr:last-child th { border-bottom: 0; }
code {
  font: 13px/1.5 ui-monospace, "SF Mono", Menlo, "DejaVu Sans Mono", monospace; background: var(--code);
  border-radius: 5px; padding: 1px 5px; overflow-wrap: anywhere;
}
.with-bar { display: flex; align-items: center; gap: 10px; white-space: nowrap; }
.with-bar > span:first-child { flex: 0 0 5.6em; }
.with-bar > span:last-child { flex: 1; min-width: 64px; }
.bar { display: block; height: 9px; min-width: 2px; border-radius: 3px; background: var(--accent); }
.bar.of-deletes { background: var(--warn); }
.mark { font-weight: 650; white-space: nowrap; }
.mark.bad { color: var(--bad); } .mark.warn { color: var(--warn); } .mark.good { color: var(--good); }
ul.points { list-style: none; margin: 0; padding: 0; }
ul.points li { padding: 10px 0; border-bottom: 1px solid var(--line); }
ul.points li:first-child { padding-top: 0; } ul.points li:last-child { border-bottom: 0; padding-bottom: 0; }
ol.graph { list-style: none; margin: 0; padding: 0; }
ol.graph li { display: flex; height: 48px; align-items: stretch; }
ol.graph svg { flex: none; display: block; }
ol.graph div { min-width: 0; flex: 1; padding: 3px 0 0 8px; line-height: 21px; }
ol.graph span.line { display: block; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
ol.graph .ref {
  font-size: 12px; border-radius: 10px; padding: 1px 8px; margin-right: 6px; background: var(--badge);
  font-weight: 600;
}
ol.graph .ref.tag { background: var(--tag); }
details { margin-top: 10px; }
.card > details:first-child { margin-top: 0; } summary { cursor: pointer; color: var(--accent); font-size: 13px; }
details .scroll { margin-top: 8px; }
footer { color: var(--muted); font-size: 13px; padding-top: 28px; padding-bottom: 36px; }
@media (max-width: 600px) {
  main, header, footer { padding-left: 16px; padding-right: 16px; }
  h1 { font-size: 23px; }
  th, td { padding: 6px 6px; }
}
@media print { .skip, nav { display: none; } body { background: none; } .card { break-inside: avoid; } }
"""
