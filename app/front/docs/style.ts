/** What the documentation's pages need beside the style of all pages. */
import { STYLE } from "../../pages/style.ts";

export const DOCS_STYLE = `${STYLE}
.doc{max-width:52rem}.doc table{max-width:none}.doc .scroll{margin:8px 0 16px}.doc h2{margin-top:40px}.doc li p{margin:0}.doc code{background:var(--wash);border-radius:4px;padding:.1em .3em}.doc pre code{padding:0;background:none}
.crumbs{font-size:.875rem;margin:0 0 8px}.verb{font-weight:700;font-size:.8125rem;color:var(--accent)}
.cards{list-style:none;margin:0;padding:0;max-width:none;display:grid;gap:16px;grid-template-columns:repeat(auto-fill,minmax(11rem,1fr))}.cards a{display:block;height:100%;padding:16px;border:1px solid var(--line);border-radius:8px;color:var(--soft);text-decoration:none;font-size:.9375rem}.cards a:hover{border-color:var(--accent)}.cards b{display:block;color:var(--ink);font-size:1rem;margin-bottom:4px}
.ops{list-style:none;margin:0;padding:0;max-width:none}.ops li{border-top:1px solid var(--line)}.ops a{display:block;padding:8px 0;min-height:40px;color:var(--ink);text-decoration:none}.ops a:hover{color:var(--accent)}.ops code{display:block;color:var(--soft);background:none;padding:0;font-size:.8125rem}
.service summary{cursor:pointer;padding:8px 0;min-height:40px;font-weight:600}.service{border-top:1px solid var(--line)}.service .soft{font-weight:400;font-size:.875rem}
.tabs{border:0;margin:0 0 16px;padding:0;display:flex;flex-wrap:wrap;gap:0 4px}.tabs>legend{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}.tabs>input{position:absolute;opacity:0;width:1px;min-height:1px;height:1px}.tabs>label{margin:0;padding:8px 12px;min-height:40px;color:var(--soft);border-bottom:2px solid transparent;cursor:pointer}.tabs>input:checked+label{color:var(--accent);border-color:var(--accent);font-weight:600}.tabs>input:focus-visible+label{outline:2px solid var(--accent);outline-offset:2px;border-radius:4px}.tabs>pre{order:9;width:100%;display:none}
.tabs>input:nth-of-type(1):checked~pre:nth-of-type(1),.tabs>input:nth-of-type(2):checked~pre:nth-of-type(2),.tabs>input:nth-of-type(3):checked~pre:nth-of-type(3){display:block}
.mem,.mem ul{list-style:none;margin:0;padding:0;max-width:none}.mem li{padding:8px 0;border-top:1px solid var(--line);font-size:.9375rem}.mem p{margin:2px 0 0;font-size:.875rem;color:var(--soft);max-width:none}.mem ul{margin-left:16px}.mem summary{cursor:pointer;color:var(--accent);font-size:.875rem;padding:4px 0}
.try textarea{min-height:8rem;font:.8125rem/1.5 ui-monospace,monospace}.try output{display:block}
`;
