/** What stands for each letter after `%` in a format of Luxon. Upper and lower case of words make no difference to either. */
const tokens: ReadonlyMap<string, string> = new Map([
  ['Y', 'yyyy'],
  ['y', 'yy'],
  ['m', 'M'],
  ['B', 'MMMM'],
  ['b', 'MMM'],
  ['h', 'MMM'],
  ['d', 'd'],
  ['e', 'd'],
  ['j', 'o'],
  ['A', 'cccc'],
  ['a', 'ccc'],
  ['H', 'H'],
  ['k', 'H'],
  ['I', 'h'],
  ['l', 'h'],
  ['M', 'm'],
  ['S', 's'],
  ['f', 'u'],
  ['p', 'a'],
  ['P', 'a'],
  ['z', 'ZZZ'],
  ['Z', 'z'],
  ['F', 'yyyy-M-d'],
  ['D', 'M/d/yy'],
  ['T', 'H:m:s'],
  ['R', 'H:m'],
  ['n', ' '],
  ['t', ' '],
]);

/** A format of strptime as one of Luxon, or the token in it that has no meaning here. */
export function luxonFormat(strptime: string): { readonly format: string } | { readonly unknown: string } {
  let format = '';
  for (const [piece, letter] of strptime.matchAll(/%[-_0^#]?(.?)|\s+|[^%\s]+/gsu)) {
    if (letter !== undefined) {
      const token = letter === '%' ? "'%'" : tokens.get(letter);
      if (token === undefined) return { unknown: piece };
      format += token;
    } else format += /\s/.test(piece) ? ' ' : quotedLiteral(piece);
  }
  return { format };
}

/** Letters between quotes stand for themselves; an apostrophe is written twice outside them. */
function quotedLiteral(text: string): string {
  return text
    .split("'")
    .map((part) => (part === '' ? '' : `'${part}'`))
    .join("''");
}
