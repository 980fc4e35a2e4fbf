import type { ForecastTarget } from '../../src/schedule/forecast.ts';
import { slotFraction } from '../../src/schedule/time/grid.ts';
import type { GivenPace, PaceRow } from '../../src/schedule/pace/all.ts';
import { type Bucket, defaultTokens, type TokenLimits } from '../../src/schedule/pace/bucket.ts';

const settlingMs = 7 * 86_400_000;

/** A pace and where it stands, in few words. */
export type PlainPace =
  | { readonly kind: 'interval'; readonly everyMs: number; readonly nextAt: number }
  | { readonly kind: 'cron'; readonly pattern: string; readonly zone: string }
  | {
      readonly kind: 'tokens';
      readonly bucket: Bucket;
      readonly priority: number;
      readonly limits?: TokenLimits;
      readonly zone?: string;
      readonly planned?: readonly number[];
    }
  /** Without `nextAt` nobody knows when it is next due. */
  | { readonly kind: 'continuous'; readonly sleepMs: number; readonly tookMs: number; readonly nextAt?: number }
  | { readonly kind: 'objective' };

export interface PlainTarget extends Omit<ForecastTarget, 'row' | 'given' | 'recheckMs'> {
  readonly pace: PlainPace;
  /** How long after a turn the objective asks for the next one, and when it does so first. Default: so long after the begin. */
  readonly recheck?: { readonly afterMs: number; readonly nextAt?: number };
  readonly firstAt?: number;
}

/** A target with its row, as it is at the begin of a forecast. */
export function forecastTarget(
  { pace, recheck, firstAt, ...more }: PlainTarget,
  at: number,
  slot: number,
): ForecastTarget {
  const { afterMs = Infinity, nextAt } = recheck ?? {};
  const isUnknown = firstAt === undefined && isOfUnknownPhase(pace, recheck);
  const periodMs = Math.min(afterMs, pace.kind === 'continuous' ? pace.sleepMs + pace.tookMs : Infinity);
  const walkedFrom = at - Math.ceil(settlingMs / periodMs) * periodMs;
  const unknownAt = isUnknown ? walkedFrom - (1 - slotFraction((slot % 128) + 1)) * periodMs : undefined;
  const verifiedAt = unknownAt ?? (nextAt === undefined ? undefined : nextAt - afterMs);
  return {
    ...rowOf(pace, at, unknownAt, firstAt),
    ...(recheck && { recheckMs: afterMs }),
    ...(verifiedAt !== undefined && { verifiedAt }),
    ...(isUnknown && { walkedFrom }),
    ...(pace.kind === 'continuous' && { tookMs: pace.tookMs }),
    ...(pace.kind === 'tokens' && { priority: pace.priority }),
    ...more,
  };
}

function isOfUnknownPhase(pace: PlainPace, recheck: PlainTarget['recheck']): boolean {
  if (pace.kind === 'continuous') return pace.nextAt === undefined;
  return pace.kind === 'objective' && recheck !== undefined && recheck.nextAt === undefined;
}

function rowOf(
  pace: PlainPace,
  at: number,
  unknownAt: number | undefined,
  firstAt: number | undefined,
): Pick<ForecastTarget, 'row' | 'given'> {
  const row = (since: number, own: PaceRow, given: GivenPace) => ({
    row: { since, pace: own, ...(firstAt !== undefined && { firstAt }) },
    given,
  });
  switch (pace.kind) {
    case 'interval': {
      const { everyMs, nextAt } = pace;
      const grid = { originAt: nextAt, everyMs, phaseMs: 0, key: '', slot: 0 };
      return row(nextAt - everyMs, { kind: 'interval', grid }, { kind: 'interval', everyMs });
    }
    case 'cron':
      return row(at - 1, pace, pace);
    case 'continuous': {
      const { sleepMs, nextAt = at } = pace;
      const endedAt = unknownAt ?? nextAt - sleepMs;
      const given = { kind: 'continuous', sleepMs, longestMs: sleepMs } as const;
      return row(endedAt, { kind: 'continuous', endedAt, failures: 0, draw: 0 }, given);
    }
    case 'tokens': {
      const { bucket, limits = defaultTokens, zone = 'UTC', planned = [] } = pace;
      const since = Math.min(at, planned[0] ?? at) - 1;
      return row(since, { kind: 'tokens', bucket, planned, planAt: Infinity }, { kind: 'tokens', ...limits, zone });
    }
    default:
      return row(unknownAt ?? at - 1, pace, pace);
  }
}
