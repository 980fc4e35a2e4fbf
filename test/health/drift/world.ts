import type { LoadedSource } from '../../../src/definition/catalogue.ts';
import { definitionVersion, Source } from '../../../src/definition/source.ts';
import type { Mutation, Subject } from '../../../src/drill/mutation.ts';
import { rehearsed } from '../../../src/drill/rehearsal.ts';
import type { ShownPage } from '../../../src/drill/shown-page.ts';
import { subjectOf } from '../../../src/drill/subject.ts';
import type { ExtractPlan } from '../../../src/extract/plan.ts';

/** A page of a site. */
export interface SitePage extends ShownPage {
  /** What kind of page it is: pages of one kind change together. */
  readonly kind: string;
  /** How the daemon reads it. */
  readonly plan: ExtractPlan;
  /** What of it is changed. */
  readonly subject: Subject | undefined;
  /** Set for the page of an item: the key of its record. */
  readonly key?: string;
}

/** A part of a site that changes by itself. */
export interface Part {
  readonly name: string;
  /** Whether a page belongs to it. */
  isOf(page: SitePage): boolean;
  /** What of a page is changed. Default: what the daemon reads there. */
  subjectOf?(page: SitePage): Subject | undefined;
  /** Whether it may change so. Default: in any way. */
  allows?(mutation: Mutation): boolean;
}

/** The pages of some kinds. */
export function pagesOfKind(...kinds: readonly string[]): Part {
  return { name: kinds.join('+'), isOf: ({ kind }) => kinds.includes(kind) };
}

/** A site whose pages are scraped once a day. */
export interface World {
  readonly name: string;
  readonly loaded: LoadedSource;
  /** Healthy days before a change. */
  readonly days: number;
  /** The addresses that are tracked. */
  readonly targets: readonly string[];
  /** Set where a scrape reads a list only up to the records that it knows. */
  readonly readsHead?: true;
  /** What changes of the site are of. */
  readonly changes: readonly Part[];
  /** The pages of a day. Days are asked for in order. */
  pagesOf(day: number): readonly SitePage[];
}

const startAt = Date.UTC(2026, 0, 5, 6);
const dayMs = 86_400_000;

/** When a day's pages are scraped. */
export function instantOf(day: number): number {
  return startAt + day * dayMs;
}

/** A definition as it is rehearsed. */
export function loadedOf(definition: object): LoadedSource {
  const source = rehearsed(Source.parse({ id: 'site', ...definition }));
  return { source, version: definitionVersion(source) };
}

/** A page with records, which is changed at the fields that a plan reads there. */
export function recordPage(page: ShownPage, kind: string, plan: ExtractPlan): SitePage {
  return { ...page, kind, plan, subject: subjectOf(page, plan) };
}
