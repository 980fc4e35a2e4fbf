import { CsvError, parse } from 'csv-parse/sync';
import { likelyDelimiter } from '../extract/document/csv.ts';
import type { Loaded } from './load.ts';
import { expectation, pathText, type Problem, unfolded } from './problem.ts';
import { maxTargets, type Project, Target, type TargetFile } from './project.ts';

/** The largest number of problems of one file that are told. */
const mostProblems = 100;

/** A row of the table, with the line on which it ends. */
interface Row {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

/**
 * Reads the targets of a CSV table: its header names the columns `url`, or the parameters of the source, and `source` where `given` names
 * none. `file` is named in its problems.
 */
export function readTargets(
  text: string,
  file: string,
  given: TargetFile,
): Loaded<Required<Pick<Project, 'targets' | 'listed'>>> {
  const rows = rowsOf(text);
  if (typeof rows === 'string') return { ok: false, problems: [at(file, 1, rows)] };
  const [header, ...body] = rows;
  const names = (header?.record ?? []).map((name) => name.trim());
  const fault = headerFault(names, given) ?? countFault(body.length);
  if (fault !== undefined) return { ok: false, problems: [at(file, header?.info.lines ?? 1, fault)] };
  const targets: Target[] = [];
  const lines: number[] = [];
  const problems: Problem[] = [];
  const seen = new Map<string, number>();
  for (const { record, info } of body) {
    const read = targetOf(names, record, given);
    problems.push(...read.faults.map((message) => at(file, info.lines, message)));
    if (read.target === undefined) continue;
    const name = JSON.stringify(read.target);
    const first = seen.get(name);
    if (first !== undefined)
      problems.push(at(file, info.lines, `expected each target once, got that of line ${first} again`));
    seen.set(name, info.lines);
    targets.push(read.target);
    lines.push(info.lines);
  }
  if (problems.length > 0) return { ok: false, problems: problems.slice(0, mostProblems) };
  return { ok: true, value: { targets, listed: { file, lines } } };
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

function headerFault(names: readonly string[], { source }: TargetFile): string | undefined {
  if (names.every((name) => name === '')) return 'expected a first line with the names of the columns, got none';
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) return `expected each column once, got "${twice}" again`;
  if (source === undefined && !names.includes('source'))
    return 'missing, expected a column "source", or "source" beside "from" in the project file';
  const others = names.filter((name) => name !== 'url' && !(name === 'source' && source === undefined));
  if (names.includes('url') && others.length > 0)
    return `expected no further columns beside "url", got ${others.map((name) => `"${name}"`).join(', ')}`;
  if (!names.includes('url') && others.length === 0)
    return 'missing, expected a column "url", or those of the parameters';
  return undefined;
}

function countFault(rows: number): string | undefined {
  if (rows === 0) return 'expected at least one row below the names of the columns';
  return rows > maxTargets ? `expected at most ${maxTargets} targets of one project, got ${rows}` : undefined;
}

/** The target of one row, or what is wrong with it. */
function targetOf(
  names: readonly string[],
  record: readonly string[],
  { source }: TargetFile,
): { readonly target?: Target; readonly faults: readonly string[] } {
  if (record.length > names.length) return { faults: [`expected ${names.length} columns, got ${record.length}`] };
  const cells = names.map((name, index) => [name, record[index]?.trim() ?? ''] as const);
  const empty = cells.filter(([, cell]) => cell === '');
  if (empty.length > 0) return { faults: empty.map(([name]) => `missing, expected a value for "${name}"`) };
  const params = Object.fromEntries(cells.filter(([name]) => name !== 'source' || source !== undefined));
  const place = names.includes('url') ? { url: params['url'] } : { params };
  const parsed = Target.safeParse(
    { source: source ?? Object.fromEntries(cells)['source'], ...place },
    { error: expectation },
  );
  if (parsed.success) return { target: parsed.data, faults: [] };
  return { faults: parsed.error.issues.flatMap(unfolded).map(({ path, message }) => `${pathText(path)}: ${message}`) };
}

function at(file: string, line: number, message: string): Problem {
  return { file, line, column: 1, path: '', message };
}
