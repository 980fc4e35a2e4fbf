import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { Registry } from '../../src/actor/registry.ts';
import { createSystem } from '../../src/actor/system.ts';
import type { Ref } from '../../src/actor/types.ts';
import { systemClock } from '../../src/clock.ts';
import { readPlugin } from '../../src/definition/plugin-file.ts';
import type {
  Batch,
  PageInput,
  PluginFile,
  PluginFunction,
  PluginFunctions,
  PluginLogLine,
  PluginOutcome,
} from '../../src/plugin/protocol.ts';
import type { PluginServices } from '../../src/plugin/services.ts';
import {
  callPlugin,
  plugins,
  type PluginsDeps,
  type PluginsMessage,
  type PluginsStatus,
} from '../../workers/plugins.ts';

const fixtures = join(import.meta.dirname, '../fixtures/plugins');

/** A plug-in of the fixtures. */
export async function fixture(name: string): Promise<PluginFile> {
  const read = await readPlugin(fixtures, name);
  assert.ok(read.ok, read.ok ? '' : read.message);
  return read.plugin;
}

/** A plug-in with a source of its own, in the folder of the fixtures. */
export function written(source: string, name = 'written.ts', version = String(source.length)): PluginFile {
  return { file: join(fixtures, name), version, source };
}

export interface CallOptions {
  readonly options?: unknown;
  readonly services?: Partial<PluginServices>;
  readonly signal?: AbortSignal;
}

/** Threads of plug-ins in an actor of their own, that end with the test. */
export interface Pool {
  readonly ref: Ref<PluginsMessage>;
  call<F extends PluginFunction>(
    plugin: PluginFile,
    name: F,
    input: PluginFunctions[F]['input'],
    options?: CallOptions,
  ): Promise<PluginOutcome<PluginFunctions[F]['value']>>;
  collect(plugin: PluginFile, args: readonly string[], options?: CallOptions): Promise<Collected>;
  status(): Promise<PluginsStatus>;
  stop(): Promise<void>;
}

/** What a collector gave, and how it ended. */
export interface Collected {
  readonly outcome: PluginOutcome<PluginFunctions['collect']['value']>;
  readonly batches: readonly Batch[];
  readonly keys: readonly (string | undefined)[];
  readonly lines: readonly PluginLogLine[];
}

export async function openPool(context: TestContext, deps: Partial<PluginsDeps> = {}): Promise<Pool> {
  const system = createSystem({ clock: systemClock() });
  const registry: PluginsDeps['registry'] = new Registry();
  const spawned = await system.spawn<PluginsMessage>((self) => plugins(self, { registry, ...deps }), { id: 'plugins' });
  if (spawned.ok !== true) throw new Error('the pool did not start');
  const { ref } = spawned;
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => (stopped ??= system.stop(ref));
  context.after(stop);
  const pool: Pool = {
    ref,
    call: (plugin, name, input, { options, services, signal = new AbortController().signal } = {}) =>
      callPlugin(ref, { plugin, function: name, input, options, services: servicesOf(services), signal }),
    async collect(plugin, args, { services, ...rest } = {}) {
      const batches: Batch[] = [];
      const lines: PluginLogLine[] = [];
      const outcome = await pool.call(
        plugin,
        'collect',
        { args, since: {}, address: { params: {} } },
        {
          ...rest,
          services: {
            log: (line) => void lines.push(line),
            collected: async (batch) => void batches.push(batch),
            ...services,
          },
        },
      );
      const keys = batches.flatMap(({ drafts }) => drafts.map(({ key }) => key));
      return { outcome, batches, keys, lines };
    },
    status: () => ref.ask<PluginsStatus>((reply) => ({ type: 'status', reply })),
    stop,
  };
  return pool;
}

/** Services that refuse what a test did not give. */
export function servicesOf(given: Partial<PluginServices> = {}): PluginServices {
  return {
    fetch: () => Promise.reject(new Error('did not expect a request')),
    secret: () => undefined,
    records: () => Promise.reject(new Error('did not expect a question for records')),
    log: () => undefined,
    collected: () => Promise.resolve(),
    hide: (text) => text,
    ...given,
  };
}

/** A page to read, or to answer with. */
export function pageOf(text: string, rest: Partial<Omit<PageInput, 'body'>> = {}): PageInput {
  const body = new ArrayBuffer(Buffer.byteLength(text));
  new Uint8Array(body).set(Buffer.from(text));
  return { url: 'https://site.test/', status: 200, headers: { 'content-type': 'text/html' }, body, ...rest };
}

/** The value of a call that must not have failed. */
export function valueOf<T>(outcome: PluginOutcome<T>): T {
  assert.ok(outcome.ok, outcome.ok ? '' : `${outcome.failure.code}: ${outcome.failure.message}`);
  return outcome.value;
}

/** The failure of a call that must have failed, as `code: message`. */
export function failureOf(outcome: PluginOutcome<unknown>): string {
  assert.ok(!outcome.ok, 'expected a failure');
  return `${outcome.failure.code}: ${outcome.failure.message}`;
}
