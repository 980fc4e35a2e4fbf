import { emptyBaseline, forVersion, type Run } from '../health/baseline.ts';
import { brokenExpectations, type CheckedRun, isExpectationKnown, repeatedFields } from '../health/expectation.ts';
import { manyRecords } from '../health/guard.ts';
import { isJudged, judge, type Judgement } from '../health/judge.ts';
import { type Reading, recordCounts, saysOf, symptomsSince, trusted } from '../health/last-reading.ts';
import { accepted, isLearnt, learned } from '../health/learn.ts';
import { kindOf, type Measure } from '../health/measure-kind.ts';
import { measuresOf, type Scope } from '../health/measures.ts';
import { scrapeTally, type WholeType } from '../health/page-tally.ts';
import type { Report } from '../health/ticket-life.ts';
import { emptyTally, type RunTally } from '../health/tally.ts';
import { projectsOf } from '../schedule/watchers.ts';
import { defined } from '../defined.ts';
import { type Symptom, symptomId } from '../view/symptom.ts';
import type { TicketView } from '../view/ticket.ts';
import type { Close } from './ops.ts';
import { otherRecord, type ShownRecord } from './other-record.ts';
import { comesAndGoes, hasFewTargets, hasTicketOfOne, roundWith } from './round.ts';
import { mergedProjects, pagesShowing, withPage } from './round-evidence.ts';
import type { Change, Store } from './store.ts';
import type { BaselineRow, RoundRow } from './tables/runs.ts';
import type { ScrapeRow, TargetRow } from './tables/rows.ts';
import { asUsual, endDoubts } from './doubts.ts';
import { noteHealthy, reportTrouble, type TicketPlace } from './tickets.ts';

/** A scrape that ends, and what its steps have tallied. */
export interface EndedRun {
  readonly target: TargetRow;
  readonly scrape: ScrapeRow;
  readonly close: Pick<Close, 'status' | 'failure' | 'reading' | 'itemPages' | 'rules' | 'expectations' | 'crawl'>;
  readonly tally: RunTally;
  /** When the run began: with its scrape, or with the first scrape of its crawl. */
  readonly startedAt: number;
  /** Set where some of its pages had not changed, so that their records are in no tally. */
  readonly isPart?: true | undefined;
  /** Records of a whole list or crawl that were not found, by type. */
  readonly missing?: ReadonlyMap<string, number> | undefined;
  /** The record of a scrape whose only page showed one alone. */
  readonly only?: ShownRecord | undefined;
}

/** A run that was judged by the healthy ones before it. */
interface OwnRun {
  readonly run: Run;
  readonly judgement: Judgement;
  /** When the run began. */
  readonly since: number;
  /** What was known of healthy runs before it. */
  readonly before: BaselineRow | undefined;
}

/** What is unusual about a scrape, and what of it is kept. */
export interface JudgedRun {
  readonly reading: Reading;
  readonly symptoms: readonly Symptom[];
  /** Set where the scrape is a run of its own. */
  readonly own?: OwnRun;
  /** Returns whether the scrape says anything of a symptom, so that it is healthy in it where it does not show it. */
  judges(symptom: Symptom): boolean;
}

/** Judges a scrape that ends, by the last reading that was trusted and by its healthy runs. Returns nothing for one that says nothing of its target. */
export function judgeEnd(store: Store, ended: EndedRun, at: number): JudgedRun | undefined {
  const { target, scrape, close } = ended;
  const reading = readingOf(close);
  const hard = ended.isPart === true ? [] : hardSymptoms(close);
  if (reading === undefined)
    return hard.length === 0 ? undefined : { reading: nothingRead, symptoms: hard, judges: () => false };
  const { version } = scrape;
  const by = { version, ...defined({ rules: close.rules }) };
  const own = ownRun(store, ended, reading, at);
  const since = symptomsSince(store.runs.readings.get(target.target), reading, by).filter(
    (symptom) => own !== undefined || !comesAndGoes(store, target.source, symptom),
  );
  const checked = checkedRun(store, ended, reading);
  const broken = brokenExpectations(close.expectations ?? [], checked);
  const symptoms = new Map(
    [...since, ...hard, ...broken, ...(own?.judgement.symptoms ?? [])].map((each) => [symptomId(each), each]),
  );
  const judges = (symptom: Symptom): boolean =>
    symptom.kind === 'rule' && !isAll(ended, reading)
      ? isExpectationKnown(symptom, close.expectations ?? [], checked)
      : isJudgedIn(symptom, { ended, reading, measures: own?.run.measures });
  return { reading, symptoms: [...symptoms.values()], judges, ...defined({ own }) };
}

/** Whether a scrape has read all pages of its target anew. */
function isAll({ isPart }: Pick<EndedRun, 'isPart'>, { isWhole }: Reading): boolean {
  return isWhole && isPart !== true;
}

/**
 * Whether a scrape says anything of a symptom: one that read the whole of its target anew does; another one where it has a measure of that kind. A crawl of
 * whose pages some had not changed knows how many records there are, and which are missing, but no values of theirs.
 */
function isJudgedIn(
  symptom: Symptom,
  {
    ended,
    reading,
    measures,
  }: { readonly ended: EndedRun; readonly reading: Reading; readonly measures: readonly Measure[] | undefined },
): boolean {
  const { kind } = symptom;
  if (saysOf({ ...reading, isWhole: isAll(ended, reading) }, symptom)) return true;
  if (reading.isWhole && kind === 'missing') return ended.missing !== undefined;
  if (reading.isWhole && (kind === 'records' || kind === 'loop')) return true;
  if (measures === undefined) return reading.isWhole && kind === 'field';
  const id = symptomId(symptom);
  return measures.some(
    (measure) => isJudged(measure) && symptomId({ ...measure, kind: kindOf(measure.name).symptom, measure: '' }) === id,
  );
}

/** Stores what a scrape that was judged says: its ticket, or that its target is healthy, and what the next ones are compared with. */
export function keepJudged(store: Store, change: Change, ended: EndedRun, judged: JudgedRun): void {
  const { reading, symptoms, own, judges } = judged;
  const { target, scrape, close, tally } = ended;
  const { source, target: number } = target;
  const { version } = scrape;
  const place = { source, member: number };
  if (symptoms.length === 0 && close.status === 'complete') {
    const before = store.runs.readings.get(number);
    const after = trusted(before, reading, { version, ...defined({ rules: close.rules }) });
    if (after === undefined) store.runs.readings.remove(number);
    else if (after !== before) store.runs.readings.put(number, after);
  }
  const since = ended.startedAt;
  const shown = {
    scrape: scrape.scrape,
    version,
    samples: [target.url],
    projects: projectsOf(target),
    ...(close.crawl !== undefined && defined({ crawl: store.crawls.newest(number)?.crawl })),
  };
  reportOrNoteHealthy(store, change, place, { symptoms, shown, since, isAsUsual: isAsUsual(ended, judged), judges });
  if (own !== undefined) keepRun(store, place, { ...own, symptoms });
  else if (isAll(ended, reading) && close.status === 'complete') addToRound(store, change, ended, tally);
}

/** Returns whether a run is as usual in a field. One of few records is judged with others, and by itself only in what it has read. */
export function isAsUsual(
  { close: { status }, isPart }: Pick<EndedRun, 'close' | 'isPart'>,
  { reading, symptoms, own }: JudgedRun,
): (type: string, field: string) => boolean {
  if (status !== 'complete') return () => false;
  if (own !== undefined) return asUsual(own.run.measures, symptoms);
  if (!reading.isWhole || isPart === true) return () => false;
  return (type, field) => !symptoms.some((each) => each.record === type && each.field === field);
}

/** A run that is over, as its tickets and holds follow it. */
interface SettledRun {
  readonly symptoms: readonly Symptom[];
  /** Where the symptoms show. */
  readonly shown: Omit<Report, 'at' | 'symptoms'>;
  /** When the run began. */
  readonly since: number;
  /** The scrapes of a round. */
  readonly scrapes?: number;
  isAsUsual(type: string, field: string): boolean;
  judges(symptom: Symptom): boolean;
}

/** Reports the symptoms of a run in their ticket, or notes that there are none. */
function reportOrNoteHealthy(
  store: Store,
  change: Change,
  place: TicketPlace,
  { shown, judges, ...run }: SettledRun,
): void {
  const { symptoms } = run;
  if (symptoms.length > 0) reportTrouble(store, change, place, { at: change.at, symptoms, ...shown });
  endDoubts(store, place, run);
  noteHealthy(store, change, place, { still: new Set(symptoms.map(symptomId)), judges });
}

/** Keeps a run as one of the healthy ones, or aside as unusual. */
function keepRun(
  store: Store,
  { source, member }: TicketPlace,
  { run, judgement, since, before, symptoms }: OwnRun & { readonly symptoms: readonly Symptom[] },
): void {
  const { baselines, unusual } = store.runs;
  const key: [string, number] = [source, member];
  const all = { ...judgement, symptoms };
  const baseline = learned(forVersion(before?.baseline ?? emptyBaseline(run), run), run, all);
  baselines.put(key, { baseline, since: isLearnt(all) ? since : (before?.since ?? Infinity) });
  const ids = symptoms.map(symptomId);
  const [ticket] = ids.flatMap((id) => store.tickets.newestOf(source, id) ?? []);
  if (ticket !== undefined) unusual.put(key, { ticket, run, since, symptoms: ids });
  else if (!store.tickets.isNone()) unusual.remove(key);
}

/** Takes what the last runs of those that show a ticket gave for usual, where these were unusual. */
export function acceptRuns(store: Store, { ticket, sources, reopened }: TicketView): void {
  const { baselines, unusual, readings, rounds } = store.runs;
  for (const source of sources)
    for (const { key, row } of [...unusual.entries({ from: [source, 0], before: [source, Number.MAX_SAFE_INTEGER] })]) {
      if (row.ticket !== ticket || store.tickets.member(source, key[1], ticket)?.life !== reopened) continue;
      const before = baselines.get(key)?.baseline ?? emptyBaseline(row.run);
      baselines.put(key, { baseline: accepted(forVersion(before, row.run), row.run, row.symptoms), since: row.since });
      unusual.remove(key);
    }
  for (const source of sources)
    for (const member of store.tickets.membersOf(source, ticket))
      if (member > 0) readings.remove(member);
      // What the round under way has counted so far is what is usual now.
      else rounds.remove(source);
}

/** Forgets the unusual runs of a ticket that is resolved. */
export function forgetUnusual({ runs: { unusual } }: Store, { ticket, sources }: TicketView): void {
  for (const source of sources)
    for (const { key, row } of [...unusual.entries({ from: [source, 0], before: [source, Number.MAX_SAFE_INTEGER] })])
      if (row.ticket === ticket) unusual.remove(key);
}

/** Forgets what is known of the runs of a target. */
export function forgetRuns({ runs }: Store, { source, target }: Pick<TargetRow, 'source' | 'target'>): void {
  runs.baselines.remove([source, target]);
  runs.unusual.remove([source, target]);
  runs.tallies.remove(target);
  runs.others.removeRange({ from: [target, ''], before: [target + 1, ''] });
  runs.readings.remove(target);
}

const nothingRead: Reading = { fill: {}, isWhole: false };

/** What a scrape has read. One that failed since the page it got held no record has read that; where something stood in the page's place, it has read nothing. */
function readingOf({ failure, reading, itemPages: pages }: EndedRun['close']): Reading | undefined {
  const { code, cause = 'unexpected' } = failure ?? {};
  if (code === 'no_record' && cause === 'unexpected') return { fill: {}, isWhole: true, pages };
  // An unchanged list says nothing of its records.
  return pages === undefined ? reading : { fill: {}, isWhole: false, ...reading, pages };
}

/** What is wrong with a scrape whatever others gave: a crawl without an end, or one that has never found a record. */
function hardSymptoms({ crawl, reading, status }: EndedRun['close']): Symptom[] {
  if (crawl?.reason === 'loop') return [{ kind: 'loop', measure: 'loop', observed: 1, expected: { high: 0 } }];
  const isEmptyCrawl =
    crawl?.reason === 'complete' && status === 'complete' && Object.keys(reading?.fill ?? {}).length === 0;
  return isEmptyCrawl ? [{ kind: 'records', measure: 'records', observed: 0, expected: { low: 1 } }] : [];
}

/** The most records of a target that are looked through for values that two of them have: each takes some 10 µs. */
const mostLookedThrough = 2_000;

/** What the expectations of a definition are checked by. Whether values are unique is not known of very many records. */
function checkedRun(store: Store, { target, close, ...ended }: EndedRun, { isWhole }: Reading): CheckedRun {
  const asked = (close.expectations ?? []).filter(({ unique }) => unique.length > 0);
  const scope: Scope = isWhole && ended.isPart !== true ? 'whole' : 'part';
  const tally = scrapeTally(ended.tally, wholeTypes(ended));
  const isFew =
    asked.length > 0 && store.records.countOfTarget(target.target, mostLookedThrough + 1) <= mostLookedThrough;
  if (!isFew) return { tally, scope };
  const records = Array.from(store.records.ofTarget(target.target), ({ type, fields }) => ({
    type,
    fields: Object.fromEntries(Object.entries(fields).map(([name, { value }]) => [name, value])),
  }));
  return { tally, scope, repeated: repeatedFields(records, asked) };
}

/** What a whole run says of the records of each type that were known before it: also that none is missing. */
function wholeTypes({ tally, missing }: Pick<EndedRun, 'tally' | 'missing'>): Record<string, WholeType> {
  if (missing === undefined) return {};
  const types = new Set([...Object.keys(tally.types), ...missing.keys()]);
  return Object.fromEntries(
    [...types].map((type) => {
      const count = missing.get(type) ?? 0;
      return [type, { expected: (tally.types[type]?.known ?? 0) + count, missing: count }];
    }),
  );
}

/** Judges a scrape of many records by the healthy runs of its target; nothing for one of few. */
function ownRun(store: Store, ended: EndedRun, reading: Reading, at: number): JudgedRun['own'] {
  const { target, scrape, close, tally, startedAt, missing } = ended;
  const row = store.runs.baselines.get([target.source, target.target]);
  const total = Object.values(tally.types).reduce((sum, { records }) => sum + records, 0);
  if (total < manyRecords && row === undefined) return undefined;
  const measures = isAll(ended, reading)
    ? measuresOf(scrapeTally(tally, wholeTypes({ tally, missing })), 'whole')
    : [...(reading.isWhole ? countsOf(reading, ended) : []), ...measuresOf(scrapeTally(tally), 'part')];
  const run = { at, version: scrape.version, measures, ...defined({ rules: close.rules }) };
  const baseline = forVersion(row?.baseline ?? emptyBaseline(run), run);
  return { run, judgement: judge(baseline, measures, at), since: startedAt, before: row };
}

/** How many records there are, and which share of those that were known is missing, where some pages had not changed: all new ones stand on pages that have. */
function countsOf(reading: Reading, { tally, missing }: Pick<EndedRun, 'tally' | 'missing'>): Measure[] {
  return Array.from(recordCounts(reading)).flatMap(([record, records]): Measure[] => {
    const gone = missing?.get(record) ?? 0;
    const known = Math.max(0, records - (tally.types[record]?.added ?? 0)) + gone;
    const isKnown = missing !== undefined && known > 0;
    return [
      { name: 'records', record, value: records },
      ...(isKnown ? [{ name: 'missing', record, value: gone / known, of: known } as const] : []),
    ];
  });
}

/** Adds a scrape of few records to the round of its source, and judges the round once it is over. */
function addToRound(store: Store, change: Change, ended: EndedRun, tally: RunTally): void {
  const { target } = ended;
  const { source } = target;
  const { rounds } = store.runs;
  const { scrape, startedAt } = ended.scrape;
  const before: RoundRow = rounds.get(source) ?? { startedAt, tally: emptyTally };
  const own = scrapeTally(tally, otherRecord(store, target, scrape, ended.only));
  const { joined, isCounted, isOver } = roundWith(store, before, { target, tally: own, endedAt: change.at });
  const page = { scrape, url: target.url, projects: projectsOf(target) };
  const projects = mergedProjects(before.projects ?? [], page.projects);
  const odd = isCounted ? withPage(before.odd ?? {}, page, own) : (before.odd ?? {});
  const round: RoundRow = { ...joined, projects, odd };
  if (!isOver) return rounds.put(source, round);
  rounds.remove(source);
  const row = store.runs.baselines.get([source, 0]);
  const { version } = ended.scrape;
  const run = {
    at: change.at,
    version,
    measures: measuresOf(round.tally, 'round'),
    ...defined({ rules: ended.close.rules }),
  };
  const judgement = judge(forVersion(row?.baseline ?? emptyBaseline(run), run), run.measures, change.at);
  const place = { source, member: 0 };
  const isFew = hasFewTargets(store, source);
  const { scrapes } = round.tally;
  // Of few targets, each says by its own scrapes what is unusual about its values.
  const symptoms = judgement.symptoms.filter(({ field }) => !isFew || field === undefined);
  const since = round.startedAt;
  const shown = pagesShowing(odd, symptoms) ?? { scrape: page.scrape, projects };
  const isAsUsual = asUsual(run.measures, symptoms);
  reportOrNoteHealthy(store, change, place, {
    symptoms,
    shown: { ...shown, version },
    since,
    scrapes,
    isAsUsual,
    judges: () => true,
  });
  if (!isFew || !hasTicketOfOne(store, source)) keepRun(store, place, { run, judgement, since, before: row, symptoms });
}
