/** What the records of a target say of its end. */
export interface EndRule {
  /** The type of the records. */
  readonly record: string;
  /**
   * The first instant from `at` on at which all records can say that the target is finished, if their values stay as they are. It is
   * `at` itself where they say so now; `undefined` if they never will, and for no record.
   */
  endsAt(records: Iterable<Readonly<Record<string, unknown>>>, at: number): number | undefined;
}
