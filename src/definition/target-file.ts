import { CsvError, parse } from 'csv-parse/sync';
import { RE2JS } from 're2js';
import { likelyDelimiter } from '../extract/document/csv.ts';
import type { Loaded } from './load-file.ts';
import { expectation, pathText, type Problem, unfolded } from './problem.ts';
import { maxTargets, type Project, type SitemapTargets, Target, type TargetFile } from './project.ts';
import { ProjectId } from '../schema/slug.ts';
import { fillText, matchUrl, parametersIn } from './url-pattern.ts';

/** The largest number of problems of one file that are told. */
const mostProblems = 100;

/** A row of the table, with the line on which it ends. */
interface Row {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

/** An entry of a project file whose targets stand in a table. */
type Entry = Omit<Project, 'targets' | 'listed' | 'unread'>;

/** The targets of one project while its table is read. */
interface Rows {
  readonly targets: Target[];
  readonly lines: number[];
}

/**
 * Reads the targets of a CSV table: its header names the columns `url`, or the parameters of the source, and `source` where `given` names
 * none. Returns the project of them, or one for each id that `{column}` in the id of the entry makes. `file` is named in problems.
 */
export function readTargets(text: string, file: string, given: TargetFile, entry: Entry): Loaded<readonly Project[]> {
  const rows = rowsOf(text);
  if (typeof rows === 'string') return { ok: false, problems: [at(file, 1, rows)] };
  const made = projectsOf(rows, given, entry);
  if (!made.ok) return { ok: false, problems: made.faults.map(({ line, message }) => at(file, line, message)) };
  return { ok: true, value: made.projects.map(({ lines, ...project }) => ({ ...project, listed: { file, lines } })) };
}

/** An address of a sitemap, with the parameters by which the pattern of its source makes it; none where the source has no pattern. */
export interface ListedAddress {
  readonly url: string;
  readonly params: Readonly<Record<string, string>>;
}

/** Returns which of the addresses of a sitemap are targets: those that are to be kept, and that the `pattern` of their source makes. */
export function addressesOf(
  urls: readonly string[],
  { match }: Pick<SitemapTargets, 'match'>,
  pattern: string | undefined,
): ListedAddress[] {
  const isWanted = match === undefined ? undefined : RE2JS.compile(match);
  return urls.flatMap((url) => {
    const params = pattern === undefined ? {} : matchUrl(pattern, url);
    return params === undefined || isWanted?.matcher(url).find() === false ? [] : [{ url, params }];
  });
}

/**
 * Returns the project of what a sitemap lists, or one for each id that parameters of the addresses make; or sentences on what is wrong, each
 * with the address that it is about.
 */
export function sitemapProjects(
  addresses: readonly ListedAddress[],
  given: SitemapTargets,
  entry: Entry,
):
  | { readonly ok: true; readonly value: readonly Project[] }
  | { readonly ok: false; readonly faults: readonly string[] } {
  const known = Object.keys(addresses[0]?.params ?? {});
  const columns = parametersIn(entry.id);
  const unknown = columns.find((name) => name === 'url' || !known.includes(name));
  if (unknown !== undefined)
    return {
      ok: false,
      faults: [
        `the address pattern of source "${given.source}" has no "{${unknown}}", which stands in the id of the project`,
      ],
    };
  const body = addresses.map(({ url, params }) => [url, ...columns.map((name) => params[name] ?? '')]);
  const rows = [['url', ...columns], ...body].map((record, index) => ({ record, info: { lines: index } }));
  const made = projectsOf(rows, given, entry);
  if (made.ok) return { ok: true, value: made.projects.map(({ lines: _lines, ...project }) => project) };
  const placeOf = (line: number): string => addresses[line - 1]?.url ?? given.from;
  return { ok: false, faults: made.faults.map(({ line, message }) => `${placeOf(line)}: ${message}`) };
}

type Made =
  | { readonly ok: true; readonly projects: readonly (Entry & Rows)[] }
  | { readonly ok: false; readonly faults: readonly { readonly line: number; readonly message: string }[] };

/** Makes projects of the rows of a table, of which the first has the names of the columns. */
function projectsOf(rows: readonly Row[], given: TargetFile, entry: Entry): Made {
  const [header, ...body] = rows;
  const names = (header?.record ?? []).map((name) => name.trim());
  const named = parametersIn(entry.id);
  const fault = headerFault(names, given, named) ?? (body.length === 0 ? noRow : undefined);
  if (fault !== undefined) return { ok: false, faults: [{ line: header?.info.lines ?? 1, message: fault }] };
  const found = new Map<string, Rows>();
  const problems: { readonly line: number; readonly message: string }[] = [];
  const seen = new Map<string, number>();
  for (const { record, info } of body) {
    const read = targetOf(names, record, given);
    const id = ProjectId.safeParse(fillText(entry.id, read.cells), { error: expectation });
    const faults =
      read.faults.length > 0 ? read.faults : (id.error?.issues ?? []).map(({ message }) => `id: ${message}`);
    problems.push(...faults.map((message) => ({ line: info.lines, message })));
    if (read.target === undefined || !id.success) continue;
    const name = JSON.stringify([id.data, read.target]);
    const first = seen.get(name);
    if (first !== undefined)
      problems.push({ line: info.lines, message: `expected each target once, got that of line ${first} again` });
    seen.set(name, info.lines);
    const own = found.get(id.data) ?? { targets: [], lines: [] };
    found.set(id.data, own);
    own.targets.push(read.target);
    own.lines.push(info.lines);
    if (own.targets.length === maxTargets + 1) problems.push({ line: info.lines, message: tooMany(id.data, named) });
  }
  if (problems.length > 0) return { ok: false, faults: problems.slice(0, mostProblems) };
  return { ok: true, projects: Array.from(found, ([id, own]) => ({ ...entry, id, ...own })) };
}

function tooMany(id: string, named: readonly string[]): string {
  const hint = named.length > 0 ? '' : ': an id that names a column makes a project of each row';
  return `expected at most ${maxTargets} targets of one project, got more of "${id}"${hint}`;
}

function rowsOf(text: string): readonly Row[] | string {
  try {
    const options = { bom: true, relax_column_count: true, skip_empty_lines: true, info: true } as const;
    const rows: unknown = parse(text, { ...options, delimiter: likelyDelimiter(text) });
    return rows as readonly Row[];
  } catch (error) {
    if (error instanceof CsvError) return `expected a CSV table: ${error.message.slice(0, 200)}`;
    throw error;
  }
}

const noRow = 'expected at least one row below the names of the columns';

/** @param named - the columns that stand in the id of the project. */
function headerFault(names: readonly string[], { source }: TargetFile, named: readonly string[]): string | undefined {
  if (names.every((name) => name === '')) return 'expected a first line with the names of the columns, got none';
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) return `expected each column once, got "${twice}" again`;
  if (source === undefined && !names.includes('source'))
    return 'missing, expected a column "source", or "source" beside "from" in the project file';
  const missing = named.find((name) => !names.includes(name));
  if (missing !== undefined) return `missing, expected a column "${missing}", which stands in the id of the project`;
  const isUrl = names.includes('url');
  const others = names.filter(
    (name) => name !== 'url' && !(name === 'source' && source === undefined) && !(isUrl && named.includes(name)),
  );
  if (isUrl && others.length > 0)
    return `expected no further columns beside "url", got ${others.map((name) => `"${name}"`).join(', ')}`;
  if (!isUrl && others.length === 0) return 'missing, expected a column "url", or those of the parameters';
  return undefined;
}

/** The target of one row, or what is wrong with it. */
function targetOf(
  names: readonly string[],
  record: readonly string[],
  { source }: TargetFile,
): { readonly target?: Target; readonly cells: Readonly<Record<string, string>>; readonly faults: readonly string[] } {
  if (record.length > names.length)
    return { cells: {}, faults: [`expected ${names.length} columns, got ${record.length}`] };
  const cells = names.map((name, index) => [name, record[index]?.trim() ?? ''] as const);
  const empty = cells.filter(([, cell]) => cell === '');
  const all = Object.fromEntries(cells);
  if (empty.length > 0) return { cells: all, faults: empty.map(([name]) => `missing, expected a value for "${name}"`) };
  const params = Object.fromEntries(cells.filter(([name]) => name !== 'source' || source !== undefined));
  const place = names.includes('url') ? { url: params['url'] } : { params };
  const parsed = Target.safeParse({ source: source ?? all['source'], ...place }, { error: expectation });
  if (parsed.success) return { target: parsed.data, cells: all, faults: [] };
  return {
    cells: all,
    faults: parsed.error.issues.flatMap(unfolded).map(({ path, message }) => `${pathText(path)}: ${message}`),
  };
}

function at(file: string, line: number, message: string): Problem {
  return { file, line, column: 1, path: '', message };
}
