import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { noBrowser } from '../support/browser.ts';

/** The folder of the repository. */
export const top = join(import.meta.dirname, '..', '..');

/** A fenced block of a page, with the comment that stands directly above it. */
export interface Fence {
  /** The page and line, such as `docs/sinks.md:12`. */
  readonly where: string;
  /** The words behind the fence: the language, and what else is said of it. */
  readonly language: string;
  readonly kind: string;
  readonly content: string;
  /** The text of an HTML comment on the line above, such as `not run: it asks the public internet`. */
  readonly note: string;
  /** The file that a first line such as `# sources/shop.yaml` or `// receiver.mjs` names. */
  readonly file: string | undefined;
}

/** Every page of Markdown that people read, by its path in the repository, in order. */
export const pages: readonly string[] = globSync(['*.md', 'docs/**/*.md'], { cwd: top })
  .filter((page) => page !== 'CHANGELOG.md')
  .toSorted();

/** The pages whose blocks are run as a reader would. */
export const runnablePages: readonly string[] = pages.filter(
  (page) => page === 'README.md' || page.startsWith('docs/guide/'),
);

/** The fenced blocks of a page, in order. Throws an `Error` for one that is indented or not closed, as it would not be found otherwise. */
export function fencesOf(page: string): readonly Fence[] {
  const lines = readFileSync(join(top, page), 'utf8').split('\n');
  const fences: Fence[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const opening = /^(\s*)```(\S*) ?(\S*)$/.exec(lines[at] ?? '');
    if (opening === null) continue;
    const where = `${page}:${at + 1}`;
    const [, indent, language = '', kind = ''] = opening;
    const end = lines.indexOf('```', at + 1);
    if (indent !== '' || end < 0) throw new Error(`${where}: expected a fence that is not indented, and its end`);
    const note = /^<!-- (.*) -->$/.exec(lines[at - 1] ?? '')?.[1] ?? '';
    const file = /^(?:#|\/\/) ([\w.-]+(?:\/[\w.-]+)*\.\w+)$/.exec(lines[at + 1] ?? '')?.[1];
    fences.push({ where, language, kind, note, file, content: `${lines.slice(at + 1, end).join('\n')}\n` });
    at = end;
  }
  return fences;
}

/** What a block of a page that is run is for. */
export type Role =
  | { readonly type: 'not run'; readonly reason: string }
  | { readonly type: 'run'; readonly exits: number }
  | { readonly type: 'run until' }
  | { readonly type: 'other terminal' }
  | { readonly type: 'other terminal prints' }
  | { readonly type: 'file'; readonly file: string }
  | { readonly type: 'added'; readonly file: string; readonly below: string }
  | { readonly type: 'printed' };

/**
 * Says what a block is for, by its first line, the comment above it, and the block before it. Throws an `Error` for one that is for
 * nothing, as it could not be run, and for a comment that has no meaning.
 */
export function roleOf(fence: Fence, before: Role | undefined): Role {
  const { where, language, note, file } = fence;
  const [, reason] = /^not run: (.+)/.exec(note) ?? [];
  if (reason !== undefined) return { type: 'not run', reason };
  if (note === 'needs chromium' && noBrowser !== false) return { type: 'not run', reason: noBrowser };
  if (note === 'the other terminal prints') return { type: 'other terminal prints' };
  const [, into, below = ''] = /^added to (\S+) below "(.*)"$/.exec(note) ?? [];
  if (into !== undefined) return { type: 'added', file: into, below };
  const isPlain = note === '' || note === 'needs chromium';
  if (file !== undefined && isPlain) return { type: 'file', file };
  if (language === 'sh') {
    if (note === 'in another terminal') return { type: 'other terminal' };
    if (note === 'until it prints') return { type: 'run until' };
    const [, status] = /^exits (\d+)$/.exec(note) ?? [];
    if (isPlain || status !== undefined) return { type: 'run', exits: Number(status ?? 0) };
  } else if (isPlain && (before?.type === 'run' || before?.type === 'run until')) return { type: 'printed' };
  throw new Error(
    `${where}: expected commands, what the commands above print, a file by its name, or <!-- not run: why -->; the comment is "${note}"`,
  );
}

/** The blocks of a page that is run, with what they are for. */
export function rolesOf(page: string): readonly (readonly [Fence, Role])[] {
  let before: Role | undefined;
  return fencesOf(page).map((fence) => [fence, (before = roleOf(fence, before))] as const);
}
