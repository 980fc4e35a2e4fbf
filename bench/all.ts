/**
 * Runs every `bench/*.bench.ts`, or those that are named, each in a process of its own and one after the other, prints what they found
 * and writes `bench/results.json`; with `--keep`, also into `bench/results.md`, where each bench has the figures of its last such run.
 * With `--quick`, benches that have a smaller size of themselves run that.
 */
import { execFile, spawnSync } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { arch, availableParallelism, cpus, platform, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';

type Cell = string | number;
type Row = Readonly<Record<string, Cell>>;

interface Result {
  readonly bench: string;
  readonly seconds: number;
  readonly rows: readonly Row[];
}

const folder = import.meta.dirname;
const suffix = '.bench.ts';

async function runBench(bench: string): Promise<Result> {
  const startedAt = performance.now();
  const args = ['--expose-gc', join(folder, `${bench}${suffix}`), '--json', ...(values.quick ? ['--quick'] : [])];
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 16 * 1_048_576 });
  const rows = rowsOf(JSON.parse(stdout.trim().split('\n').at(-1) ?? ''));
  return { bench, seconds: Math.round((performance.now() - startedAt) / 1_000), rows };
}

/** The rows are what a bench prints, or the list in it, or its figures as one row. */
function rowsOf(found: unknown): Row[] {
  const list = Array.isArray(found) ? found : Object.values(Object(found) as object).find(Array.isArray);
  return (list ?? [found]).map((row: object) =>
    Object.fromEntries(
      Object.entries(row)
        .filter((entry): entry is [string, Cell] => isCell(entry[1]))
        .map(rounded),
    ),
  );
}

function isCell(value: unknown): value is Cell {
  return typeof value === 'string' || typeof value === 'number';
}

/** To three digits after the point for what is small, and to none for the rest, so that figures can be read. */
function rounded([name, value]: [string, Cell]): [string, Cell] {
  if (typeof value === 'string') return [name, value];
  const scale = Math.abs(value) < 100 ? 1_000 : 1;
  return [name, Math.round(value * scale) / scale];
}

function markdownOf({ bench, rows }: Result): string {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const line = (cells: readonly Cell[]): string => `| ${cells.join(' | ')} |`;
  const shown = (cell: Cell | undefined): Cell => (typeof cell === 'number' ? cell.toLocaleString('en') : (cell ?? ''));
  return [
    `## ${bench}`,
    '',
    measuredOn(),
    '',
    line(columns),
    line(columns.map((column) => (typeof rows[0]?.[column] === 'number' ? '--:' : '---'))),
    ...rows.map((row) => line(columns.map((column) => shown(row[column])))),
    '',
  ].join('\n');
}

const machine = {
  date: new Date().toISOString().slice(0, 10),
  node: process.version,
  system: `${platform()} ${arch()}`,
  processor: cpus()[0]?.model.trim() || 'unknown processor',
  threads: availableParallelism(),
  memoryGiB: Math.round(totalmem() / 2 ** 30),
};
const { values, positionals: wanted } = parseArgs({
  options: { keep: { type: 'boolean', default: false }, quick: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const all = (await readdir(folder))
  .filter((name) => name.endsWith(suffix))
  .map((name) => name.slice(0, -suffix.length));
const unknown = wanted.filter((name) => !all.includes(name));
if (unknown.length > 0) throw new Error(`no bench is called ${unknown.join(', ')}: expected some of ${all.join(', ')}`);
const results: Result[] = [];
for (const bench of all.filter((name) => wanted.length === 0 || wanted.includes(name)).toSorted()) {
  const result = await runBench(bench);
  results.push(result);
  console.log(`\n${result.bench} (${result.seconds} s)`);
  console.table(result.rows);
}
await writeFile(join(folder, 'results.json'), `${JSON.stringify({ machine, results }, null, 2)}\n`);
if (values.keep) await keep(join(folder, 'results.md'));

/** Puts the figures in place of those of older runs. What stands below a table, such as what is in the way of a goal, stays. */
async function keep(path: string): Promise<void> {
  const [head = '', ...sections] = (await readFile(path, 'utf8')).split(/^(?=## )/m);
  const byBench = new Map(sections.map((section) => [section.slice(3, section.indexOf('\n')), section.trimEnd()]));
  for (const result of results) {
    const note = /\|\n\n([^|]+)$/.exec(byBench.get(result.bench) ?? '')?.[1] ?? '';
    byBench.set(result.bench, `${markdownOf(result).trimEnd()}\n\n${note}`.trimEnd());
  }
  const kept = [...byBench].filter(([bench]) => all.includes(bench)).sort(([a], [b]) => (a < b ? -1 : 1));
  await writeFile(path, `${[head.trimEnd(), ...kept.map(([, section]) => section)].join('\n\n')}\n`);
}

function measuredOn(): string {
  const { date, node, system, processor, threads, memoryGiB } = machine;
  return `${date}, commit ${commit()}, Node ${node}, ${system}, ${processor}, ${threads} threads, ${memoryGiB} GiB.`;
}

/** What was measured; where git is not at hand, nobody can say. */
function commit(): string {
  const { status, stdout } = spawnSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8', cwd: folder });
  return status === 0 ? stdout.trim() : 'unknown';
}
