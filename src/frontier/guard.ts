import { addGrowth, type Growth, growing, type Measure } from './growth.ts';
import { distance } from './simhash.ts';
import { pathOf, templateOf, withAnyQuery } from './template.ts';

/** A page that a crawl has read. */
export interface CrawledPage {
  readonly url: string;
  readonly detail: boolean;
  /** Records that this crawl had not met before, whether or not an earlier one had. */
  readonly newRecords: number;
  /** Simhash of what the page shows, as 16 hex digits; missing where it was not asked for. */
  readonly fingerprint?: string;
}

/** What the guard remembers: plain data of bounded size, of the pages since the last new record only. */
export interface GuardState {
  readonly pages: number;
  /** At most 200; of more, those with the fewest pages are forgotten. */
  readonly templates: readonly TemplateState[];
}

interface TemplateState {
  readonly template: string;
  readonly pages: number;
  /** Pages with records, of which none was new. */
  readonly details: number;
  /** Pages whose fingerprint is known. */
  readonly compared: number;
  /** Of these, pages that showed nearly what one of the few before them showed. */
  readonly nearDuplicates: number;
  /** Of the last few pages. */
  readonly fingerprints: readonly string[];
  readonly samples: readonly string[];
  /** How the shape of its URLs changes; missing while it has few pages. */
  readonly growth?: Growth;
}

export interface GuardLimits {
  readonly maxWithoutNew: number;
}

export type Verdict = { readonly go: true } | LoopReport;

/** Why a crawl is taken for endless, to be shown to a person. */
export interface LoopReport {
  readonly go: false;
  readonly reason: 'loop';
  /** Of most of the pages since the last new record; `?…` at its end stands for many different queries. */
  readonly template: string;
  /** All pages since the last new record. */
  readonly pages: number;
  /** The first URLs of that template; a long one is cut. */
  readonly samples: readonly string[];
  readonly signals: LoopSignals;
}

export interface LoopSignals {
  /** The template's part of the pages, from 0 to 1. */
  readonly share: number;
  /** Of the template's pages that were compared, the part that showed nearly what one before them showed. */
  readonly nearDuplicates: number;
  /** What of the template's URLs keeps growing. */
  readonly growing: readonly Measure[];
  /** The template's pages with records, of which none was new. */
  readonly knownDetails: number;
}

export const newGuard: GuardState = { pages: 0, templates: [] };

const maxTemplates = 200;
/** How many queries of one path are told apart. */
const maxQueries = 20;
const maxSamples = 3;
const maxSampleLength = 200;
/** Pages of one trap come in turns with those of others, so more than the last one is compared with. */
const comparedPages = 4;
/** Bits, of 64, in which two pages that show nearly the same may differ. */
const nearDistance = 3;
/** From so many pages of a template on its URLs are measured. */
const measuredFrom = 25;
/** What pages show is compared from this part of the limit on: telling it costs as much as reading them, and most crawls never come so far. */
const comparedFraction = 1 / 10;
/** When all signals agree, this part of the limit is enough. */
const earlyFraction = 1 / 5;
const earlyPages = 200;
const earlyNearDuplicates = 0.9;
const earlyShare = 0.5;

/** Whether the guard wants to know what the next pages show. */
export function wantsFingerprint({ pages }: GuardState, { maxWithoutNew }: GuardLimits): boolean {
  return pages >= maxWithoutNew * comparedFraction;
}

/**
 * Takes a page into account and says whether the crawl is to go on. A page with a new record begins everything anew; a page
 * with records that the crawl has met does not.
 */
export function watchPage(
  state: GuardState,
  page: CrawledPage,
  { maxWithoutNew }: GuardLimits,
): { readonly state: GuardState; readonly verdict: Verdict } {
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

/** Facets that can be combined give one path many queries: those beyond the limit count as one, so that they drive out no other. */
function knownTemplate(templates: readonly TemplateState[], template: string): string {
  if (!template.includes('?') || templates.some((each) => each.template === template)) return template;
  const path = pathOf(template);
  const queries = templates.filter((each) => each.template.length > path.length && pathOf(each.template) === path);
  return queries.length < maxQueries ? template : withAnyQuery(template);
}

/** Without the one of the fewest pages, of several the one that was met first. */
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

/** Where no query of a path stands for all of them, the path does. */
function nameOf({ template, pages }: TemplateState, ofAll: number): string {
  return pages >= ofAll / 2 ? template : withAnyQuery(template);
}

/** Whether all signals say what the number of pages alone does not say yet. */
function agree({ signals: { share, nearDuplicates, growing: measures } }: LoopReport, { pages }: GuardState): boolean {
  return (
    share * pages >= earlyPages && share >= earlyShare && nearDuplicates >= earlyNearDuplicates && measures.length > 0
  );
}
