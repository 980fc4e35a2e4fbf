import { Feed } from '../../src/definition/feed.ts';
import { openList } from '../../src/provider/list.ts';
import { ErrorTally } from '../../src/scrape/limits.ts';
import { type ListWalkOptions, listWalk } from '../../src/scrape/list-walk.ts';
import type { Walk } from '../../src/scrape/walk.ts';
import { type PageAnswer, reading, request, type Walked, walkThrough } from './walking.ts';

export const url = 'https://site.test/list';

interface Given extends Partial<Omit<ListWalkOptions, 'isKnown' | 'errors'>> {
  readonly feed?: object;
  readonly known?: (key: string) => boolean;
  /** The pattern of the source's addresses. */
  readonly pattern?: string;
  readonly ceiling?: number;
}

/** A list whose feed is as given, by pages where nothing is said. */
export function openWalk({ feed, known = () => false, ceiling = 0.2, pattern, ...given }: Given = {}): Walk {
  return listWalk({
    url,
    provider: { request },
    list: openList(Feed.parse({ by: 'page', ...feed }), reading, pattern),
    visit: 'later',
    isFull: false,
    ...given,
    errors: new ErrorTally(ceiling),
    isKnown: ({ key }) => known(key),
  });
}

/** Walks over a list whose pages answer as they are told. */
export function walk(answer: (page: number) => PageAnswer, given?: Given): Walked {
  return walkThrough(openWalk(given), ({ page = 0 }) => answer(page));
}

/** The first visit of a list by a scrape of its own, which the next one resumes. */
export const firstVisit = {
  visit: 'first',
  resume: { version: 'v1', scrape: 1, isMet: () => false },
} as const satisfies Partial<ListWalkOptions>;

export function pages({ asked }: Walked): number {
  return asked.length;
}
