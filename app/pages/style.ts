/** The pages' one style sheet: system fonts, one accent, 8-point spacing, light and dark, print. Inline, allowed by digest. */

/** Colors, header and footer. */
const FRAME_STYLE = `
:root{color-scheme:light dark;--ink:light-dark(#16202b,#e6ebf1);--soft:light-dark(#51606f,#a3b1bf);--line:light-dark(#d9e0e7,#303c49);--paper:light-dark(#fff,#11161c);--wash:light-dark(#f3f6f8,#19212a);--accent:light-dark(#0b6e63,#54d3c0);--on-accent:light-dark(#fff,#06231f);--good:light-dark(#14713c,#66d68f);--warn:light-dark(#8a5300,#f0b65a);--bad:light-dark(#b3261e,#ff8f86)}
.skip{position:absolute;left:-99rem}.skip:focus{left:8px;top:8px;z-index:2;padding:8px 16px;background:var(--accent);color:var(--on-accent);border-radius:8px}
.bar{border-bottom:1px solid var(--line);background:var(--paper)}
.bar-in{max-width:72rem;margin:0 auto;padding:8px 24px;display:flex;flex-wrap:wrap;align-items:center;gap:0 24px}
.brand{display:inline-flex;align-items:center;gap:8px;min-height:40px;color:var(--ink);font-weight:650;letter-spacing:-.01em;text-decoration:none}
.brand svg{color:var(--accent)}
.bar .menu{position:static;max-height:none;display:flex;flex-wrap:wrap;gap:0 4px;margin:0 0 0 auto;font-size:.9375rem}
.bar .menu a{display:inline-flex;align-items:center;min-height:40px;padding:0 12px;color:var(--soft);text-decoration:none;border-radius:8px}
.bar .menu a:hover{color:var(--ink);background:var(--wash)}.bar .menu a[aria-current]{color:var(--accent);font-weight:600}
.demo{background:var(--wash);border-bottom:1px solid var(--line)}.demo p{max-width:72rem;margin:0 auto;padding:8px 24px;font-size:.875rem}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:4px}
@media (max-width:36rem){.bar-in{padding:8px 16px}.bar .menu{margin:0 -12px;width:calc(100% + 24px);gap:0;flex-wrap:nowrap;overflow-x:auto;white-space:nowrap}.bar .menu a{padding:0 7px 0 12px;font-size:.875rem}.demo p{padding:8px 16px}}
`;

export const STYLE = `${FRAME_STYLE}
*{box-sizing:border-box}[hidden]{display:none!important}html{-webkit-text-size-adjust:100%;scroll-padding-top:16px}
body{margin:0;font:1rem/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);overflow-wrap:break-word;min-height:100vh;display:flex;flex-direction:column}
main{flex:1;width:100%;max-width:72rem;margin:0 auto;padding:32px 24px 64px}
h1{margin:0 0 8px;font-size:clamp(1.75rem,1.4rem + 1.8vw,2.5rem);line-height:1.15;letter-spacing:-.025em;text-wrap:balance}
h2{margin:48px 0 16px;font-size:1.25rem;line-height:1.3;letter-spacing:-.01em}h3{margin:24px 0 8px;font-size:1rem}
p{margin:0 0 16px;max-width:68ch}ul,ol{max-width:68ch}a{color:var(--accent);text-underline-offset:.18em}
code,pre{font:.875em/1.5 ui-monospace,SFMono-Regular,Menlo,monospace}code{overflow-wrap:anywhere}
pre{margin:8px 0 16px;padding:12px 16px;background:var(--wash);border:1px solid var(--line);border-radius:8px;white-space:pre-wrap;overflow-wrap:anywhere}
.lead{font-size:1.125rem;color:var(--soft)}.soft{color:var(--soft)}.small{font-size:.875rem}.nowrap{white-space:nowrap}
.host{font:500 .9375rem/1.5 ui-monospace,SFMono-Regular,Menlo,monospace;color:var(--soft);overflow-wrap:anywhere}
.foot{border-top:1px solid var(--line);color:var(--soft);font-size:.875rem}
.foot-in{max-width:72rem;margin:0 auto;padding:24px;display:flex;flex-wrap:wrap;gap:8px 24px}.foot a{color:inherit}.foot p{margin:0}
button,.button{display:inline-flex;align-items:center;justify-content:center;min-height:48px;padding:0 24px;border:1px solid var(--accent);border-radius:8px;background:var(--accent);color:var(--on-accent);font:600 1rem/1 system-ui,sans-serif;text-decoration:none;cursor:pointer}
button:hover,.button:hover{filter:brightness(1.08)}.quiet{background:none;color:var(--accent);min-height:40px;padding:0 16px;font-size:.9375rem}
input,select{width:100%;min-height:48px;padding:0 12px;border:1px solid var(--soft);border-radius:8px;background:var(--paper);color:var(--ink);font:inherit}
select{min-height:40px}label{display:block;font-size:.875rem;color:var(--soft);margin-bottom:4px}
.ask{display:flex;gap:8px;max-width:44rem}.ask input{flex:1;min-width:0}
[hidden]{display:none!important}.narrow{max-width:24rem}.field{margin:0 0 16px}.field .small{display:block;margin-top:4px}.refused{border-left-color:var(--bad)}.danger{background:var(--bad);border-color:var(--bad);color:light-dark(#fff,#2a0806)}
fieldset{border:0;margin:0 0 24px;padding:0}legend{font-weight:600;padding:0;margin-bottom:8px}.choice{display:flex;align-items:center;gap:12px;min-height:40px;margin:0;color:var(--ink);font-size:1rem}.choice input{width:20px;min-height:20px;height:20px;margin:0;flex:none;accent-color:var(--accent)}
.visually-hidden{position:absolute;width:1px;height:1px;margin:-1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.hero{padding:32px 0 8px}.hero .lead{max-width:56ch}
.filters{margin:16px 0}.filters summary,.more summary{cursor:pointer;color:var(--accent);min-height:40px;display:list-item;padding:8px 0}
.fields{display:grid;grid-template-columns:repeat(auto-fill,minmax(12rem,1fr));gap:16px;padding:8px 0 16px}
.chips{list-style:none;margin:8px 0;padding:0;display:flex;flex-wrap:wrap;gap:8px;max-width:none}
.chips a{display:inline-flex;align-items:center;gap:8px;min-height:40px;padding:0 12px;border:1px solid var(--line);border-radius:8px;color:var(--ink);text-decoration:none;font-size:.9375rem}
.chips a:hover,.chips a[aria-current]{border-color:var(--accent)}.chips a[aria-current]{color:var(--accent);font-weight:600}.chips span{color:var(--soft);font-weight:400;font-variant-numeric:tabular-nums}
.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(9rem,1fr));gap:16px;margin:32px 0;padding:0}
.figures div{border-top:2px solid var(--line);padding-top:8px}.figures dt{color:var(--soft);font-size:.875rem}.figures dd{margin:0;font-size:1.75rem;font-weight:650;letter-spacing:-.02em;font-variant-numeric:tabular-nums}
.results{list-style:none;margin:0;padding:0;max-width:46rem}.results>li{padding:24px 0;border-top:1px solid var(--line)}
.results h2{margin:0;font-size:1.125rem}.results h2 a{text-decoration:none}.results h2 a:hover{text-decoration:underline}.scroll+p{margin-top:16px}
.theirs{margin:8px 0;padding:0 0 0 12px;border-left:3px solid var(--line)}.theirs p{margin:0}
mark{background:light-dark(#fdf0b8,#4a3d08);color:inherit;border-radius:2px;padding:0 1px}
.tags{max-width:none;list-style:none;display:flex;flex-wrap:wrap;gap:4px 16px;margin:8px 0;padding:0;font-size:.875rem;color:var(--soft)}
.why{font-size:.875rem;color:var(--soft);margin:8px 0 0}
.pill{display:inline-flex;align-items:center;gap:6px;padding:2px 10px;border:1px solid currentColor;border-radius:999px;font-size:.875rem;font-weight:600;white-space:nowrap}
.pill.soft{font-weight:400}.pills{display:inline-flex;flex-wrap:wrap;gap:8px;max-width:100%}.pills .pill{white-space:normal}.good{color:var(--good)}.warn{color:var(--warn)}.bad{color:var(--bad)}
.note{border:1px solid var(--line);border-left:4px solid var(--accent);border-radius:8px;padding:16px;margin:24px 0;max-width:46rem;background:var(--wash)}.note p:last-child{margin:0}.note h2{margin:0 0 8px}
.acts{display:flex;flex-wrap:wrap;align-items:center;gap:8px 16px;margin:24px 0}.acts form{display:contents}.acts select{width:auto}.events .acts{margin:12px 0 0}.events .field{margin:12px 0}.rows>li{display:flex;flex-wrap:wrap;align-items:center;justify-content:space-between;gap:8px 16px}.figures small{font-size:1rem;font-weight:400;color:var(--soft);letter-spacing:0}
.two{display:grid;grid-template-columns:minmax(0,1fr);gap:0 64px}@media (min-width:60rem){.two{grid-template-columns:minmax(0,3fr) minmax(0,2fr)}}
.checks,.fixes,.events{list-style:none;margin:0;padding:0;max-width:46rem}.checks>li,.fixes>li,.events>li{padding:12px 0;border-top:1px solid var(--line)}
.checks>li{display:grid;grid-template-columns:24px minmax(0,1fr) auto;gap:0 12px}.checks p,.fixes p,.events p{margin:0}.checks .mark{font-weight:700}
.fixes h3{margin:0 0 4px}.fixes pre{margin:8px 0 0}.gain{float:right;margin-left:16px;color:var(--accent);font-weight:600;font-size:.875rem}
.score{font-size:2rem;font-weight:650;letter-spacing:-.02em;font-variant-numeric:tabular-nums}.score small{font-size:1rem;font-weight:400;color:var(--soft)}
table{border-collapse:collapse;width:100%;max-width:46rem;font-size:.9375rem}th{text-align:left;font-weight:600;color:var(--soft);font-size:.875rem}td,th{padding:8px 16px 8px 0;border-bottom:1px solid var(--line);vertical-align:top}td:last-child,th:last-child{padding-right:0}.num{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}.scroll{overflow-x:auto}
meter{width:100%;min-width:4rem;height:8px}
textarea{width:100%;padding:12px;border:1px solid var(--soft);border-radius:8px;background:var(--paper);color:var(--ink);font:inherit;resize:vertical}textarea[data-part],textarea.code{font:.8125rem/1.5 ui-monospace,SFMono-Regular,Menlo,monospace}
.steps{list-style:none;counter-reset:step;display:flex;flex-wrap:wrap;gap:4px 24px;margin:0 0 24px;padding:0;max-width:none;font-size:.875rem;color:var(--soft)}.steps li{counter-increment:step}.steps li::before{content:counter(step) ". "}.steps [aria-current]{color:var(--accent);font-weight:600}
.sheet,#owner{max-width:46rem}.sheet{margin-top:32px}.sheet .more{margin-bottom:24px}fieldset{margin:0 0 32px;padding:0;border:0;min-width:0}legend{margin:0 0 8px;padding:0;font-size:1.25rem;font-weight:700;letter-spacing:-.01em}.choice{margin:16px 0}.choice legend{font-size:1rem;font-weight:600}
.field{margin:0 0 16px}.field label{color:var(--ink)}.hint{margin:4px 0 0;font-size:.875rem;color:var(--soft)}.pair{display:grid;gap:0 16px}@media (min-width:40rem){.pair{grid-template-columns:1fr 1fr}}
.plain{list-style:none;margin:8px 0 16px;padding:0;max-width:none}.tick{display:flex;gap:12px;align-items:start;padding:8px 0;font-size:1rem;color:var(--ink);margin:0}.tick input{flex:none;width:20px;height:20px;min-height:0;margin:2px 0;accent-color:var(--accent)}
.acts .said{min-height:56px;align-content:center}input[type=file]{padding:10px 12px}.said{border-left:4px solid var(--line);padding:4px 0 4px 12px;margin:8px 0;color:var(--ink)}.said.good{border-color:var(--good)}.said.warn{border-color:var(--warn)}.said.bad{border-color:var(--bad)}
.copy{margin:16px 0}.copy>div{display:grid;grid-template-columns:minmax(0,1fr);gap:4px 16px;padding:12px 0;border-top:1px solid var(--line)}.copy dt{color:var(--soft);font-size:.875rem}.copy dd{margin:0;min-width:0}.copy dd p{margin:4px 0}.copy .quiet{min-height:32px;padding:0 12px;margin:4px 8px;font-size:.875rem;vertical-align:middle}@media (min-width:40rem){.copy>div{grid-template-columns:6rem minmax(0,1fr)}}
.visits{list-style:none;margin:0;padding:0;max-width:none}.visits>li{display:grid;grid-template-columns:minmax(0,1fr) auto;gap:4px 16px;align-items:center;padding:12px 0;border-top:1px solid var(--line)}.visits .pill{justify-self:end}.visits>li>span:last-child{text-align:right}@media (min-width:60rem){.visits>li{grid-template-columns:minmax(0,1fr) 10rem 16rem 16rem}.visits>li>span:last-child{text-align:left}.visits .pill{justify-self:start}}.visits+p{margin-top:16px}@media (max-width:36rem){.visits>li>*{grid-column:1/-1;justify-self:start!important}}
.pages{display:flex;gap:16px;margin:24px 0}
@media (max-width:36rem){main{padding:24px 16px 48px}.hero{padding:8px 0}.foot-in{padding:24px 16px}.ask{flex-wrap:wrap}.ask input{flex-basis:100%}.ask button{width:100%}.checks>li{grid-template-columns:24px minmax(0,1fr)}.checks time{grid-column:2}.figures{grid-template-columns:1fr 1fr}}
@media print{.bar .menu,.ask,.acts,.filters,.foot,.skip{display:none}body{font-size:11pt}a{color:inherit}}
@media (prefers-reduced-motion:no-preference){.chips a,button,.button{transition:border-color .1s,filter .1s}}
`;
