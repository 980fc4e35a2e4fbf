import { mutations } from '../../../src/drill/all.ts';
import { causesOf, mayChange, mutateAt, tellingFields } from '../../../src/drill/mutate.ts';
import type { DrillField, Mutation } from '../../../src/drill/mutation.ts';
import { walls } from '../../../src/drill/walls.ts';
import type { CauseKind } from '../../../src/view/ticket.ts';
import { Random } from '../random.ts';
import { readOn } from './truth.ts';
import type { Part, SitePage, World } from './world.ts';

/** One change of a site. */
export interface Change {
  readonly mutation: Mutation;
  readonly part: Part;
  readonly field: string;
  /** The causes that name it rightly. */
  readonly causes: readonly CauseKind[];
  /** All pages of the site, in their order. */
  readonly pages: readonly SitePage[];
}

/** Mutations of a page as a whole, which pages of several kinds have alike. */
const ofWholePages: ReadonlySet<string> = new Set([
  ...walls.map(({ name }) => name),
  'all classes made by a tool',
  'page cut off in the middle',
  'letters beyond ASCII lost',
  'UTF-8 read as Latin-1',
]);

/** Draws changes that alter what is read. */
export async function* changesOf(
  world: World,
  pages: readonly SitePage[],
  random: Random,
  count: number,
): AsyncGenerator<Change> {
  const before = new Map(await Promise.all(pages.map(async (page) => [page, await readOn(page, pages)] as const)));
  const one = <T>(list: readonly T[]): T | undefined => list[Math.floor(random.next() * list.length)];
  for (let found = 0, tries = 0; found < count && tries < 20 * count; tries += 1) {
    const part = world.changes.length === 1 ? world.changes[0] : one(world.changes);
    const mutation = one(mutations);
    const [first] = part === undefined ? [] : pages.flatMap((page) => subjectIn(part, page) ?? []);
    const field = first && one(tellingFields(first));
    const seed = Math.floor(random.next() * 1e9);
    if (part === undefined || mutation === undefined || field === undefined) continue;
    if (part.allows?.(mutation) === false || !mayChange(mutation, field)) continue;
    const changed = changedPages(pages, part, mutation, field, seed);
    if (changed === undefined || !(await isAltered(changed))) continue;
    found += 1;
    yield { mutation, part, field: field.field, causes: causesOf(mutation, field.field), pages: [...changed.values()] };
  }

  async function isAltered(changed: ReadonlyMap<SitePage, SitePage>): Promise<boolean> {
    for (const [page, now] of changed) {
      if (page === now) continue;
      if (now.status >= 400 || now.url !== page.url) return true;
      const [was = '', is] = [before.get(page), await readOn(now, pages)];
      if (was !== is && !(world.readsHead === true && isHead(is, was))) return true;
    }
    return false;
  }
}

/** The pages of a site as a mutation leaves them; nothing where one of them that has the field has nothing of the kind. */
function changedPages(
  pages: readonly SitePage[],
  part: Part,
  mutation: Mutation,
  { record, field }: DrillField,
  seed: number,
): ReadonlyMap<SitePage, SitePage> | undefined {
  const changed = new Map<SitePage, SitePage>();
  for (const page of pages) {
    const subject = subjectIn(part, page);
    const own = subject?.fields.find((each) => each.record === record && each.field === field);
    const drawn = new Random(seed);
    const at = own ?? (ofWholePages.has(mutation.name) ? subject?.fields[0] : undefined);
    const now = subject && at && mutateAt(subject, mutation, at, () => drawn.next());
    if (own !== undefined && now === undefined) return undefined;
    changed.set(page, now === undefined ? page : { ...page, ...now });
  }
  return changed;
}

/** Whether a page shows the first of the records that another one shows, as they are there. */
function isHead(is: string, was: string): boolean {
  const records = /^\[\[(.+)\],\[.*\],.*\]$/.exec(is)?.[1];
  return records !== undefined && was.startsWith(`[[${records}`);
}

function subjectIn(part: Part, page: SitePage) {
  if (!part.isOf(page)) return undefined;
  return part.subjectOf === undefined ? page.subject : part.subjectOf(page);
}
