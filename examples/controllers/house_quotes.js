// Holds strings to one kind of quotes: {"quote": "'"}. In a string that has been opened, anything goes.

export const wants = ["symbols"];
const wanted = params.quote ?? '"';
const others = ['"', "'"].filter((one) => one !== wanted);

function openedWith(line) {
  let open = "";
  for (let at = 0; at < line.length; at++) {
    if (line[at] === "\\") at++;
    else if (open) open = line[at] === open ? "" : open;
    else if ("\"'`".includes(line[at])) open = line[at];
  }
  return open;
}

export function step({ candidates, text, symbols }) {
  const line = (symbols.before + text).split("\n").at(-1);
  if (openedWith(line)) return {};
  return { ban: candidates.filter((one) => others.includes(openedWith(line + one.text)) || others.some((quote) => one.text.trimStart().startsWith(quote))).map((one) => one.id) };
}
