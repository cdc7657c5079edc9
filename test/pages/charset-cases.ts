/** Pages that name their encoding, or seem to: what a browser reads, beside each. Without one: UTF-8 here, the reader's own there. */
const long = "x".repeat(1_100);
const KOI = "<meta charset=koi8-r>";
const UTF = "<meta charset=utf-8>";
const CONTENT = "<meta http-equiv=Content-Type";

/** What the page names, then the page's bytes, one UTF-16 unit each. */
export const PAGES: readonly (readonly [encoding: string | undefined, page: string])[] = [
  // In comments, values, scripts and text, nothing is named.
  ["utf-8", `<!-- ${KOI} -->${UTF}`],
  ["koi8-r", `<!-->${KOI}`],
  ["koi8-r", `<!-- --!>${KOI}`],
  ["utf-8", `<!-- -- >${KOI}-->${UTF}`],
  ["utf-8", `<?php echo "${KOI}" ?>${UTF}`],
  ["utf-8", `</xxx ${KOI}>${UTF}`],
  ["utf-8", `</xxx a=">${KOI}">${UTF}`],
  ["utf-8", `<div title="${KOI}">${UTF}`],
  ["utf-8", `<a title='>${KOI}'>${UTF}`],
  ["utf-8", `<script>"${KOI}"</script>${UTF}`],
  ["utf-8", `<script><!-- <script> </script> ${KOI} --></script>${UTF}`],
  ["utf-8", `<title>${KOI}</title>${UTF}`],
  ["utf-8", `<style>${KOI}</style>${UTF}`],
  ["utf-8", `<textarea>${KOI}</textarea>${UTF}`],
  ["utf-8", `<iframe>${KOI}</iframe>${UTF}`],
  [undefined, `<plaintext>${KOI}`],
  [undefined, `<title>${KOI}`],
  [undefined, '<meta charset="koi8-r'],
  // How a meta element is written.
  ["koi8-r", "<meta/charset=koi8-r>"],
  ["koi8-r", "<META   CHARSET = 'koi8-r' >"],
  ["koi8-r", "<meta\fcharset=koi8-r>"],
  ["koi8-r", '<meta charset=" koi8-r "/>'],
  ["koi8-r", "<meta charset=&#107;oi8-r>"],
  ["utf-8", "<meta charset=koi8-r charset=utf-8>"],
  ["utf-8", `<metacharset=koi8-r>${UTF}`],
  ["utf-8", `< meta charset=koi8-r>${UTF}`],
  ["utf-8", `<meta charset="koi8-r;x">${UTF}`],
  ["utf-8", `<meta data-charset=koi8-r>${UTF}`],
  ["utf-8", `<meta name=keywords content="tea, charset=koi8-r">${UTF}`],
  ["utf-8", `<meta content="text/html; charset=koi8-r">${UTF}`],
  ["utf-8", `<meta http-equiv=refresh content="999;url=?charset=koi8-r">${UTF}`],
  ["koi8-r", `${CONTENT} content="text/html; charset=koi8-r">`],
  ["koi8-r", `<meta content="text/html;charset = koi8-r" http-equiv=content-type>`],
  ["koi8-r", `${CONTENT} content='charset charset="koi8-r"'>`],
  ["utf-8", `${CONTENT} content='charset="koi8-r'>${UTF}`],
  ["utf-8", `${CONTENT} content="text/html;charset=koi8-r" charset=utf-8>`],
  // What is named.
  ["koi8-r", `<meta charset=klingon>${KOI}`],
  ["utf-8", "<meta charset=utf-16>"],
  ["windows-1252", "<meta charset=x-user-defined>"],
  ["windows-1251", "<meta charset=cp1251>"],
  ["gbk", "<meta charset=gb2312>"],
  ["euc-kr", "<meta charset=ks_c_5601-1987>"],
  ["iso-2022-jp", "<meta charset=iso-2022-jp>"],
  // Late: anywhere in the head, and elsewhere among the first 1,024 characters.
  ["koi8-r", `<!--${long}-->${KOI}`],
  [
    "koi8-r",
    `<title>${long}</title><link href="${long}"><script>${long}</script><style>${long}</style>${KOI}`,
  ],
  ["koi8-r", `<body>${KOI}`],
  ["koi8-r", `<body>${"x".repeat(1_017)}${KOI}`],
  [undefined, `<body>${"x".repeat(1_018)}${KOI}`],
  [undefined, `<p>${long}${KOI}`],
  [undefined, `<!--${long}--></head>${KOI}`],
  // XML declarations, which must come first, and which a meta element overrides.
  ["koi8-r", '<?xml version="1.0" encoding="koi8-r"?><p>'],
  ["koi8-r", "<?xml encoding = 'koi8-r' ?><p>"],
  ["utf-8", `<?xml version="1.0" encoding="koi8-r"?>${UTF}`],
  ["utf-8", '<?xml encoding="utf-16"?><p>'],
  ["utf-16le", "<\0?\0x\0m\0l\0>\0<\0p\0>\0"],
  [undefined, ' <?xml version="1.0" encoding="koi8-r"?><p>'],
  [undefined, "<?xml encoding=koi8-r?><p>"],
  [undefined, '<?XML encoding="koi8-r"?><p>'],
];

/** Of a page that names another encoding within itself: the Content-Type, and what a browser reads by it. */
export const TYPES: readonly (readonly [encoding: string, contentType: string, page: string])[] = [
  ["koi8-r", "text/html; charset=koi8-r", UTF],
  ["koi8-r", 'TEXT/HTML;; CHARSET="koi\\8-r"', UTF],
  ["koi8-r", "text/html; charset=; charset=koi8-r", UTF],
  ["koi8-r", "text/html;charset=utf-8, text/html;charset=koi8-r", UTF],
  ["koi8-r", "text/html, text/html; charset=koi8-r", UTF],
  ["utf-8", "text/html; charset = koi8-r", UTF],
  ["utf-8", 'text/html; charset="";charset=koi8-r', UTF],
  ["utf-8", 'text/html; a="; charset=koi8-r"; charset=utf-8', KOI],
  ["koi8-r", "text/html; charset=klingon", KOI],
  ["utf-8", "text/html; charset=koi8-r", `\xef\xbb\xbf${KOI}`],
  ["utf-16le", "text/html; charset=koi8-r", "\xff\xfe<\0p\0>\0"],
  [
    "koi8-r",
    "application/xhtml+xml",
    '<?xml version="1.0" encoding="koi8-r"?><html xmlns="http://www.w3.org/1999/xhtml"/>',
  ],
  [
    "utf-8",
    "application/xhtml+xml",
    '<html xmlns="http://www.w3.org/1999/xhtml"><head><meta charset="koi8-r"/></head></html>',
  ],
];
