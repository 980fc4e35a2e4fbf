import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { isEnd } from '../daemon/lists/listing.ts';
import { soon } from '../daemon/tracking.ts';
import { startDaemon, type TestDaemon } from '../support/daemon.ts';
import { secretsFrom } from '../../src/session/secret-store.ts';
import { member } from '../../src/practice/members.ts';
import { openPracticeWeb } from '../../src/practice/web.ts';

/** A daemon that reads sites of the practice web by their definitions. */
export interface Practice extends TestDaemon {
  /** Reads a site, and returns the fields of all its records in the order of `by`. */
  read(source: string, by: string, params?: Record<string, string>): Promise<readonly Record<string, unknown>[]>;
}

/** Opens the practice web, and a daemon with the definitions of these sites. */
export async function startPractice(t: TestContext, ids: readonly string[]): Promise<Practice> {
  const site = await openPracticeWeb({ port: 0 });
  t.after(() => site.close());
  const definitions = ids.map(async (id) => {
    const text = await readFile(join(import.meta.dirname, 'definitions', `${id}.yaml`), 'utf8');
    return [id, text.replaceAll('http://site.test', site.origin)] as const;
  });
  const sources = Object.fromEntries(await Promise.all(definitions));
  const findSecrets = secretsFrom({ environment: { HERONRY_SECRET_PRACTICE_PASSWORD: member.password } });
  const daemon = await startDaemon(t, { sources, settings: soon, findSecrets });
  const { client, event } = daemon;
  return {
    ...daemon,
    async read(source, by, params = {}) {
      await client.call('project.add', { id: source, targets: [{ source, params }] });
      const ended = await event((each) => isEnd(each) && each.projects?.[0] === source);
      if (ended.type !== 'scrape.completed') throw new Error(`${source}: ${ended.type} ${JSON.stringify(ended.data)}`);
      const { records } = await client.call('project.records', { id: source, limit: 1_000 });
      const all = records.map(({ fields }) =>
        Object.fromEntries(Object.entries(fields).map(([name, { value }]) => [name, value])),
      );
      return all.toSorted((one, other) => textOf(one[by]).localeCompare(textOf(other[by])));
    },
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
