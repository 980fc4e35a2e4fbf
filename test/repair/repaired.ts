import { load } from 'cheerio/slim';
import type { DrillPage, Mutation, Subject } from '../../src/drill/mutation.ts';
import { mutate } from '../../src/drill/mutate.ts';
import { subjectOf } from '../../src/drill/subject.ts';
import { extract } from '../../src/extract/extract.ts';
import type { RecordDraft } from '../../src/extract/draft.ts';
import type { ExtractPlan } from '../../src/extract/plan.ts';
import { planOf } from '../../src/provider/plans.ts';
import { propose } from '../../src/repair/propose.ts';
import { repairedPlan } from '../../src/repair/place-plan.ts';
import type { Repair, RepairPage } from '../../src/view/repair.ts';
import { seeded } from '../../src/drill/seeded.ts';
import type { RepairSite } from './sites.ts';

/** What became of a site that changed. */
export interface Case {
  readonly site: string;
  readonly mutation: string;
  readonly field: string;
  /** Whether the mutation is one that moves and renames, and whether the changed pages say all that the rules read before. */
  readonly isKept: boolean;
  readonly saysAll: boolean;
  readonly repairs: readonly Repair[];
  /** Whether the first repair reads every field of every record as it is; what it reads otherwise, if it does not. */
  readonly isRight: boolean;
  readonly wrong: readonly WrongValue[];
  /** Those of them that a rule of the repair reads. */
  readonly wrongOwn: readonly WrongValue[];
}

/** A value that is read otherwise than the page says it. */
export interface WrongValue {
  readonly field: string;
  readonly says: string;
}

function bytesOf(html: string): Uint8Array {
  return new Uint8Array(Buffer.from(html, 'utf8'));
}

export function repairPage({ url, html }: DrillPage, isXml = false): RepairPage {
  return {
    url,
    body: bytesOf(html),
    contentType: isXml ? 'application/xml; charset=utf-8' : 'text/html; charset=utf-8',
  };
}

/** Reads a page by a plan. */
export async function draftsOf(page: DrillPage, plan: ExtractPlan): Promise<readonly RecordDraft[]> {
  const { url, body, contentType } = repairPage(page, plan.document === 'xml');
  const outcome = await extract({ url, body: body.buffer as ArrayBuffer, contentType: contentType ?? '', plan });
  return outcome.ok ? outcome.extraction.drafts : [];
}

/**
 * Lets a site change in one way, and searches repairs for it; `undefined` where the change is none, or the old rules still read all.
 *
 * @param moved - whether some values have changed on the same day.
 */
export async function repairCase(
  site: RepairSite,
  mutation: Mutation,
  seed: number,
  moved: boolean,
): Promise<Case | undefined> {
  const plan = planOf(site.source);
  const before = site.pages(seeded(seed), false);
  const now = site.pages(seeded(seed), moved);
  const known = await Promise.all(before.map((page) => draftsOf(page, plan)));
  const truth = (await Promise.all(now.map((page) => draftsOf(page, plan)))).flat();
  const changed: DrillPage[] = [];
  let field: string | undefined;
  let saysAll = true;
  for (const page of now) {
    const subject = subjectOf(page, plan);
    if (subject === undefined) return undefined;
    // All pages of a site change alike.
    const fields = subject.fields.filter((each) => field === undefined || each.field === field);
    const one = mutate({ ...subject, fields }, mutation, seeded(seed));
    changed.push(one?.page ?? page);
    if (one !== undefined) saysAll &&= keepsTexts(subject, one.page);
    field ??= one?.field.field;
  }
  if (field === undefined) return undefined;
  const read = (await Promise.all(changed.map((page) => draftsOf(page, plan)))).flat();
  const lost = lostOf(known.flat(), truth, read);
  if (lost.length === 0) return undefined;
  const isXml = plan.document === 'xml';
  const pairs = before.flatMap((page, at) => {
    const bad = changed[at];
    return bad === undefined ? [] : [{ good: repairPage(page, isXml), bad: repairPage(bad, isXml) }];
  });
  const repairs = await propose(plan, { pairs, lost, records: 'keyed' });
  const [first] = repairs;
  const wrong = first === undefined ? [] : await wrongOf(repairedPlan(plan, first.changes), changed, truth);
  const own = new Set(first?.changes.map((change) => change.field));
  const wrongOwn = wrong.filter((each) => own.has(undefined) || own.has(each.field));
  return {
    site: site.name,
    mutation: mutation.name,
    isKept: mutation.keepsAll,
    field,
    saysAll,
    repairs,
    isRight: first !== undefined && wrong.length === 0,
    wrong,
    wrongOwn,
  };
}

/** What a ticket would be about: fields that records lost or that are others, and records that are gone. */
function lostOf(known: readonly RecordDraft[], truth: readonly RecordDraft[], read: readonly RecordDraft[]) {
  const record = known[0]?.type ?? '';
  const now = new Map(read.map((draft) => [draft.key, draft]));
  if (truth.some(({ key }) => !now.has(key))) return [{ record }];
  const fields = new Set<string>();
  for (const { key, fields: own } of truth)
    for (const [name, value] of Object.entries(own))
      if (JSON.stringify(now.get(key)?.fields[name]) !== JSON.stringify(value)) fields.add(name);
  return Array.from(fields, (field) => ({ record, field }));
}

/** The records and fields that a plan does not read as they are. */
async function wrongOf(
  plan: ExtractPlan,
  pages: readonly DrillPage[],
  truth: readonly RecordDraft[],
): Promise<WrongValue[]> {
  const read = new Map(
    (await Promise.all(pages.map((page) => draftsOf(page, plan)))).flat().map((draft) => [draft.key, draft]),
  );
  return truth.flatMap(({ key, fields }) =>
    Object.entries(fields).flatMap(([name, value]) => {
      const now = read.get(key)?.fields[name];
      return JSON.stringify(now) === JSON.stringify(value)
        ? []
        : [{ field: name, says: `${key}.${name}: ${JSON.stringify(now)} for ${JSON.stringify(value)}` }];
    }),
  );
}

/** Whether each text and attribute that rules read is still somewhere on the changed page. */
function keepsTexts({ page, items, fields }: Subject, changed: DrillPage): boolean {
  const $ = load(page.html);
  const after = load(changed.html);
  const said = new Set<string>();
  after('*').each((_, node) => {
    const element = after(node);
    said.add(bare(element.text()));
    for (const value of Object.values(element.attr() ?? {})) said.add(bare(value));
  });
  const places =
    items === undefined
      ? [$.root()]
      : $(items)
          .toArray()
          .map((node) => $(node));
  return places.every((item) =>
    fields.every(({ css, attr }) => {
      const found = item.find(css).addBack(css).first();
      if (found.length === 0) return true;
      return said.has(bare(attr === undefined ? found.text() : (found.attr(attr) ?? '')));
    }),
  );
}

function bare(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
