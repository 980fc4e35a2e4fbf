/** A number with its noun, as `1 record` or `3 records`. */
export function countOf(count: number, noun = 'record'): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
