/**
 * Question: what do actors cost beside the BEAM's? Each figure is taken of our kernel and of an Erlang VM with one scheduler,
 * in turn, some rounds long; the best of each counts, as noise only slows. `ratio` says how many times better ours is.
 * `cpuUsEach` is user time of all threads, which a busy machine changes less: V8 collects on threads of its own.
 * Without Elixir ours stand alone. Goals are ratios, and that costs stay flat with the number of repeats.
 *
 * Run with `node bench/beam.bench.ts [--json] [FIGURE…]`.
 */
import { type Figures, startBeam, startKernel } from './beam/peer.ts';

interface Question {
  readonly figure: string;
  /** Repeats, or how many things there are. */
  readonly times: number;
  /** Repeats on the BEAM where fewer must do; 0 where it is not asked. */
  readonly beamTimes?: number;
  readonly rounds?: number;
  /** By name of a value: at least how many times better than the BEAM. */
  readonly goals?: Readonly<Record<string, number>>;
}

/** The stop of a dynamic supervisor and restarts cost the BEAM time quadratic in their number, so that it gets fewer. */
const questions: readonly Question[] = [
  { figure: 'start', times: 100_000, goals: { perSecond: 5, bytesEach: 4 } },
  { figure: 'start', times: 1_000_000, rounds: 1, goals: { perSecond: 5, bytesEach: 4 } },
  { figure: 'stop', times: 100_000, beamTimes: 5_000 },
  { figure: 'stop', times: 1_000_000, beamTimes: 0, rounds: 1 },
  { figure: 'call', times: 300_000, goals: { perSecond: 2 } },
  { figure: 'cast', times: 2_000_000, goals: { perSecond: 1.2 } },
  { figure: 'drain', times: 10_000 },
  { figure: 'drain', times: 1_000_000 },
  { figure: 'lookUp', times: 500_000, goals: { perSecond: 5 } },
  { figure: 'restart', times: 1_000, rounds: 10 },
  { figure: 'restart', times: 10_000, goals: { perSecond: 10 } },
  { figure: 'restart', times: 100_000, beamTimes: 0 },
  { figure: 'timer', times: 1_000_000, goals: { armNs: 2, cancelNs: 2 } },
];

const usualRounds = 3;

interface Row {
  readonly figure: string;
  readonly times: number;
  readonly value: string;
  readonly heronry: number;
  readonly beam?: number;
  readonly ratio?: number;
  readonly goal?: number;
}

const beam = startBeam();

async function rowsOf({
  figure,
  times,
  beamTimes = times,
  rounds = usualRounds,
  goals = {},
}: Question): Promise<Row[]> {
  const ours: Figures[] = [];
  const theirs: Figures[] = [];
  const kernel = startKernel();
  for (let round = 0; round < rounds; round += 1) {
    ours.push(await kernel.take(figure, times));
    if (beam !== undefined && beamTimes > 0) theirs.push(await beam.take(figure, beamTimes));
  }
  kernel.close();
  return Object.keys(ours[0] ?? {}).map((value) => {
    const heronry = bestOf(value, ours);
    const compared = theirs[0]?.[value] === undefined ? {} : comparison(value, heronry, bestOf(value, theirs));
    const goal = goals[value];
    return { figure, times, value, heronry, ...compared, ...(goal !== undefined && { goal }) };
  });
}

/** A rate is better the higher it is, all else the lower. */
function isRate(value: string): boolean {
  return value === 'perSecond';
}

function bestOf(value: string, rounds: readonly Figures[]): number {
  const values = rounds.map((figures) => figures[value] ?? Number.NaN);
  return isRate(value) ? Math.max(...values) : Math.min(...values);
}

function comparison(value: string, ours: number, theirs: number): { beam: number; ratio: number } {
  return { beam: theirs, ratio: isRate(value) ? ours / theirs : theirs / ours };
}

const rows: Row[] = [];
const asked = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const isAsked = ({ figure }: Question): boolean => asked.length === 0 || asked.includes(figure);
for (const question of questions.filter(isAsked)) rows.push(...(await rowsOf(question)));
beam?.close();

if (process.argv.includes('--json') || process.env['CI']) console.log(JSON.stringify(rows));
else {
  if (beam === undefined) console.log('Elixir is not installed: no figures of the BEAM.');
  const shown = (cell: number | undefined): string => cell?.toLocaleString('en', { maximumFractionDigits: 1 }) ?? '';
  const cellsOf = (row: Row) => [row.heronry, row.beam, row.ratio, row.goal].map((cell) => shown(cell).padStart(13));
  const line = (name: string, cells: readonly string[]): void => console.log(name.padEnd(28), ...cells);
  line(
    '',
    ['heronry', 'beam', 'ratio', 'goal'].map((head) => head.padStart(13)),
  );
  for (const row of rows) line(`${row.figure} ${row.times} ${row.value}`, cellsOf(row));
}
