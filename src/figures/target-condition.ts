import type { Store } from '../store/store.ts';
import type { TargetRow } from '../store/tables/rows.ts';

/** The facts about a target that decide whether its values may be out of date. */
export interface TargetCondition {
  readonly source: string;
  /** Whether no scrape has read it yet, so that its records are not known. */
  readonly isUnread: boolean;
  /** Why it cannot be read at all, as a sentence. */
  readonly blocked?: string;
  /** The last scrape, if it did not complete: when it began, and what came of it as a sentence. */
  readonly failure?: { readonly at: number; readonly message: string };
  /** Fields whose objectives are broken; `''` stands for the whole record. */
  readonly late: readonly string[];
}

/** The number of newest scrapes of a target that are searched for the last one that ended; those after it run or wait. */
const lastScrapes = 4;

/** Reads the condition of a target. */
export function readCondition(store: Store, target: TargetRow): TargetCondition {
  const { source, parked, status, settled } = target;
  const scrapes = [...store.scrapes.ofTarget(target.target, { limit: lastScrapes })];
  const last = scrapes.find(({ endedAt }) => endedAt !== undefined);
  const blocked =
    target.gone !== undefined
      ? `the page of ${source} is gone`
      : status === 'parked' && parked !== undefined
        ? `${source} is parked: ${parked.reason}`
        : undefined;
  const result =
    last?.status === 'failed' ? `failed: ${last.failure?.message ?? 'no reason is known'}` : `was ${last?.status}`;
  return {
    source,
    isUnread: settled === 0 && store.records.countOfTarget(target.target, 1) === 0,
    ...(blocked !== undefined && { blocked }),
    ...(last !== undefined &&
      last.status !== 'complete' && {
        failure: { at: last.startedAt, message: `the last scrape of ${source} ${result}` },
      }),
    late: Object.keys(store.schedule.get(target.target)?.fresh?.episodes ?? {}),
  };
}

/** Says why a value of a target that was verified at an instant may be out of date; `undefined` where it is not. */
export function staleReason(
  { source, blocked, failure, late }: TargetCondition,
  { field = '', verifiedAt }: { readonly field?: string | undefined; readonly verifiedAt: number },
): string | undefined {
  if (blocked !== undefined) return blocked;
  if (failure !== undefined && failure.at > verifiedAt) return failure.message;
  return late.includes(field) || late.includes('') ? `${source} is older than its objective` : undefined;
}
