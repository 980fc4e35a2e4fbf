/** Whether a type is a wanted one; a `*` at the end stands for any rest, as in `scrape.*`. */
export function isOfType(type: string, wanted: string): boolean {
  return wanted.endsWith('*') ? type.startsWith(wanted.slice(0, -1)) : type === wanted;
}
