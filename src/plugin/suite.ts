import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { basename, dirname, extname } from 'node:path';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { readPlugin } from '../definition/plugin-file.ts';
import type { Batch, PageInput, PluginFile, PluginFunction, PluginFunctions, PluginOutcome } from './protocol.ts';
import { defaultPluginLimits, noServices, type PluginServices } from './services.ts';
import { openPluginThread } from './thread.ts';
import type { Cursor, Draft, Params } from '../provider/define.ts';
import type { Unparsed } from '../view/scrape.ts';

/** A page as a test has it: its text, or the file that holds it. */
export interface SuitePage {
  readonly url: string;
  /** Default 200. */
  readonly status?: number;
  /** Names in lower case. Default: a `content-type` of HTML. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly text?: string;
  readonly file?: string | URL;
}

/** A page and what it gives. */
export interface SuiteFixture {
  readonly page: SuitePage;
  readonly expected: {
    readonly drafts: readonly Draft[];
    readonly next?: Cursor;
    readonly finished?: boolean;
    readonly unparsed?: readonly Omit<Unparsed, 'record'>[];
  };
}

/** A run of a collector and what it gives. */
export interface SuiteRun {
  readonly args: readonly string[];
  /** The newest stored dates that it is told. Default: none. */
  readonly since?: Readonly<Record<string, string>>;
  /** The parameters of the target. Default: none. */
  readonly params?: Params;
  /** The answers of the site; requests for other addresses fail. */
  readonly answers: readonly SuitePage[];
  readonly expected: readonly Draft[];
}

/** The inputs that a plug-in is tested with. */
export interface SuiteOptions {
  /** The options as a definition gives them. */
  readonly options?: unknown;
  /** Options that the plug-in must refuse, besides one of a name that it does not know. */
  readonly badOptions?: readonly unknown[];
  /** An address that a person may paste. */
  readonly url?: string;
  /** The parameters of a target; those of `url`, if both are given. */
  readonly params?: Params;
  readonly fixtures?: readonly SuiteFixture[];
  readonly runs?: readonly SuiteRun[];
}

/** The entry file of a thread, as the daemon starts it. */
const threadFile = new URL(`../../workers/plugin.thread${extname(import.meta.url)}`, import.meta.url);

/**
 * Tests a plug-in on threads as the daemon has them, with node:test: that it is a provider, refuses options it does not know, gives
 * the same for the same and what was expected, in order, whatever came before, and changes nothing it is given.
 */
export function providerSuite(file: string | URL, suite: SuiteOptions): void {
  const path = file instanceof URL ? fileURLToPath(file) : file;
  void describe(basename(path), () => {
    const threads = [0, 1].map(() => openPluginThread(threadFile, defaultPluginLimits));
    after(() => Promise.all(threads.map((thread) => thread.end())));

    void test('is a provider, and takes its options', async () => {
      const { optionIssues } = await call('describe', {});
      assert.deepEqual(optionIssues, []);
    });

    void test('refuses options that it does not know', async (context) => {
      const bad = [...(suite.badOptions ?? []), { ...Object(suite.options), 'no such option': true }];
      if (!(await call('describe', {})).checksOptions && suite.badOptions === undefined) {
        return context.diagnostic('it has no schema of options');
      }
      for (const options of bad) {
        const { optionIssues } = await call('describe', {}, { options });
        assert.ok(optionIssues.length > 0, `expected it to refuse ${JSON.stringify(options)}`);
      }
    });

    const { url, params } = suite;
    if (url !== undefined) {
      void test('finds the same parameters in an address each time', async () => {
        const found = await twice('resolve', () => ({ url }));
        assert.ok(found !== undefined, `expected it to know ${url}`);
        if (params !== undefined) assert.deepEqual(found, params);
      });
    }
    if (url !== undefined || params !== undefined) {
      void test('asks for the same page each time, by the parameters of an address as by its own', async () => {
        if (!(await call('describe', {})).functions.includes('request')) return;
        const resolved = url === undefined ? params : await call('resolve', { url });
        const asked = await twice('request', () => ({ params: resolved ?? {}, page: 1 }));
        if (params !== undefined) assert.deepEqual(await call('request', { params, page: 1 }), asked);
      });
    }

    for (const [index, { page, expected }] of (suite.fixtures ?? []).entries()) {
      void test(`reads page ${index + 1}, ${page.url}, as expected, twice and on another thread`, async () => {
        const read = await twice('read', () => inputOf(page));
        assert.deepEqual(read, { finished: false, unparsed: [], ...expected });
      });
    }

    void test('reads its pages alike in any order', async () => {
      for (const { page, expected } of [...(suite.fixtures ?? [])].reverse()) {
        assert.deepEqual(await call('read', inputOf(page)), { finished: false, unparsed: [], ...expected });
      }
    });

    for (const { args, since = {}, params = {}, answers, expected } of suite.runs ?? []) {
      void test(`collects with the arguments ${JSON.stringify(args)} as expected, twice`, async () => {
        for (const thread of [0, 1]) {
          const drafts: unknown[] = [];
          const collected = async (batch: Batch): Promise<void> => void drafts.push(...batch.drafts);
          await call(
            'collect',
            { args, since, address: { params } },
            { thread, services: { ...noServices, fetch: fetchFrom(answers), collected } },
          );
          assert.deepEqual(drafts, expected);
        }
      });
    }

    async function load(): Promise<PluginFile> {
      const read = await readPlugin(dirname(path), basename(path));
      assert.ok(read.ok, read.ok ? '' : `${path}: ${read.message}`);
      return read.plugin;
    }

    /** Calls a function twice on one thread and once on another; the three results must be equal. */
    async function twice<F extends PluginFunction>(
      name: F,
      input: () => PluginFunctions[F]['input'],
    ): Promise<PluginFunctions[F]['value']> {
      const first = await call(name, input());
      assert.deepEqual(await call(name, input()), first);
      assert.deepEqual(await call(name, input(), { thread: 1 }), first);
      return first;
    }

    async function call<F extends PluginFunction>(
      name: F,
      input: PluginFunctions[F]['input'],
      {
        thread = 0,
        services = noServices,
        ...other
      }: { thread?: number; services?: PluginServices; options?: unknown } = {},
    ): Promise<PluginFunctions[F]['value']> {
      const options = 'options' in other ? other.options : suite.options;
      const asked = { plugin: await load(), function: name, options, input };
      const end = await threads[thread]?.run(asked, services, new AbortController().signal);
      assert.ok(end?.kind === 'called');
      const outcome = end.outcome as PluginOutcome<PluginFunctions[F]['value']>;
      assert.ok(outcome.ok, outcome.ok ? '' : `${outcome.failure.code}: ${outcome.failure.message}`);
      return outcome.value;
    }
  });
}

function fetchFrom(answers: readonly SuitePage[]): PluginServices['fetch'] {
  return ({ url }) => {
    const page = answers.find((each) => each.url === url);
    const failure = { code: 'unreachable', message: `expected no request for ${url}` };
    return Promise.resolve(page === undefined ? { ok: false, failure } : { ok: true, page: inputOf(page) });
  };
}

function inputOf({
  url,
  status = 200,
  headers = { 'content-type': 'text/html; charset=utf-8' },
  text = '',
  file,
}: SuitePage): PageInput {
  const bytes = file === undefined ? Buffer.from(text) : readFileSync(file);
  const body = new ArrayBuffer(bytes.length);
  new Uint8Array(body).set(bytes);
  return { url, status, headers, body };
}
