import type { RepairPage } from './repair.ts';
import type { Symptom } from './symptom.ts';

/** A kept page that another one of its address is compared with. */
export interface ComparedPage extends RepairPage {
  readonly status: number;
  readonly observedAt: number;
}

/** What the cause of a ticket is searched by, besides the bad page itself. */
export interface CauseQuestion {
  readonly symptoms: readonly Symptom[];
  /** The address that was asked for. */
  readonly asked: string;
  /** The last good page of that address. */
  readonly good: ComparedPage;
  /** How the records of the two pages are known: `none` where the plan does not read them, `keyless` where their keys stand on another page. */
  readonly records: 'keyed' | 'keyless' | 'none';
}
