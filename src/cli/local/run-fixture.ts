import { isDeepStrictEqual } from 'node:util';
import type { TryView } from '../../control/methods/source.ts';
import type { Loaded } from '../../definition/load.ts';
import type { Source } from '../../definition/source.ts';
import { CommandError } from '../exit-status.ts';
import { showProblems } from '../problems.ts';
import type { Terminal } from '../terminal.ts';
import { type Difference, differencesOf } from './differences.ts';
import { type Expected, expectedOf, type Fixture, readFixture, writeExpected } from './fixture-files.ts';
import { readHeldPage } from './page.ts';

/** How a saved page is read now, against what is expected of it. */
export interface FixtureRun {
  readonly source: string;
  readonly name: string;
  readonly ok: boolean;
  readonly differences: readonly Difference[];
  /** What is wrong besides the records, as sentences. */
  readonly notes: readonly string[];
  readonly updated?: true;
}

/** Reads a saved page by the definition of its source; with `update` what it gives is what is expected from now on. */
export async function runFixture(
  terminal: Terminal,
  fixture: Fixture,
  loaded: Loaded<Source>,
  { update, plugins }: { readonly update: boolean; readonly plugins: string },
): Promise<FixtureRun> {
  const { source, name } = fixture;
  const wrong = (note: string): FixtureRun => ({ source, name, ok: false, differences: [], notes: [note] });
  if (!loaded.ok) return wrong(showProblems(terminal, loaded.problems));
  try {
    const { page, expected } = await readFixture(fixture);
    const found = await readHeldPage(loaded.value, page, { plugins });
    const differences = differencesOf(expected.records, found.drafts);
    const notes = notesOf(expected, found, differences.length === 0);
    const ok = differences.length === 0 && notes.length === 0;
    if (ok || !update) return { source, name, ok, differences, notes };
    await writeExpected(fixture.expectedFile, expectedOf(page, found));
    return { source, name, ok: true, differences, notes, updated: true };
  } catch (error) {
    // One that is not as it should be hides no other.
    if (error instanceof CommandError) return wrong(error.message);
    throw error;
  }
}

function notesOf(expected: Expected, found: TryView, areSame: boolean): string[] {
  const failure = found.failure?.code;
  const order = ({ records }: Pick<Expected, 'records'>): unknown => records.map(({ type, key }) => [type, key]);
  return [
    ...(failure === expected.failure
      ? []
      : [`expected ${failureText(expected.failure)}, got ${failureText(failure, found.failure?.message)}`]),
    ...(found.finished === expected.finished
      ? []
      : [`expected the page to say that it is ${expected.finished ? 'finished' : 'not finished'}`]),
    ...(areSame && !isDeepStrictEqual(order(expected), order({ records: found.drafts }))
      ? ['the records come in another order']
      : []),
  ];
}

function failureText(code: string | undefined, message?: string): string {
  if (code === undefined) return 'no failure';
  return message === undefined ? `the failure ${code}` : `the failure ${code}: ${message}`;
}
