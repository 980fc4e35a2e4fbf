import type { ProviderPlugin } from '../provider/define.ts';
import { PluginFault } from './fault.ts';
import { openPage } from './page.ts';
import type { PluginFunction, PluginFunctions, PluginRead } from './protocol.ts';
import { checkDraft, checkResult, draftBytes } from './result.ts';
import { openCollectContext, openContext, type Running } from './running.ts';
import { describeProvider, openOptions } from './shape.ts';

/** A function to be called, and what it is given. */
export interface Asked {
  readonly function: PluginFunction;
  readonly options: unknown;
  readonly input: unknown;
}

/** Calls one function of a provider and checks what it gives; what it is given cannot be changed. */
export async function callFunction(
  provider: ProviderPlugin<unknown>,
  asked: Asked,
  running: Running,
): Promise<unknown> {
  if (asked.function === 'describe') return describeProvider(provider, asked.options);
  if (provider[asked.function] === undefined) {
    throw new PluginFault('plugin_bad_module', 'is not among the functions of this plug-in');
  }
  const options = freeze(openOptions(provider, asked.options));
  switch (asked.function) {
    case 'resolve': {
      const { url } = asked.input as PluginFunctions['resolve']['input'];
      return checkResult('resolve', await provider.resolve?.(url, options));
    }
    case 'request':
      return checkResult(
        'request',
        await provider.request?.(freeze(asked.input as PluginFunctions['request']['input']), options),
      );
    case 'onFailure': {
      const failure = freeze(asked.input as PluginFunctions['onFailure']['input']);
      return checkResult('onFailure', await provider.onFailure?.(failure, options));
    }
    case 'authenticate':
      return checkResult(
        'authenticate',
        await provider.authenticate?.(Object.freeze(openContext(running, options)), options),
      );
    case 'read': {
      const page = openPage(asked.input as PluginFunctions['read']['input']);
      // Threads of collectors do without it.
      const { openReader } = await import('./reader.ts');
      const { reader, unparsed } = openReader(page, options);
      const read = checkResult('read', await provider.read?.(page, reader)) as PluginRead;
      // In parts, so that the daemon never has to take in a large one at once.
      for (const draft of read.drafts) await running.batches.addDraft(draft, draftBytes(draft));
      await running.batches.finish();
      return { ...read, drafts: [], unparsed };
    }
    case 'collect':
      return collect(provider, asked.input as PluginFunctions['collect']['input'], options, running);
    default:
      return asked.function satisfies never;
  }
}

async function collect(
  provider: ProviderPlugin<unknown>,
  { args }: PluginFunctions['collect']['input'],
  options: unknown,
  running: Running,
): Promise<PluginFunctions['collect']['value']> {
  const found: unknown = provider.collect?.(openCollectContext(running, options), ...args);
  const { batches } = running;
  try {
    for await (const draft of iterable(found)) {
      if (draft === undefined || draft === null) continue;
      const { draft: checked, bytes } = checkDraft(draft);
      await batches.addDraft(checked, bytes);
    }
  } finally {
    // What was found before an error was found all the same.
    await batches.finish();
  }
  return { drafts: batches.drafts, failures: batches.failures };
}

/** One that only waits and gives nothing is a collector that writes its own way. */
async function* iterable(found: unknown): AsyncGenerator {
  if (isIterable(found)) {
    yield* found;
    return;
  }
  const awaited: unknown = await found;
  if (awaited === undefined) return;
  if (!isIterable(awaited))
    throw new PluginFault('plugin_bad_result', 'returned something unexpected: expected an async generator of drafts');
  yield* awaited;
}

function isIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && (Symbol.asyncIterator in value || Symbol.iterator in value);
}

/** Plain data that was made for this call alone. */
function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (!Array.isArray(value) && prototype !== Object.prototype && prototype !== null) return value;
  for (const each of Object.values(value)) freeze(each);
  return Object.freeze(value);
}
