import { pick, type World } from '../../../src/demo/facts/world.ts';
import { RequestLog } from './request-log.ts';

/** A fault of all paths below one path, for a while. */
export interface Fault {
  /** Such as `/crowd/`; of several that match a request's path, the longest counts. */
  readonly prefix: string;
  /** By the web's clock without its offset; missing means until it is cleared. */
  readonly untilAt?: number;
  readonly kind: FaultKind;
}

export type FaultKind =
  | { readonly type: 'status'; readonly status: number; readonly retryAfterS?: number | undefined }
  /** The answer comes so much later. */
  | { readonly type: 'slow'; readonly delayMs: number }
  /** The request is read and never answered. */
  | { readonly type: 'silence' }
  /** The connection ends after half of the body. */
  | { readonly type: 'cut' };

/** The state of a web besides its facts: the settings that its control routes change, and its log of requests. */
export interface WebState {
  readonly world: World;
  /** Added to the clock to give the web's time. */
  offsetMs: number;
  faults: readonly Fault[];
  /** Path prefixes below which pages have their changed layout. */
  rebuilt: readonly string[];
  /** In place of the robots.txt that the sites make. */
  robots?: string;
  /** Raised to end all log-ins. */
  sessions: number;
  readonly log: RequestLog;
  /** Text that fills pages up to their size. */
  readonly filler: string;
}

const words =
  'the heron stands in shallow water and waits for what the river brings it today while other birds come and go'.split(
    ' ',
  );
const fillerWords = 12_000;

/** A web as it is before anybody asked it anything. */
export function newWebState(world: World): WebState {
  const filler = Array.from({ length: fillerWords }, (_, index) => pick(world, words, 'filler', index)).join(' ');
  return { world, offsetMs: 0, faults: [], rebuilt: [], sessions: 1, log: new RequestLog(), filler };
}

/** The fault that a request for `path` meets now, if any. */
export function faultAt({ faults }: WebState, path: string, now: number): Fault | undefined {
  return faults
    .filter((fault) => path.startsWith(fault.prefix) && (fault.untilAt === undefined || now < fault.untilAt))
    .sort((one, other) => other.prefix.length - one.prefix.length)[0];
}
