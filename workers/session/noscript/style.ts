/** The style of the page without script: the contract names it, so that the front allows this one and no other. */
export const NOSCRIPT_STYLE = `
:root { color-scheme: light dark; --ink: light-dark(#1c2530, #e4e9ef); --soft: light-dark(#566472, #9fadbb); --line: light-dark(#dde4ea, #33404d);
  --paper: light-dark(#fff, #14191f); --wash: light-dark(#f4f7f9, #1c232b); --accent: light-dark(#0b6e63, #4fd1bd) }
* { box-sizing: border-box }
body { margin: 0; font: 1rem/1.6 system-ui, sans-serif; color: var(--ink); background: var(--paper) }
.page { max-width: 46rem; margin: 0 auto; padding: 2.5rem 1.25rem 4rem }
.kicker { margin: 0; color: var(--accent); font-size: .85rem; font-weight: 600; letter-spacing: .02em }
h1 { margin: .15rem 0 .4rem; font-size: clamp(1.6rem, 1.2rem + 2vw, 2.2rem); line-height: 1.2; letter-spacing: -.02em; overflow-wrap: anywhere }
h2 { margin: 2.6rem 0 .6rem; font-size: 1.15rem }
h3 { margin: 0; font: 600 .95rem/1.5 ui-monospace, monospace; overflow-wrap: anywhere }
p { margin: .4rem 0; overflow-wrap: anywhere }
a { color: var(--accent); text-underline-offset: .15em; overflow-wrap: anywhere }
a:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 2px }
.lead { font-size: 1.1rem } .soft { color: var(--soft); font-size: .9rem }
.facts { display: flex; flex-wrap: wrap; gap: 1px; margin: 1.5rem 0 0; background: var(--line); border: 1px solid var(--line); border-radius: .6rem; overflow: hidden }
.facts div { flex: 1 1 9rem; background: var(--paper); padding: .7rem .9rem }
.facts dt { color: var(--soft); font-size: .8rem } .facts dd { margin: 0; font-weight: 600 }
.rules { list-style: none; margin: 0; padding: 0; display: grid; grid-template-columns: repeat(auto-fill, minmax(13rem, 1fr)); gap: .15rem 1.5rem }
.rules li { display: flex; justify-content: space-between; gap: 1rem; padding: .35rem 0; border-bottom: 1px solid var(--line) }
.yes { color: var(--accent); font-weight: 600 } .no { color: var(--soft) }
.action { border-top: 1px solid var(--line); padding: .8rem 0 }
.action ul { margin: .3rem 0 0; padding-left: 1.1rem }
.links { margin: 0; padding-left: 1.1rem } .links li { padding: .1rem 0 }
ol li { padding: .15rem 0 } code { font: .88em ui-monospace, monospace; background: var(--wash); border-radius: .25rem; padding: .1em .3em; overflow-wrap: anywhere }
footer { margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--line) }
`;
