import type { FieldCell, RecordView } from './record.ts';

/** A correction of the history of a record from an instant on. */
export interface Correction {
  /** The record as it is now. */
  readonly record: RecordView;
  readonly at: number;
  /** The corrected values by field, with the instant of the change that ends each; missing where it holds until now. */
  readonly fields: Readonly<Record<string, { readonly value: FieldCell['value']; readonly until?: number }>>;
}

/** Some corrections of a job. */
export interface CorrectionSlice {
  readonly rows: readonly Correction[];
  /** Where to go on after; missing where there are no more. */
  readonly last?: { readonly record: number; readonly at: number };
}
