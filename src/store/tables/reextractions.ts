import type { FieldChanges } from '../../view/fields.ts';
import type { Value } from '../../extract/value/value.ts';
import type { ReextractionView } from '../../view/reextraction.ts';
import type { Environment } from '../lmdb/environment.ts';
import { numberedTable, table } from '../lmdb/table.ts';
import { namingSources, ownSource } from './source-names.ts';

/** A job that reads the kept pages of a source again, and where it stands. */
export interface ReextractionRow extends ReextractionView {
  /** The pack that is read, and where its next page lies: the offset of an entry, and where the page begins in it. */
  readonly readTo?: { readonly pack: number; readonly offset: number; readonly start: number };
  /** The record whose pages were compared last. */
  readonly comparedTo?: number;
}

/** What a page says of a record by the present definition. */
export interface ReextractedRow {
  readonly page: string;
  readonly target: number;
  readonly scrape: number;
  /** The version of the definition by which the page was read when it came. */
  readonly version: string;
  readonly fields: Readonly<Record<string, Value>>;
}

/** How the history of a record is corrected at one instant. */
export interface CorrectionRow extends Omit<ReextractedRow, 'version' | 'fields'> {
  /** The serial of the change that is corrected. */
  readonly corrects: number;
  readonly fields: FieldChanges;
}

/** A record's current value that was read from a page which is read again: the value now, and the value that replaces it. */
export type PresentRow = Readonly<Record<string, { readonly from: ObservedValue; readonly to: ObservedValue }>>;

/** A value and when it was first observed. */
export interface ObservedValue {
  readonly at: number;
  readonly value: Value;
}

type RecordKey = [job: number, record: number];
type InstantKey = [job: number, record: number, at: number];

/** The jobs that read kept pages again, and beside them what the pages say, and what would change. */
export function reextractionTable(environment: Environment) {
  const jobs = numberedTable<ReextractionRow>(environment, 'reextractions', (_, name) =>
    namingSources(environment, table<number, ReextractionRow>(environment, name), { row: ownSource }),
  );
  const read = table<InstantKey, ReextractedRow>(environment, 'reextractions.read');
  const corrections = table<InstantKey, CorrectionRow>(environment, 'reextractions.corrections');
  const present = table<RecordKey, PresentRow>(environment, 'reextractions.present');
  const ofJob = (job: number): { from: InstantKey; before: InstantKey } => ({
    from: [job, 0, 0],
    before: [job + 1, 0, 0],
  });

  return {
    jobs,
    read,
    corrections,
    present,
    /** The serial of the event of the job that is being applied, so that some of its corrections may be missing; `undefined` where none is. */
    applyingSerial(): number | undefined {
      for (const { state, serial } of jobs.rows({ newestFirst: true })) if (state === 'applying') return serial;
      return undefined;
    },
    /** The corrections of a job in the order of records and instants, at most `limit`. */
    correctionsOf: (job: number, limit: number) => [...corrections.entries({ ...ofJob(job), limit })],
    presentOf: (job: number, limit: number) => [...present.entries({ from: [job, 0], before: [job + 1, 0], limit })],
    /** The first record of a job after `after` that pages say something of. */
    nextRead(job: number, after: number): number | undefined {
      for (const [, record] of read.keys({ from: [job, after + 1, 0], before: [job + 1, 0, 0], limit: 1 }))
        return record;
      return undefined;
    },
    /** What pages say of a record, the oldest first. */
    readOf: (job: number, record: number) => [
      ...read.entries({ from: [job, record, 0], before: [job, record + 1, 0] }),
    ],
    /** Removes up to `limit` rows of what a job found. Returns their number. */
    clear(job: number, limit: number): number {
      let left = limit - read.removeRange({ ...ofJob(job), limit });
      if (left > 0) left -= corrections.removeRange({ ...ofJob(job), limit: left });
      if (left > 0) left -= present.removeRange({ from: [job, 0], before: [job + 1, 0], limit: left });
      return limit - left;
    },
  };
}
