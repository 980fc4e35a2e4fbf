import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

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

/** The reason that a block gives for not being run, or `undefined`. */
export function reasonOf({ note }: Fence): string | undefined {
  return /^not run: (.+)/.exec(note)?.[1];
}
