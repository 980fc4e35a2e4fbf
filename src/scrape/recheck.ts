import type { LoadedSource } from '../definition/catalogue.ts';
import { guardsOf } from '../definition/source-guards.ts';
import { hasPagesOfRecords } from '../definition/objective-fields.ts';
import type { Source } from '../definition/source.ts';
import { defined } from '../defined.ts';
import { openProvider } from '../provider/declared.ts';
import type { ItemPages, OpenProvider } from '../provider/provider.ts';
import type { MakeRequest } from '../request/intent.ts';
import type { Circuits } from '../request/gate.ts';
import { ranked, watchRequests, withinHours } from '../request/scrape-requests.ts';
import { SentCredentials } from '../request/sent-credentials.ts';
import { type PulseTally, pulsesTogether } from '../schedule/waste.ts';
import { retryPauseMs } from '../schedule/time/objective.ts';
import type { DueRecord, RecheckLines } from './recheck-lines.ts';
import { evidenceOf, openKeeper } from './keep-page.ts';
import { ownDrafts, type RecordName } from './item-walk.ts';
import { laterPage } from './list-walk.ts';
import { pulseTally } from './pulse.ts';
import { verdictOf } from './run.ts';
import { heldMs, idleMs, isHeld, type RoundDeps } from './source-round.ts';
import { visitPage } from './visit.ts';
import type { Visit } from './walk.ts';
import { commitRecheck, type RecheckOps } from '../store/recheck.ts';
import { scrapable } from '../store/scrapes.ts';
import { addPulseWaste } from '../store/waste.ts';
import type { Store } from '../store/store.ts';
import type { TargetRow } from '../store/tables/rows.ts';
import type { RecordView } from '../view/record.ts';

/** The dependencies of the re-checks of all sources. */
export interface RecheckDeps extends RoundDeps {
  readonly lines: RecheckLines;
  readonly circuits: Circuits;
  /** Called after re-checks, as the ages of a target's records have changed. */
  freshnessChanged(): void;
}

/**
 * Re-checks records of a source that are due for their objectives, the nearest deadlines first, up to a number of them. Resolves with
 * when the next is due, wall time; `undefined` while none is. Rejects for errors of ours, and with the signal's reason when it fires.
 */
export type RunRechecks = (source: string, signal: AbortSignal) => Promise<number | undefined>;

/** Opens the re-checks of all sources. */
export function createRechecks(deps: RecheckDeps): RunRechecks {
  const { clock, store, lines } = deps;
  return async (id, signal) => {
    const loaded = deps.catalogue().sources.get(id);
    if (loaded === undefined || !hasPagesOfRecords(loaded.source)) return undefined;
    const { source } = loaded;
    const { due, nextAt } = await lines.look(id, openProvider(source).items);
    // Objectives may come with a project or a definition.
    if (due.length === 0) return nextAt ?? clock.now() + idleMs;
    if (deps.paused() !== undefined) return clock.now() + heldMs;
    const round = new Round(loaded, due);
    await Promise.all(Array.from({ length: source.politeness.concurrency }, () => work(round, signal)));
    deps.freshnessChanged();
    return round.isHeld || round.isIdle ? clock.now() + heldMs : clock.now();
  };

  async function work(round: Round, signal: AbortSignal): Promise<void> {
    for (let next = round.next(store()); next !== undefined; next = round.next(store())) {
      signal.throwIfAborted();
      const found = scrapable(store(), next.target);
      if (found.ok) await recheck(round, found.target, next, signal);
    }
  }

  /** Asks for the page of a record and writes what came of it. */
  async function recheck(round: Round, target: TargetRow, due: DueRecord, signal: AbortSignal): Promise<void> {
    const { source, provider, version } = round;
    const record = store().records.byNumber(due.record);
    if (record === undefined) return;
    lines.asked(due);
    const sent = new SentCredentials();
    const keeper = openKeeper(deps, { source: source.id, target: target.target, scrape: 0, version, sent });
    const { hours } = deps.dues.scheduleOf(target);
    const spent: { cost?: PulseTally } = {};
    const watched = watchRequests(deps.makeRequest, sent);
    const makeRequest: MakeRequest = async (intent, limited) => {
      const result = await ranked({ deadlineAt: due.deadlineAt }, withinHours(hours, clock, watched))(
        { ...intent, kind: 'recheck', unlessOpen: true },
        limited,
      );
      const tally = pulseTally(result);
      if (tally !== undefined) spent.cost = pulsesTogether(spent.cost, tally);
      return result;
    };
    const { items } = provider;
    const page = pageFor(items, record, due.field);
    const own = page.isOwn && items !== undefined ? ownVisit(store(), items, { target, record, version }) : undefined;
    const visit = own?.visit ?? visitOf(provider, record, copyOf(store(), record, { version, items }));
    const { result } = await visitPage(
      visit,
      {
        clock,
        random: () => deps.random(),
        makeRequest,
        source,
        target: target.target,
        address: target.url,
        dueAt: clock.now(),
        // What fails is tried again as a re-check of its own.
        nextDueAt: clock.now(),
        timeLimitMs: deps.settings().timeLimitMs,
        keepBytes: keeper.keepBytes,
        commit: () => Promise.resolve(),
      },
      signal,
    );
    const outcome = sent.outcome(result.outcome);
    const verdict = verdictOf({ result, url: page.url }, 'unused');
    deps.circuits.ended(source.id, { target: target.target, verdict });
    if (isHeld(outcome)) {
      round.hold();
      const { cost } = spent;
      if (cost !== undefined)
        await deps.unlessFull(() => addPulseWaste(store(), source.id, new Map([[target.target, cost]])));
      return;
    }
    const { kept } = outcome;
    const read = resultOf(outcome, version, own?.records);
    const digest = read.kind === 'read' ? evidenceOf(kept, read) : undefined;
    const ops: RecheckOps = {
      source: source.id,
      target: target.target,
      record: due.record,
      url: page.url,
      observedAt: outcome.at,
      result: read,
      guards: guardsOf(source),
      ...(page.isOwn && { itemType: record.type }),
      ...defined({ digest, cost: spent.cost }),
      retryAt: (times) => clock.now() + retryPauseMs(due.objectiveMs, times),
    };
    const committed = await deps.unlessFull(() => commitRecheck(store(), ops));
    if (committed === undefined) return round.hold();
    const step = { digest, itemType: ops.itemType, isRead: read.kind === 'read', result: committed };
    if (kept !== undefined) await keeper.keep(kept, step);
  }
}

type Outcome = Awaited<ReturnType<MakeRequest>>['outcome'];

/** @param records - those whose own page was asked for; missing for the page of a list. */
function resultOf(outcome: Outcome, version: string, records?: readonly RecordName[]): RecheckOps['result'] {
  switch (outcome.kind) {
    case 'read': {
      const { validators, extraction } = outcome;
      const drafts = records === undefined ? extraction.drafts : ownDrafts(records, extraction);
      return { kind: 'read', version, drafts, ...defined({ validators }) };
    }
    case 'unmodified':
      return { kind: 'unmodified' };
    case 'failed':
      return { kind: 'failed', code: outcome.failure.code, message: outcome.failure.message };
    case 'redirect':
      return { kind: 'failed', code: 'redirect', message: `redirected to ${outcome.location}` };
    case 'page':
      return { kind: 'failed', code: 'unexpected', message: 'a page came that nobody reads' };
    default:
      return outcome satisfies never;
  }
}

/** The page that verifies a field of a record, or the record as a whole: of its list and its own page, the one that was read longer ago. */
function pageFor(
  items: ItemPages | undefined,
  { type, url, page, updatedAt, firstSeenAt }: RecordView,
  field: string,
): { readonly url: string; readonly isOwn: boolean } {
  if (page === undefined || items?.reading(type) === undefined) return { url, isOwn: false };
  const isOwn = field === '' ? (page.readAt ?? firstSeenAt) <= updatedAt : items.hasField(type, field);
  return { url: isOwn ? page.url : url, isOwn };
}

/** The visit of a record's own page, and the records that lead there. */
function ownVisit(
  store: Store,
  items: ItemPages,
  { target, record, version }: { readonly target: TargetRow; readonly record: RecordView; readonly version: string },
): { readonly visit: Visit; readonly records: readonly RecordView[] } {
  const { type, page: { url } = { url: '' } } = record;
  const page = { type, url };
  const row = store.itemPages.get(target.target, page);
  const others = store.itemPages
    .recordsOf(target.target, page)
    .flatMap((number) => store.records.byNumber(number) ?? []);
  const records = [record, ...others.filter((each) => each.record !== record.record)];
  // All that the page says of the records must have been read when it was last read.
  const isKnown =
    row?.version === version && records.every((each) => each.page?.readAt === row.observedAt && !isWaiting(each));
  const hasValidators = row?.etag !== undefined || row?.lastModified !== undefined;
  const copy =
    isKnown && hasValidators && row.observedAt !== undefined
      ? { ...row, version, observedAt: row.observedAt }
      : undefined;
  const visit: Visit = {
    url,
    request: (address, validators, hop) => items.request(address, validators, hop, target.url),
    isOnly: true,
    ...defined({ reading: items.reading(type), copy }),
  };
  return { visit, records };
}

/**
 * Whether a value of a record is held, or waits to be confirmed. Its page is then requested without validators, since an unchanged page
 * would confirm nothing.
 */
function isWaiting({ held, candidates }: RecordView): boolean {
  return held !== undefined || candidates !== undefined;
}

function visitOf(provider: OpenProvider, { url }: RecordView, copy: Visit['copy']): Visit {
  const reading = provider.list === undefined ? provider.page : laterPage(provider.list.reading);
  return {
    url,
    reading,
    request: (address, validators, hop) => provider.request(address, validators, hop),
    isOnly: true,
    ...defined({ copy }),
  };
}

/** The validators of the page of a record's list, if all that the list says of the record was verified when the page was last read by the same definition. */
function copyOf(
  { pages }: Store,
  { target, type, url, updatedAt, fields }: RecordView,
  { version, items }: { readonly version: string; readonly items: ItemPages | undefined },
): Visit['copy'] {
  const page = pages.get(target, url);
  if (page?.version !== version || (page.etag === undefined && page.lastModified === undefined)) return undefined;
  const listed = Object.entries(fields).filter(([name]) => items?.hasField(type, name) !== true);
  const isWhole = updatedAt === page.observedAt && listed.every(([, { verifiedAt }]) => verifiedAt === updatedAt);
  return isWhole ? page : undefined;
}

/** One round of re-checks of a source. Workers take its records one after the other. */
class Round {
  readonly source: Source;
  readonly provider: OpenProvider;
  readonly version: string;
  readonly #due: Iterator<DueRecord>;
  /** Pages that were asked for, as one request verifies all records of a page. */
  readonly #asked = new Set<string>();
  #isHeld = false;

  constructor({ source, version }: LoadedSource, due: readonly DueRecord[]) {
    this.source = source;
    this.version = version;
    this.provider = openProvider(source);
    this.#due = due.values();
  }

  get isHeld(): boolean {
    return this.#isHeld;
  }

  /** Whether no page was asked for: all records were verified meanwhile, or are gone. */
  get isIdle(): boolean {
    return this.#asked.size === 0;
  }

  /** Ends the round, as nobody can be asked now. */
  hold(): void {
    this.#isHeld = true;
  }

  /** The next record that nothing has verified meanwhile, and whose page was not asked for in this round. */
  next({ ages, records }: Store): DueRecord | undefined {
    while (!this.#isHeld) {
      const { value: due } = this.#due.next() as IteratorResult<DueRecord, undefined>;
      if (due === undefined) return undefined;
      const record = ages.has(due.target, due.field, due) ? records.byNumber(due.record) : undefined;
      const url = record && pageFor(this.provider.items, record, due.field).url;
      if (url === undefined || this.#asked.has(url)) continue;
      this.#asked.add(url);
      return due;
    }
    return undefined;
  }
}
