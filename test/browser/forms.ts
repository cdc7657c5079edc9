/** Forms with everything that HTML lets a form have; `#go`, where there is one, is the button that is pressed. */
export const FORMS: readonly (readonly [name: string, html: string, charset?: string])[] = [
  [
    "text, hidden and a button's value",
    '<form action="/to?old=1#top"><input name="q" value="a b&amp;c+d"><input type="hidden" name="h" value="ü€"><button id="go" name="do" value="find">Go</button><button name="other" value="x">No</button></form>',
  ],
  [
    "post with line breaks",
    '<form method="post" action="to"><textarea name="t">\nfirst\nsecond\r\nthird</textarea><input name="e" value=""><input value="nameless"><button id="go">Go</button></form>',
  ],
  [
    "checkboxes and radio groups",
    '<form method="POST"><input type="checkbox" name="a" checked><input type="checkbox" name="b" value="2"><input type="radio" name="r" value="1" checked><input type="radio" name="r" value="2" checked><input type="radio" name="s" value="x"><button id="go">Go</button></form>',
  ],
  [
    "selects",
    '<form><select name="one"><option disabled>0</option><option>1</option><option>2</option></select><select name="two"><option value="a">A</option><option selected value="b">B</option></select><select multiple name="m"><option selected>x</option><option selected disabled>y</option><option selected>z</option></select><select name="list" size="3"><option>n</option></select><select name="g"><optgroup disabled label="g"><option>in</option></optgroup><option> out  of </option></select><button id="go">Go</button></form>',
  ],
  [
    "disabled controls and fieldsets",
    '<form><input name="a" value="1" disabled><fieldset disabled><legend><input name="inlegend" value="2"></legend><input name="b" value="3"><fieldset><legend><input name="c" value="4"></legend></fieldset></fieldset><input name="e" value="6" readonly><button id="go">Go</button></form>',
  ],
  [
    "a form in a table",
    '<table><form action="/table" method="post"><tr><td><input name="a" value="1"></td></tr><tr><td><select name="b"><option>2</option></select></td></tr><tr><td><button id="go" name="c" value="3">Go</button></td></tr></form></table>',
  ],
  [
    "controls elsewhere by their form attribute",
    '<input name="before" value="1" form="f"><form id="f"><input name="in" value="2"><input name="out" value="3" form="none"></form><textarea name="after" form="f">4</textarea><button id="go" form="f" name="go" value="5">Go</button>',
  ],
  [
    "a button's own address and method",
    '<form action="/one" method="post" enctype="text/plain"><input name="a" value="1"><button id="go" formaction="/two" name="b" value="2=3">Go</button></form>',
  ],
  [
    "multipart with a file input left alone",
    '<form method="post" enctype="multipart/form-data"><input name="a &quot;b&quot;" value="1\n2"><input type="file" name="f"><textarea name="t">x\ny</textarea><button id="go">Go</button></form>',
  ],
  [
    "an image button",
    '<form><input name="a" value="1"><input type="image" id="go" name="at" alt="Go"></form>',
  ],
  [
    "_charset_ and dirname",
    '<form accept-charset="UTF-8" method="post"><input type="hidden" name="_charset_" value="x"><input name="c" value="y" dirname="c.dir"><button id="go">Go</button></form>',
  ],
  [
    "a legacy encoding",
    '<form method="post"><input name="w" value="Grüße € 漢 &#128512;"><button id="go">Go</button></form>',
    "windows-1252",
  ],
  [
    "accept-charset names a known one",
    '<form method="post" accept-charset="nonsense shift_jis"><input name="w" value="日本 é"><button id="go">Go</button></form>',
  ],
  [
    "a base address",
    '<base href="/deep/er/"><form action="to"><input name="a" value="1"><button id="go">Go</button></form>',
  ],
  [
    "no action below a base address",
    '<base href="/deep/er/"><form method="post"><input name="a" value="1"><button id="go">Go</button></form>',
  ],
  [
    "a nested form is none",
    '<form action="/outer"><input name="a" value="1"><form action="/inner"><input name="b" value="2"><button id="go">Go</button></form></form>',
  ],
  [
    "values with line breaks in single lines",
    '<form method="post"><input name="a" value="x&#10;y"><input type="hidden" name="h" value="x&#10;y"><input type="email" name="m" value="a@b.example"><button id="go">Go</button></form>',
  ],
  [
    "defaults of dates and times that are none",
    '<form method="post"><input type="date" name="a" value="2026-02-31"><input type="date" name="b" value="2024-02-29"><input type="month" name="c" value="2026-13"><input type="week" name="d" value="2026-W53"><input type="week" name="e" value="2025-W53"><input type="time" name="f" value="24:00"><input type="time" name="g" value="09:30:15"><input type="datetime-local" name="h" value="2026-01-31 09:30:00"><input type="datetime-local" name="i" value="2026-01-31"><button id="go">Go</button></form>',
  ],
  [
    "defaults of colors, numbers and ranges",
    '<form method="post"><input type="color" name="a"><input type="color" name="b" value="#AABBCC"><input type="color" name="c" value="red"><input type="number" name="d" value="1e2"><input type="number" name="e" value="12,5"><input type="range" name="f"><input type="range" name="g" min="10" max="20" value="50"><input type="range" name="h" min="0" max="9" step="4"><input type="range" name="i" value="3.6"><input type="range" name="j" min="5" max="1"><input type="range" name="k" step="any" value="3.6"><input type="range" name="l" min="1" max="10" step="3" value="6"><button id="go">Go</button></form>',
  ],
  [
    "defaults of addresses with blanks around",
    '<form method="post"><input type="email" name="a" value=" a@b.example "><input type="email" multiple name="b" value=" a@b.example , c@d.example "><input type="url" name="c" value=" https://a.example/ "><input type="text" name="d" value=" x "><input type="tel" name="e" value=" 1&#13;&#10;2 "><button id="go">Go</button></form>',
  ],
  [
    "accept-charset of another encoding than the page's",
    '<form method="post" accept-charset="windows-1252"><input type="hidden" name="_charset_"><input name="w" value="é€Ж"><button id="go">Go</button></form>',
  ],
];
