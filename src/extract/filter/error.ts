/** What a filter cannot work on: `text` is what it was given, shortened. The value is lost, as one that does not parse is. */
export class FilterError extends Error {
  override readonly name = 'FilterError';
  readonly text: string;
  readonly expected: string;

  constructor(text: string, expected: string) {
    super(`expected ${expected}, got "${text}"`);
    this.text = text;
    this.expected = expected;
  }
}
