import type { OpenProvider } from '../provider/provider.ts';
import type { PageCopy } from '../store/rows.ts';
import { failedEnd, type Visit, type Walk } from './walk.ts';

/** A target that is one page. */
export function pageWalk(url: string, { request, page }: OpenProvider, copy: PageCopy | undefined): Walk {
  const visit: Visit = {
    url,
    reading: page,
    request,
    keepsCopy: true,
    isOnly: true,
    ...(copy !== undefined && { copy }),
  };
  let isLeft = true;
  return {
    width: 1,
    next() {
      const next = isLeft ? visit : undefined;
      isLeft = false;
      return next;
    },
    took(_, visited) {
      const { outcome } = visited.asked;
      if (outcome.kind === 'unmodified') return { end: { status: 'complete', reason: 'unmodified', finished: false } };
      if (outcome.kind !== 'read') return { end: failedEnd(visited) };
      return { end: { status: 'complete', reason: 'end', finished: outcome.extraction.finished } };
    },
    ending: () => ({ status: 'complete', finished: false }),
  };
}
