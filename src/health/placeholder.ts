/** Texts that stand where a value is to come, or in the place of one. */
const placeholder =
  /^(?:loading\b.*|please wait.*|…|\.{2,}|[-–—_*?]+|n\/?a|tbd|tba|null|undefined|nan|\[object object\]|\{\{.*\}\})$/i;

/** The longest text that is looked at, in characters. */
const longest = 100;

/** Whether a text stands where a value is to come, as "Loading…", or says that there is none, as "n/a". */
export function isPlaceholder(text: string): boolean {
  return text.length <= longest && placeholder.test(text.trim());
}
