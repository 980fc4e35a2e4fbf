import type { Extraction } from '../extract/draft.ts';
import type { ExtractPlan } from '../extract/plan.ts';
import { typedDrafts } from '../extract/typed.ts';
import type { PluginRead } from './protocol.ts';

/** What a plug-in read of a page, as what its definition declares. */
export function extractionOf(read: PluginRead, plan: ExtractPlan, url: string): Extraction {
  const { drafts, refused, absent, unparsed, repeated, notes } = typedDrafts(read.drafts, plan, url);
  const [first, second] = plan.records;
  const record = first !== undefined && second === undefined ? first.type : '';
  const lost = read.unparsed.map(({ field, text, expected }) => ({ record, field, text, expected }));
  return {
    drafts,
    finished: read.finished,
    items: read.drafts.length,
    refused,
    ...(repeated !== undefined && { repeated }),
    ...(read.next !== undefined && { next: read.next }),
    absent,
    unparsed: [...unparsed, ...lost].slice(0, maxUnparsed),
    ...(notes.length > 0 && { notes }),
  };
}

/** More of them say nothing that these do not. */
const maxUnparsed = 100;
