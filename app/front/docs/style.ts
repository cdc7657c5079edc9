/** What the documentation's pages need beside the style of all pages. */
import { STYLE } from "../../pages/style.ts";

export const DOCS_STYLE = `${STYLE}
.doc .scroll{margin:8px 0 16px}.doc li p{margin:0}.doc code{background:var(--wash);border-radius:4px;padding:1px 4px}.doc pre code{padding:0;background:none}
.beside ul{list-style:none;margin:0;padding:0}.beside a{display:block;padding:8px 0;font-size:.8125rem;text-decoration:none}.beside a[aria-current]{font-weight:600;color:var(--ink)}@media (min-width:60rem){.panes:has(>.beside){grid-template-columns:minmax(0,1fr) 14rem}.beside{position:sticky;top:16px;align-self:start;max-height:calc(100vh - 32px);overflow-y:auto}}
.crumbs{font-size:.8125rem;margin:0 0 8px}.verb{font-weight:700;font-size:.8125rem;color:var(--accent)}
.ops{list-style:none;margin:0;padding:0;max-width:none}.ops li{border-top:1px solid var(--line)}.ops a{display:block;padding:8px 0;min-height:40px;color:var(--ink);text-decoration:none}.ops a:hover{color:var(--accent)}.ops code{display:block;color:var(--soft);background:none;padding:0}
.service summary{cursor:pointer;padding:8px 0;min-height:40px;font-weight:600}.service{border-top:1px solid var(--line)}.service .soft{font-weight:400;font-size:.8125rem}
.mem,.mem ul{list-style:none;margin:0;padding:0;max-width:none}.mem li{padding:8px 0;border-top:1px solid var(--line)}.mem p{margin:4px 0 0;font-size:.8125rem;color:var(--soft);max-width:none}.mem ul{margin-left:16px}.mem summary{cursor:pointer;color:var(--accent);font-size:.8125rem;padding:4px 0}
.try textarea{min-height:8rem;font:.8125rem/1.5 ui-monospace,monospace}.try output{display:block}
`;
