import type { Cause, CauseKind } from '../view/ticket.ts';

/** A request or a scrape that failed. */
export interface Failed {
  readonly code: string;
  readonly message: string;
  /** What the failure was classified as, such as `rate_limited`. */
  readonly cause: string;
}

/** What classes of failures say of a site. */
const kinds: Readonly<Record<string, CauseKind>> = {
  network: 'site_down',
  origin_down: 'site_down',
  rate_limited: 'blocked',
  blocked: 'blocked',
  login_expired: 'login_wall',
  not_found: 'soft_404',
  gone: 'soft_404',
};

/**
 * Finds why requests or scrapes failed, by what most of the failures have in common: `slow` where answers did not come in time, `unknown`
 * where the site answered with what cannot be read. Returns nothing where no cause is that of more than half of them.
 *
 * @param what - what failed, in the plural.
 */
export function failureCause(failures: readonly Failed[], what: string): Cause | undefined {
  const [most] = [...Map.groupBy(failures, causeKindOf)].toSorted(([, one], [, other]) => other.length - one.length);
  const [kind = 'unknown', same = []] = most ?? [];
  const [first] = same;
  if (first === undefined || 2 * same.length <= failures.length) return undefined;
  const says = [`${same.length} of ${failures.length} ${what}: ${first.message}`];
  return { kind, says: refusedLogIns.has(first.code) ? [...says, logInRemedy] : says };
}

/** The codes of failures whose log-in the site refused, and what a person does then. */
const refusedLogIns: ReadonlySet<string> = new Set(['login_refused', 'login_attempts']);
const logInRemedy =
  'the site refuses the log-in: change its secrets or its definition, then `heronry sources --reset ID` tries it again';

function causeKindOf({ code, cause }: Failed): CauseKind {
  if (code === 'timeout') return 'slow';
  if (refusedLogIns.has(code)) return 'login_wall';
  if (code === 'truncated') return 'items_cut';
  // A refusal by its status has the code of one; else a page stood there that lets persons through.
  return cause === 'blocked' && code !== 'status' ? 'challenge' : (kinds[cause] ?? 'unknown');
}
