import type { LoadedSource } from '../definition/catalogue.ts';
import type { Source } from '../definition/source.ts';
import { defined } from '../defined.ts';
import { mediaTypeOf } from '../fetch/media-type.ts';
import type { Page } from '../fetch/page.ts';
import type { FetchRequest } from '../fetch/request.ts';
import type { Hop } from '../provider/provider.ts';
import { pageRequest } from '../provider/requests.ts';
import { mayPass } from '../request/failure.ts';
import type { MakeRequest, RequestResult } from '../request/intent.ts';
import { watchRequests, withinHours } from '../request/scrape-requests.ts';
import { SentCredentials } from '../request/sent-credentials.ts';
import { nextAvailable } from '../schedule/time/open-hours.ts';
import { type FileResult, recordsOfFile, settleFile } from '../store/files.ts';
import { scrapable } from '../store/scrapes.ts';
import type { Store } from '../store/store.ts';
import type { FileRow, StoredFile } from '../store/tables/files.ts';
import type { TargetRow } from '../store/tables/rows.ts';
import { pageDigest } from '../vault/entry.ts';
import type { Vault } from '../vault/vault.ts';
import { heldMs, idleMs, isHeld, type RoundDeps } from './source-round.ts';
import { visitPage } from './visit.ts';
import type { Visit } from './walk.ts';

/** The dependencies of fetching the files of all sources. */
export interface FileDeps extends RoundDeps {
  /** The pause before a file is asked for again that could not be fetched `times` times in a row, in milliseconds. */
  retryDelayMs(times: number): number;
}

/**
 * Fetches the files of a source that are due and puts them into the vault, those that soon vanish first. Resolves with when the next is due,
 * wall time; `undefined` for a source whose records name none, and where nothing is kept. Rejects for errors of ours, and with the signal's
 * reason when it fires.
 */
export type FetchFiles = (source: string, signal: AbortSignal) => Promise<number | undefined>;

/** A file that could not be fetched so many times in a row is given up: after 8 to 9 hours. */
const mostTries = 10;

/** Files of targets that nobody watches are looked at again after so long, in milliseconds. */
const unwatchedMs = 6 * 3_600_000;

/** The number of files that may not be requested now after which a round ends. */
const mostLater = 200;

/** One round over the files of a source. */
interface Round {
  readonly vault: Vault;
  readonly loaded: LoadedSource;
  /** The addresses that were taken. */
  readonly taken: Set<string>;
  /** Files that are not to be asked for now, and until when, wall time. */
  readonly later: (readonly [FileRow, number])[];
  isHeld: boolean;
}

/** Opens the fetching of the files of all sources. */
export function createFetchFiles(deps: FileDeps): FetchFiles {
  const { clock, store, dues } = deps;
  return async (id, signal) => {
    const loaded = deps.catalogue().sources.get(id);
    const vault = deps.vault();
    if (loaded === undefined || vault === undefined || store().files.fieldsOf(id) === undefined) return undefined;
    if (deps.paused() !== undefined) return clock.now() + heldMs;
    const round: Round = { vault, loaded, taken: new Set(), later: [], isHeld: false };
    const { concurrency } = loaded.source.politeness;
    await Promise.all(Array.from({ length: concurrency }, () => work(round, signal)));
    await postpone(round);
    if (round.isHeld) return clock.now() + heldMs;
    return Math.min(store().files.nextAt(id) ?? Infinity, clock.now() + idleMs);
  };

  async function work(round: Round, signal: AbortSignal): Promise<void> {
    for (let next = nextOf(round); next !== undefined; next = nextOf(round)) {
      signal.throwIfAborted();
      await fetchFile(round, next, signal);
    }
  }

  /** The next file, whose target may be asked now. */
  function nextOf(round: Round): { readonly row: FileRow; readonly target: TargetRow } | undefined {
    // The next round goes by a definition that has changed.
    if (round.isHeld || deps.catalogue().sources.get(round.loaded.source.id) !== round.loaded) return undefined;
    const now = clock.now();
    for (const row of store().files.due(round.loaded.source.id, now)) {
      if (round.taken.has(row.url)) continue;
      if (round.later.length === mostLater) return undefined;
      round.taken.add(row.url);
      const [target] = targetsOf(store(), row);
      const openAt = target && nextAvailable(dues.scheduleOf(target).hours, now);
      if (target !== undefined && openAt === now) return { row, target };
      round.later.push([row, openAt ?? now + unwatchedMs]);
    }
    return undefined;
  }

  async function postpone({ later }: Round): Promise<void> {
    if (later.length === 0) return;
    await deps.unlessFull(() =>
      store().write(() => {
        const { files } = store();
        for (const [{ source, url }, askAt] of later) {
          const row = files.get(source, url);
          if (row?.askAt !== undefined) files.put({ ...row, askAt });
        }
      }),
    );
  }

  /** Asks for a file, has the vault write it, and then stores what came of it. */
  async function fetchFile(
    round: Round,
    { row, target }: { readonly row: FileRow; readonly target: TargetRow },
    signal: AbortSignal,
  ): Promise<void> {
    const { source, version } = round.loaded;
    const sent = new SentCredentials();
    const { hours } = dues.scheduleOf(target);
    const watched = withinHours(hours, clock, watchRequests(deps.makeRequest, sent));
    const now = clock.now();
    const makeRequest: MakeRequest = (intent, limited) =>
      // What soon vanishes is like a re-check whose deadline has come.
      watched(
        { ...intent, kind: 'file', unlessOpen: true, ...(row.isEphemeral === true && { deadlineAt: now }) },
        limited,
      );
    const { result } = await visitPage(
      visitOf(source, row, target),
      {
        clock,
        random: () => deps.random(),
        makeRequest,
        source,
        address: target.url,
        dueAt: now,
        // What fails is tried again by a later round.
        nextDueAt: now,
        timeLimitMs: deps.settings().timeLimitMs,
        commit: () => Promise.resolve(),
      },
      signal,
    );
    const { trouble } = result;
    const outcome = sent.outcome(result.outcome);
    const done = isHeld(outcome)
      ? undefined
      : await deps.unlessFull(async () => {
          const what: FileResult =
            outcome.kind === 'page'
              ? { kind: 'stored', file: await keep(outcome.page) }
              : { kind: 'failed', ...failureOf({ outcome, ...defined({ trouble }) }, row.tries ?? 0) };
          await store().write((change) => settleFile(store(), change, row, what));
          return true;
        });
    if (done === undefined) round.isHeld = true;

    /** Has the vault write a file, unless it has the same bytes already. Rejects with `StoreFullError`. */
    async function keep({ status, observedAt, body, headers, url }: Page): Promise<StoredFile> {
      const digest = pageDigest(body);
      const mediaType = mediaTypeOf(headers);
      const of = { source: source.id, target: target.target, scrape: 0, version, url: sent.url(url) };
      const file = { ...of, status, observedAt, contentType: mediaType, why: 'file' as const, digest };
      if (!round.vault.isKept(digest)) await round.vault.write([{ ...file, body: new Uint8Array(body) }]);
      return { digest, bytes: body.byteLength, mediaType, at: Math.round(observedAt) };
    }
  }

  /** The failure of a try, and when the next one is. */
  function failureOf({ outcome, trouble }: Pick<RequestResult, 'outcome' | 'trouble'>, tries: number) {
    const { code, message } = outcome.kind === 'failed' ? outcome.failure : unexpected(outcome);
    const failure = { code, message, ...defined({ cause: trouble?.cause }) };
    const isPassing = code === 'time_limit' || mayPass({ outcome, ...defined({ trouble }) });
    if (!isPassing || tries + 1 >= mostTries) return { failure };
    const pauseMs = Math.max(deps.retryDelayMs(tries + 1), trouble?.retryAfterMs ?? 0);
    return { failure, retryAt: clock.now() + pauseMs };
  }
}

/** The targets that a file's records belong to and that may be asked for now. */
function targetsOf(store: Store, row: FileRow): readonly TargetRow[] {
  const numbers = new Set(recordsOfFile(store, row).map(({ target }) => target));
  return Array.from(numbers).flatMap((number) => {
    const found = scrapable(store, number);
    return found.ok ? [found.target] : [];
  });
}

function visitOf(source: Source, { url, maxBytes, accept }: FileRow, target: TargetRow): Visit {
  return { url, isOnly: true, isFile: true, request };

  function request(to: string, _copy: unknown, hop: Hop = { keepsMethod: false, isHome: true }): FetchRequest {
    // What the definition sends is for the site of its target alone.
    const isHome = hop.isHome && new URL(url).origin === URL.parse(target.url)?.origin;
    const made = pageRequest(source, to, undefined, { keepsMethod: false, isHome });
    return {
      ...made,
      limits: { ...made.limits, maxBytes },
      ...(accept !== undefined && { accepts: accept, headers: { accept: accept.join(', '), ...made.headers } }),
    };
  }
}

function unexpected({ kind }: RequestResult['outcome']): { readonly code: string; readonly message: string } {
  return { code: 'unexpected', message: `expected a file, got an outcome "${kind}"` };
}
