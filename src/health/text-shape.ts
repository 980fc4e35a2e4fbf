/** What a text looks like, coarsely: a field whose texts are addresses on one day and sentences on the next reads another place. */
export type TextShape = 'address' | 'markup' | 'digits' | 'signs' | 'latin' | 'script';

/** The beginning of a text that its shape is taken of, in characters. */
const looked = 200;

/** Returns the shape of a text: `digits` where these are at least as many as letters, `signs` without either, `script` where most letters are not Latin. */
export function textShape(text: string): TextShape {
  const start = text.slice(0, looked);
  if (/^(?:https?:)?\/\//i.test(start)) return 'address';
  if (/<\/?[a-z][^<>]*>/i.test(start)) return 'markup';
  let [digits, latin, others] = [0, 0, 0];
  for (const character of start) {
    if (/[a-z]/i.test(character)) latin += 1;
    else if (/\p{N}/u.test(character)) digits += 1;
    else if (/\p{Script=Latin}/u.test(character)) latin += 1;
    else if (/\p{L}/u.test(character)) others += 1;
  }
  if (digits + latin + others === 0) return 'signs';
  if (digits >= latin + others) return 'digits';
  return others > latin ? 'script' : 'latin';
}

/** Whether a text was decoded by another charset than it was written in: it has the replacement character, or UTF-8 that was read as Windows-1252 or Latin-1. */
export function isGarbled(text: string): boolean {
  return /\uFFFD|Ã[\u0080-\u00BF\u0192\u201A\u2026]|Â[\u00A0-\u00BF]|â[€„]|[Â-ô][\u0080-\u009F]/.test(text);
}
