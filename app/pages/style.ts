/**
 * The pages' one style sheet, inline, allowed by digest. Type: 40, 28, 20, 16 and 13 px; space: 8, 16, 24 and 48 px; one
 * accent, and four meanings of color, each a shape and a word too (`sign` in parts.ts); light, dark and print.
 */

/** Colors of the four meanings end in the wash that stands behind their words. */
const COLORS = `
:root{color-scheme:light dark;--mono:.8125rem/1.5 ui-monospace,SFMono-Regular,Menlo,monospace;--ink:light-dark(#17212b,#e7ecf1);--soft:light-dark(#52606e,#a5b2bf);--line:light-dark(#dbe1e7,#2f3a46);--paper:light-dark(#fff,#10151b);--wash:light-dark(#f4f6f8,#181f27);--accent:light-dark(#0a695f,#5ad3c2);--on-accent:light-dark(#fff,#06231f);
--good:light-dark(#12683a,#6fd898);--good-wash:light-dark(#e6f4ec,#11291c);--warn:light-dark(#7d4b00,#f2bd68);--warn-wash:light-dark(#fdf1dc,#2e2310);--bad:light-dark(#a8231c,#ff9d95);--bad-wash:light-dark(#fcebe9,#341a18)}
.good{color:var(--good);--wash-of:var(--good-wash)}.warn{color:var(--warn);--wash-of:var(--warn-wash)}.bad{color:var(--bad);--wash-of:var(--bad-wash)}.soft{color:var(--soft);--wash-of:var(--wash)}
`;

/** Header, banner and footer; and what only the keyboard or a reader meets. */
const FRAME = `
.plain,.chips,.cards,.columns,.steps,.key,.checks,.fixes,.events,.results,.visits{list-style:none;margin:0;padding:0;max-width:none}
pre,.chips a,.chip,.cards a,.columns>li,.answers,.previewed{border:1px solid var(--line);border-radius:8px}
.brand,.menu a,button,.button,.pill,.chips a,.chip{display:inline-flex;align-items:center}
.foot,.checks>li,.fixes>li,.events>li,.visits>li,.results>li,.copy>div,.fold{border-top:1px solid var(--line)}
.num,.chips a span,.figures dd,.score,.counts td,.counts th{font-variant-numeric:tabular-nums}
.small,small,.demo,.foot,.pill,.chip,.gain,.steps,.hint,label,th,dt{font-size:.8125rem}.foot,.steps,.hint,label,th,dt{color:var(--soft)}
.skip{position:absolute;left:-99rem}.skip:focus{left:8px;top:8px;z-index:2;padding:8px 16px;background:var(--accent);color:var(--on-accent);border-radius:8px}
.bar{border-bottom:1px solid var(--line)}.bar-in,.foot-in,.demo p{max-width:72rem;margin:0 auto;padding:8px 24px}
.bar-in{display:flex;flex-wrap:wrap;align-items:center;gap:0 24px}
.brand{gap:8px;min-height:40px;color:var(--ink);font-weight:650;letter-spacing:-.01em;text-decoration:none}.brand svg{color:var(--accent)}
.menu{display:flex;gap:0 8px;margin:0 0 0 auto}.menu a{min-height:40px;padding:0 8px;color:var(--soft);text-decoration:none;border-radius:8px}
.menu a:hover{color:var(--ink);background:var(--wash)}.menu a[aria-current]{color:var(--accent);font-weight:600}
.demo{background:var(--wash);border-bottom:1px solid var(--line)}
.foot-in{padding:24px;display:flex;flex-wrap:wrap;gap:8px 24px}.foot a{color:inherit}.foot p{margin:0}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:4px}
[hidden]{display:none!important}.visually-hidden{position:absolute;width:1px;height:1px;margin:-1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
@media (max-width:36rem){.bar-in{padding:8px 16px}.menu{margin:0 -8px;width:calc(100% + 16px);gap:0;overflow-x:auto;white-space:nowrap;font-size:.8125rem}.foot-in{padding:24px 16px}.demo p{padding:8px 16px}}
`;

/** Text, in one centered column; wider where a page has two panes. */
const TEXT = `
*{box-sizing:border-box}html{-webkit-text-size-adjust:100%;scroll-padding-top:16px}
body{margin:0;font:1rem/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);overflow-wrap:break-word;min-height:100vh;display:flex;flex-direction:column}
main{flex:1;width:100%;max-width:52rem;margin:0 auto;padding:48px 24px}main:has(.panes,.columns){max-width:72rem}main:has(aside:empty){max-width:52rem}
h1{margin:0 0 16px;font-size:1.75rem;line-height:1.15;letter-spacing:-.02em;text-wrap:balance}h2{margin:48px 0 16px;font-size:1.25rem;line-height:1.25;letter-spacing:-.01em}h3{margin:24px 0 8px;font-size:1rem}
@media (min-width:48rem){h1{font-size:2.5rem}h2{font-size:1.75rem}h3{font-size:1.25rem}}
p{margin:0 0 16px}p,ul,ol{max-width:72ch}a{color:var(--accent);text-underline-offset:.18em}
code,pre{font:var(--mono)}code{overflow-wrap:anywhere}
pre{margin:8px 0 16px;padding:8px 16px;background:var(--wash);white-space:pre-wrap;overflow-wrap:anywhere}.whole{user-select:all}
.lead{font-size:1.25rem;line-height:1.4;color:var(--soft)}.nowrap{white-space:nowrap}
.host{font:var(--mono);color:var(--soft);overflow-wrap:anywhere}
mark{background:light-dark(#fdf0b8,#4a3d08);color:inherit;border-radius:2px;padding:0 1px}
table{border-collapse:collapse;width:100%}th{text-align:left;font-weight:600}td,th{padding:8px 16px 8px 0;border-bottom:1px solid var(--line);vertical-align:top}td:last-child,th:last-child{padding-right:0}.num{text-align:right;white-space:nowrap}.scroll{overflow-x:auto}.scroll+p{margin-top:16px}
.panes{display:grid;grid-template-columns:minmax(0,1fr);gap:0 48px;margin-top:24px}.panes>:first-child>:first-child{margin-top:0}.panes aside h2{font-size:1.25rem;margin-top:24px}@media (min-width:60rem){.panes{grid-template-columns:minmax(0,5fr) minmax(0,3fr)}.panes>:last-child>:first-child{margin-top:0!important}.panes:has(>aside:empty){grid-template-columns:minmax(0,1fr)}}
@media (max-width:36rem){main{padding:24px 16px 48px}}
`;

/** What is filled in, ticked and pressed. */
const FORMS = `
button,.button{justify-content:center;min-height:48px;padding:0 24px;border:1px solid var(--accent);border-radius:8px;background:var(--accent);color:var(--on-accent);font:600 1rem/1 system-ui,sans-serif;text-decoration:none;cursor:pointer}
button:hover,.button:hover{filter:brightness(1.08)}.quiet{background:none;color:var(--accent);min-height:40px;padding:0 16px}.danger{background:var(--bad);border-color:var(--bad);color:light-dark(#fff,#2a0806)}
input,select,textarea{width:100%;min-height:48px;padding:0 16px;border:1px solid var(--soft);border-radius:8px;background:var(--paper);color:var(--ink);font:inherit}select{min-height:40px}
textarea{padding:8px 16px;resize:vertical}textarea[data-part],textarea.code{font:var(--mono)}input[type=file]{padding:8px 16px}
label{display:block;margin-bottom:4px}.ask{display:flex;gap:8px;margin-bottom:16px}.ask input{flex:1;min-width:0}
.narrow{max-width:24rem}.field{margin:0 0 16px;max-width:none}.field label{color:var(--ink)}.field .small{display:block;margin-top:4px}.hint{margin:4px 0 0}.pair{display:grid;gap:0 16px}@media (min-width:40rem){.pair{grid-template-columns:1fr 1fr}}
fieldset{margin:0 0 24px;padding:0;border:0;min-width:0}legend{margin:0 0 8px;padding:0;font-size:1.25rem;font-weight:700;letter-spacing:-.01em}
.choice{margin:16px 0}.choice legend{font-size:1rem;font-weight:600}.tick{display:flex;gap:16px;align-items:start;padding:8px 0;font-size:1rem;color:var(--ink);margin:0}.tick input,label.choice input{flex:none;width:20px;height:20px;min-height:0;margin:2px 0;accent-color:var(--accent)}label.choice{display:flex;align-items:center;gap:16px;min-height:40px;margin:0;color:var(--ink);font-size:1rem}
.sheet{margin-top:24px}.sheet .more{margin-bottom:24px}.plain{margin:8px 0 16px}
.filters{margin:16px 0}.filters summary,.more>summary{cursor:pointer;color:var(--accent);min-height:40px;padding:8px 0}.fields{display:grid;grid-template-columns:repeat(auto-fill,minmax(12rem,1fr));gap:16px;padding:8px 0 16px}
.acts{display:flex;flex-wrap:wrap;align-items:center;gap:8px 16px;margin:24px 0}.acts form{display:contents}.acts select{width:auto}.events .acts{margin:8px 0 0}.events .field{margin:8px 0}.acts .said{min-height:56px;align-content:center}
.tabs{border:0;margin:0 0 16px;padding:0;display:flex;flex-wrap:wrap;gap:0 8px}.tabs>legend{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}.tabs>input{position:absolute;opacity:0;width:1px;min-height:1px;height:1px}.tabs>label{margin:0;padding:8px;min-height:40px;color:var(--soft);border-bottom:2px solid transparent;cursor:pointer}.tabs>input:checked+label{color:var(--accent);border-color:var(--accent);font-weight:600}.tabs>input:focus-visible+label{outline:2px solid var(--accent);outline-offset:2px;border-radius:4px}.tabs>pre{order:9;width:100%;display:none}
.tabs>input:nth-of-type(1):checked~pre:nth-of-type(1),.tabs>input:nth-of-type(2):checked~pre:nth-of-type(2),.tabs>input:nth-of-type(3):checked~pre:nth-of-type(3){display:block}
@media (max-width:36rem){.ask{flex-wrap:wrap}.ask input{flex-basis:100%}.ask button{width:100%}}
`;

/** Signs, chips, notes and lists. */
const PARTS = `
.sign{flex:none;display:inline-grid;place-items:center;width:20px;height:20px;background:currentColor;font:700 .8125rem/1 system-ui,sans-serif}.sign::before{content:attr(data-mark);color:var(--paper)}
.sign.good{border-radius:50%}.sign.warn{clip-path:polygon(50% 0,100% 100%,0 100%)}.sign.warn::before{margin-top:6px}.sign.bad{border-radius:4px}.sign.soft{border-radius:50%;background:none;border:2px solid currentColor}.sign.soft::before{color:currentColor}
.pill{gap:8px;padding:2px 8px;border-radius:8px;background:var(--wash-of);font-weight:600}.pills{display:inline-flex;flex-wrap:wrap;gap:8px}
.chips{margin:8px 0;display:flex;flex-wrap:wrap;gap:8px}.chips a,.chip{gap:8px;color:var(--ink);text-decoration:none}.chips a{min-height:40px;padding:0 16px}.chip{padding:0 8px}.chip.soft{border-style:dashed;color:var(--soft)}
.chips a:hover,.chips a[aria-current]{border-color:var(--accent)}.chips a[aria-current]{color:var(--accent);font-weight:600}.chips a span{color:var(--soft);font-weight:400}
.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(8rem,1fr));gap:16px;margin:24px 0;padding:0}.figures dd{margin:0;font-size:1.75rem;line-height:1.25;font-weight:650;letter-spacing:-.02em}.figures small{font-weight:400;color:var(--soft);letter-spacing:0}
.theirs{margin:8px 0;padding:0 0 0 16px;border-left:3px solid var(--line)}.theirs p{margin:0}
.note,.said{border-left:4px solid var(--line);padding:16px 24px;margin:24px 0;background:var(--wash);border-radius:4px 8px 8px 4px}.note{border-color:var(--accent)}.note p:last-child{margin:0}.note h2{margin:0 0 8px;font-size:1.25rem}.refused{border-color:var(--bad)}
.said{padding:8px 16px;margin:8px 0;color:var(--ink)}.said.good{border-color:var(--good)}.said.warn{border-color:var(--warn)}.said.bad{border-color:var(--bad)}
.checks>li,.fixes>li,.events>li,.visits>li{padding:16px 0}.checks p,.fixes p,.events p{margin:0}.checks>li{display:flex;gap:16px}
.events h2,.fixes h3{margin:0 0 8px;font-size:1.25rem}.fixes h3{font-size:1rem}.fixes pre{margin:8px 0 0}.gain{float:right;margin-left:16px;color:var(--accent);font-weight:600}.rows>li{display:flex;flex-wrap:wrap;align-items:center;justify-content:space-between;gap:8px 16px}
.score{font-size:1.75rem;font-weight:650;letter-spacing:-.02em;margin:0}meter{width:100%;min-width:4rem;height:8px}
.results>li{padding:24px 0}.results h2{margin:0;font-size:1.25rem}.results h2 a{text-decoration:none}.results h2 a:hover{text-decoration:underline}.results p{margin:8px 0 0}
.marked{display:flex;gap:16px}.marked>div{flex:1;min-width:0}.named{margin-bottom:16px;align-items:center}.named h1{margin:0;min-width:0}.mark{flex:none;width:40px}.mark text{fill:#fff;font:650 20px system-ui,sans-serif;text-anchor:middle}.chip.spoken{border-color:var(--accent);color:var(--accent);font-weight:600}
.preview{display:none;min-height:32px;padding:0 8px;font-size:.8125rem}.answers .chip{margin-top:4px}@media (min-width:60rem){[data-live] .preview{display:inline-flex}aside:has(>.previewed)>:not(.previewed){display:none}}.previewed{position:sticky;top:16px;max-height:calc(100vh - 32px);overflow:auto;padding:16px 24px}.previewed h2{margin:0 0 8px!important}.previewed .answers{grid-template-columns:minmax(0,1fr)}
.visits>li{display:flex;flex-wrap:wrap;align-items:center;justify-content:space-between;gap:8px 16px}.visits .host{flex:1}.visits>li>span:last-child{min-width:6rem;text-align:right}@media (max-width:36rem){.visits>li{display:grid;gap:4px;justify-items:start}.visits>li>span:last-child{text-align:left}}
.steps{counter-reset:step;display:flex;flex-wrap:wrap;gap:8px 24px;margin:0 0 24px}.steps li{counter-increment:step}.steps li::before{content:counter(step) ". "}.steps [aria-current]{color:var(--accent);font-weight:600}
.copy{margin:16px 0}.copy>div{display:grid;grid-template-columns:minmax(0,1fr);gap:4px 16px;padding:8px 0}.copy dd{margin:0;min-width:0}.copy dd p{margin:4px 0}.copy .quiet{padding:0 16px;margin:4px 8px;vertical-align:middle}@media (min-width:40rem){.copy>div{grid-template-columns:6rem minmax(0,1fr)}}
.copyable{position:relative}.copyable pre{padding-right:88px}.copyable button{position:absolute;top:3px;right:3px;min-height:32px;padding:0 8px;background:var(--paper);font-size:.8125rem}
@media (min-width:60rem){.beside-link{display:none}}.panes aside .results h3{font-size:1rem;margin:0}.visits+p{margin-top:16px}.whole+.panes,.copyable+.panes{margin-top:48px}
.pages{display:flex;gap:16px;margin:24px 0}
`;

/** Cards and pictures: the doors of the home page, the answers and folds of a site's, bars and strips. */
const PICTURES = `
.cards{margin:24px 0;display:grid;gap:16px;grid-template-columns:repeat(auto-fit,minmax(14rem,1fr))}.cards a{display:block;height:100%;padding:16px 24px;color:var(--soft);text-decoration:none}.cards a:hover{border-color:var(--accent)}.cards b{display:block;color:var(--ink);margin-bottom:4px}
.columns{margin:24px 0;display:grid;gap:16px;grid-template-columns:repeat(auto-fit,minmax(min(100%,11rem),1fr))}.columns>li{padding:16px}.columns h2{margin:0 0 8px;font-size:1.25rem}
.answers{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,20rem),1fr));gap:1px;margin:24px 0;background:var(--line);overflow:hidden}.answers>div{padding:16px 24px;background:var(--wash-of,var(--paper))}.answers>div:last-child:nth-child(odd){grid-column:1/-1}.answers dd{margin:4px 0 0}.word{display:flex;align-items:center;gap:8px;font-size:1.25rem;line-height:1.25;font-weight:650}.answers dd:last-child{color:var(--ink)}
.fold>summary{display:grid;grid-template-columns:16px auto minmax(0,1fr);align-items:baseline;gap:0 16px;padding:16px 0;cursor:pointer;list-style:none}.fold>summary::before{content:"+";width:16px;color:var(--accent);font:700 1.25rem/1 system-ui,sans-serif}.fold[open]>summary::before{content:"–"}.fold>summary h2{margin:0;font-size:1.25rem}.fold>summary:hover h2{color:var(--accent)}.fold>div{padding:0 0 24px 32px}.fold h3{font-size:1rem}@media (max-width:36rem){.fold>summary{grid-template-columns:16px minmax(0,1fr)}.fold>summary>.small{grid-column:2}.fold>div{padding-left:0}}
.chart{display:block;width:100%;border-radius:4px;margin:8px 0}.chart .good{fill:var(--good)}.chart .warn{fill:var(--warn)}.chart .bad{fill:var(--bad)}.chart .soft{fill:var(--line)}.chart .accent{fill:var(--accent)}.days{stroke:var(--accent);stroke-width:6px;border-bottom:1px solid var(--soft);border-radius:0}.columns p{margin:0}.counts :is(td,th):not(:first-child){text-align:right}.counts td,.counts tbody th{white-space:nowrap}.line path{fill:none;stroke:var(--accent);stroke-width:2px}.line{min-width:6rem;margin:0}
.bars thead th{vertical-align:bottom}.bars thead .num{white-space:normal;min-width:4rem}.bars td:nth-child(2){width:50%}.bars .chart{margin:0;min-width:3rem}@media (max-width:36rem){.bars td:nth-child(2){width:30%}}.bars tbody td,.bars tbody th{font-weight:400;vertical-align:middle;font-size:.8125rem}
.key{display:flex;flex-wrap:wrap;gap:8px 24px;margin:8px 0 24px}.key li{display:flex;align-items:center;gap:8px}
`;

export const STYLE = `${COLORS}${FRAME}${TEXT}${FORMS}${PARTS}${PICTURES}
@media print{.menu,.ask,.acts,.filters,.foot,.skip{display:none}body{font-size:11pt}a{color:inherit}}
@media (prefers-reduced-motion:no-preference){.chips a,.cards a,button,.button{transition:border-color .1s,filter .1s}}
`;
