import { pathOf, templateOf, withAnyQuery } from './template.ts';

/** A page that a crawl has read, as the guard sees it. */
export interface CrawledPage {
  readonly url: string;
  readonly detail: boolean;
  /** The number of records that this crawl had not met before, even if an earlier one had. */
  readonly newRecords: number;
  /** The simhash of the page's text, as 16 hex digits; missing where it was not computed. */
  readonly fingerprint?: string;
}

/** The state of the guard: the pages since the last new record. Plain data of bounded size. */
export interface GuardState {
  readonly pages: number;
  /** The URL templates of these pages, at most 200; those with the fewest pages are dropped. */
  readonly templates: readonly TemplateState[];
}

interface TemplateState {
  readonly template: string;
  readonly pages: number;
  /** The number of detail pages. */
  readonly details: number;
  /** The number of pages with a fingerprint. */
  readonly compared: number;
  /** The number of these whose text was nearly that of one of the few pages before. */
  readonly nearDuplicates: number;
  /** The fingerprints of the last few pages. */
  readonly fingerprints: readonly string[];
  readonly samples: readonly string[];
  /** How the lengths of its URLs change; missing while it has few pages. */
  readonly growth?: Growth;
}

/** The number of pages without a new record after which a crawl counts as endless. */
export interface GuardLimits {
  readonly maxWithoutNew: number;
}

/** Whether a crawl goes on. */
export type LoopVerdict = { readonly go: true } | LoopReport;

/** Why a crawl is taken for endless, for people. */
export interface LoopReport {
  readonly go: false;
  readonly reason: 'loop';
  /** The template of most of these pages; `?…` at its end stands for many different queries. */
  readonly template: string;
  /** The number of pages since the last new record. */
  readonly pages: number;
  /** The first URLs of that template; long ones are cut. */
  readonly samples: readonly string[];
  readonly signals: LoopSignals;
}

/** The signals of an endless crawl. */
export interface LoopSignals {
  /** The template's share of the pages, from 0 to 1. */
  readonly share: number;
  /** The share of the template's pages with a fingerprint whose text was nearly that of a page before. */
  readonly nearDuplicates: number;
  /** The measures of the template's URLs that keep growing. */
  readonly growing: readonly Measure[];
  /** The template's detail pages, none of which gave a new record. */
  readonly knownDetails: number;
}

/** The guard before the first page. */
export const newGuard: GuardState = { pages: 0, templates: [] };

const maxTemplates = 200;
/** The number of queries of one path that are told apart. */
const maxQueries = 20;
const maxSamples = 3;
const maxSampleLength = 200;
/** The number of pages before with which a page is compared: pages of one trap alternate with those of others. */
const comparedPages = 4;
/** The number of bits, of 64, in which the simhashes of nearly equal pages may differ. */
const nearDistance = 3;
/** The number of pages of a template from which on its URLs are measured. */
const measuredFrom = 25;
/**
 * The share of the limit from which on fingerprints are computed. They cost as much as reading the page, and most
 * crawls never come so far.
 */
const comparedFraction = 1 / 10;
/** The share of the limit that is enough if all signals agree. */
const earlyFraction = 1 / 5;
const earlyPages = 200;
const earlyNearDuplicates = 0.9;
const earlyShare = 0.5;

/** Whether the guard needs the fingerprints of the next pages. */
export function wantsFingerprint({ pages }: GuardState, { maxWithoutNew }: GuardLimits): boolean {
  return pages >= maxWithoutNew * comparedFraction;
}

/**
 * Counts a page and decides whether the crawl goes on. A page with a new record resets the state; a page with known
 * records does not.
 */
export function watchPage(
  state: GuardState,
  page: CrawledPage,
  { maxWithoutNew }: GuardLimits,
): { readonly state: GuardState; readonly verdict: LoopVerdict } {
  if (page.newRecords > 0) return { state: newGuard, verdict: { go: true } };
  const next: GuardState = { pages: state.pages + 1, templates: counted(state.templates, page) };
  const isOver = next.pages >= maxWithoutNew;
  if (!isOver && next.pages < maxWithoutNew * earlyFraction) return { state: next, verdict: { go: true } };
  const report = loopReport(next);
  return { state: next, verdict: isOver || agree(report, next) ? report : { go: true } };
}

function counted(templates: readonly TemplateState[], page: CrawledPage): readonly TemplateState[] {
  const template = knownTemplate(templates, templateOf(page.url));
  const at = templates.findIndex((each) => each.template === template);
  const known = templates[at];
  if (known !== undefined) return templates.with(at, withPage(known, page));
  const added = withPage({ ...newTemplate, template }, page);
  return [...(templates.length < maxTemplates ? templates : withoutRarest(templates)), added];
}

/**
 * The template under which a page is counted. Combined filters give one path many queries: beyond the limit they count
 * as one template, so that they displace no other.
 */
function knownTemplate(templates: readonly TemplateState[], template: string): string {
  if (!template.includes('?') || templates.some((each) => each.template === template)) return template;
  const path = pathOf(template);
  const queries = templates.filter((each) => each.template.length > path.length && pathOf(each.template) === path);
  return queries.length < maxQueries ? template : withAnyQuery(template);
}

/** The templates without the one with the fewest pages; of several, the oldest. */
function withoutRarest(templates: readonly TemplateState[]): readonly TemplateState[] {
  const fewest = Math.min(...templates.map(({ pages }) => pages));
  return templates.toSpliced(
    templates.findIndex(({ pages }) => pages === fewest),
    1,
  );
}

const newTemplate = { pages: 0, details: 0, compared: 0, nearDuplicates: 0, fingerprints: [], samples: [] };

function withPage(state: TemplateState, { url, detail, fingerprint }: CrawledPage): TemplateState {
  const isNear =
    fingerprint !== undefined && state.fingerprints.some((each) => distance(each, fingerprint) <= nearDistance);
  const pages = state.pages + 1;
  return {
    template: state.template,
    pages,
    details: state.details + (detail ? 1 : 0),
    compared: state.compared + (fingerprint === undefined ? 0 : 1),
    nearDuplicates: state.nearDuplicates + (isNear ? 1 : 0),
    fingerprints:
      fingerprint === undefined ? state.fingerprints : [...state.fingerprints, fingerprint].slice(-comparedPages),
    samples: state.samples.length < maxSamples ? [...state.samples, sampleOf(url)] : state.samples,
    ...(pages >= measuredFrom && { growth: addGrowth(state.growth, url) }),
  };
}

function sampleOf(url: string): string {
  return url.length > maxSampleLength ? `${url.slice(0, maxSampleLength - 1).toWellFormed()}…` : url;
}

function loopReport({ pages, templates }: GuardState): LoopReport {
  const paths = Object.values(Object.groupBy(templates, ({ template }) => pathOf(template)));
  const [trap = []] = paths
    .map((group = []) => group)
    .sort((one, other) => sumOf(other, 'pages') - sumOf(one, 'pages'));
  const [first] = trap.toSorted((one, other) => other.pages - one.pages);
  const ofTrap = sumOf(trap, 'pages');
  return {
    go: false,
    reason: 'loop',
    template: first === undefined ? '' : nameOf(first, ofTrap),
    pages,
    samples: first?.samples ?? [],
    signals: {
      share: ofTrap / pages,
      nearDuplicates: sumOf(trap, 'nearDuplicates') / Math.max(1, sumOf(trap, 'compared')),
      growing: first?.growth === undefined ? [] : growing(first.growth),
      knownDetails: sumOf(trap, 'details'),
    },
  };
}

function sumOf(group: readonly TemplateState[], count: 'pages' | 'details' | 'compared' | 'nearDuplicates'): number {
  return group.reduce((sum, each) => sum + each[count], 0);
}

/** The name of a path's pages: the template if it holds at least half of them, else the path with any query. */
function nameOf({ template, pages }: TemplateState, ofAll: number): string {
  return pages >= ofAll / 2 ? template : withAnyQuery(template);
}

/** Whether all signals agree that the crawl is endless before the limit is reached. */
function agree({ signals: { share, nearDuplicates, growing: measures } }: LoopReport, { pages }: GuardState): boolean {
  return (
    share * pages >= earlyPages && share >= earlyShare && nearDuplicates >= earlyNearDuplicates && measures.length > 0
  );
}

const measures = ['length', 'segments', 'arguments'] as const;

/** A measure of a URL: its characters, the segments of its path, or the arguments of its query. */
export type Measure = (typeof measures)[number];

/** The last medians of the measures of a sequence of URLs. Plain data of bounded size. */
export interface Growth {
  /** The measures of the URLs since the last median. */
  readonly open: readonly Shape[];
  /** The oldest first, at most 7. */
  readonly medians: readonly Shape[];
}

type Shape = readonly [length: number, segments: number, arguments: number];

/** The number of URLs for a median. */
const perMedian = 25;
const maxMedians = 7;
/** The least number of medians that count: fewer may be in order by chance. */
const minMedians = 4;

/** Adds a URL to the measures. */
function addGrowth({ open, medians }: Growth = { open: [], medians: [] }, url: string): Growth {
  const shapes = [...open, shapeOf(url)];
  if (shapes.length < perMedian) return { open: shapes, medians };
  const median = [0, 1, 2].map((index) => medianOf(shapes.map((shape) => shape[index] ?? 0)));
  const [length = 0, segments = 0, count = 0] = median;
  return { open: [], medians: [...medians, [length, segments, count] as const].slice(-maxMedians) };
}

/** The measures whose medians never shrank and have grown overall. */
function growing({ medians }: Growth): Measure[] {
  if (medians.length < minMedians) return [];
  return measures.filter((_, index) => {
    const values = medians.map((median) => median[index] ?? 0);
    const isRising = values.every((value, at) => at === 0 || value >= (values[at - 1] ?? value));
    return isRising && (values.at(-1) ?? 0) > (values[0] ?? 0);
  });
}

function shapeOf(text: string): Shape {
  const url = URL.parse(text);
  return [text.length, url?.pathname.split('/').length ?? 0, url?.searchParams.size ?? 0];
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}

/** The number of bits in which two simhashes of 16 hex digits differ. */
export function distance(one: string, other: string): number {
  return bits(half(one, 0) ^ half(other, 0)) + bits(half(one, 8) ^ half(other, 8));
}

function half(fingerprint: string, at: number): number {
  return Number.parseInt(fingerprint.slice(at, at + 8), 16);
}

/** The number of bits set in a 32-bit number. */
function bits(number: number): number {
  let rest = number;
  let count = 0;
  for (; rest !== 0; rest &= rest - 1) count += 1;
  return count;
}
