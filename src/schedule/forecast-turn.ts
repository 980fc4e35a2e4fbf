import type { OpenHours } from './available.ts';
import type { CronTimes } from './cron.ts';
import type { ForecastRecheck } from './forecast-recheck.ts';
import type { Bucket, TokenLimits } from './tokens.ts';

/** What a forecast knows of how a target falls due. */
export type ForecastPace =
  | { readonly kind: 'interval'; readonly everyMs: number; readonly nextAt: number }
  | ({ readonly kind: 'cron' } & CronTimes)
  | ({ readonly kind: 'tokens' } & ForecastTokens)
  | { readonly kind: 'continuous'; readonly sleepMs: number; readonly tookMs: number }
  /** Its objective alone. */
  | { readonly kind: 'objective' }
  /** Of a source: what hours it meets closed is left out, and not made up for. */
  | { readonly kind: 'pulse'; readonly everyMs: number; readonly nextAt: number };

/** What each turn of a target takes, and what moves it. */
export interface ForecastTurn {
  readonly requests: number;
  /** None for always. */
  readonly hours: readonly OpenHours[];
  readonly recheck?: ForecastRecheck | undefined;
  /** Of one that was never scraped: its first turn, after which its pace begins. */
  readonly firstAt?: number | undefined;
}

/** What a target has to spend, and what it is given. */
export interface ForecastTokens {
  readonly bucket: Bucket;
  readonly priority: number;
  readonly limits?: TokenLimits;
  /** Whose calendar days they are granted for, as far as hours tell one from another. Default: `UTC`. */
  readonly zone?: string;
}
