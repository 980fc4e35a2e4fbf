import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate } from 'node:timers';
import type { MessagePort } from 'node:worker_threads';
import type { ProviderPlugin } from '../provider/define.ts';
import {
  openCallContext,
  openCollectContext,
  openContext,
  openPage,
  openRunningCall,
  type RunningCall,
} from './context.ts';
import { calledName, failureOf, lineOf, type Named, PluginFault, shown, thrownFailure } from './fault.ts';
import { type ModuleLoader, moduleUrl, replaceGlobals } from './thread-guard.ts';
import type { FromThread, PluginFile, PluginFunctions, PluginOutcome, PluginRead, ToThread } from './protocol.ts';
import { checkDraft, checkResult, checkReturned, draftBytes } from './result.ts';
import { describeProvider, openOptions, providerOf } from './shape.ts';

type CallMessage = ToThread & { readonly type: 'call' };

/**
 * A call that was begun. It ends once: `whole` when its function returned or threw, `stray` by an error that nobody
 * awaited or a call of `process.exit`.
 */
interface Call extends RunningCall {
  end(outcome: PluginOutcome<unknown>, how: 'whole' | 'stray'): void;
  readonly named: Named;
}

/**
 * Serves the calls that come through a thread's port, one at a time. Errors, output and timers that a call leaves
 * behind are attributed to it.
 */
export function serve(port: MessagePort, loader: ModuleLoader): void {
  const inCall = new AsyncLocalStorage<Call>();
  let last: Call | undefined;
  const here = (): Call | undefined => inCall.getStore() ?? last;

  replaceGlobals({
    onOutput: (level, text) => here()?.log.write(level, text),
    onExit(code) {
      const call = here();
      call?.end(
        { ok: false, failure: failureOf('plugin_exited', call.named, `called process.exit(${String(code)})`) },
        'stray',
      );
    },
  });
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error: unknown) => {
      const call = here();
      call?.end({ ok: false, failure: thrownFailure(error, call.named) }, 'stray');
    });
  }

  port.on('message', (message: ToThread) => {
    if (message.type === 'answer') return last?.questions.answer(message.request, message.answer);
    const call = openCall(message);
    last = call;
    inCall.run(call, () => void run(message, call));
  });

  function openCall(message: CallMessage): Call {
    const { call, plugin } = message;
    const running = openRunningCall((told) => port.postMessage({ call, ...told } satisfies FromThread));
    const before = process.getActiveResourcesInfo();
    let hasEnded = false;
    return {
      ...running,
      named: { file: plugin.file, function: calledName(message), url: moduleUrl(plugin) },
      end(outcome, how) {
        running.batches.drop();
        if (how === 'stray') return tell(outcome, 'stray');
        // Told by the next turn of the thread's loop: what keeps it from turning, or is thrown until then, is this call's.
        setImmediate(() => tell(outcome, 'whole'));
      },
    };

    function tell(outcome: PluginOutcome<unknown>, how: 'whole' | 'stray'): void {
      if (hasEnded) return;
      hasEnded = true;
      const left = leftovers(before);
      if (how === 'whole' && left.length > 0) {
        running.log.write('warn', `left behind, and ended with its thread: ${left.join(', ')}`);
      }
      running.log.close();
      const isClean = how === 'whole' && left.length === 0 && running.questions.open === 0;
      running.say({ type: 'ended', outcome, isClean });
      running.close();
    }
  }

  async function run(message: CallMessage, call: Call): Promise<void> {
    try {
      const module = await load(loader, call, message.plugin);
      if (message.function === 'call') {
        call.say({ type: 'began' });
        return call.end({ ok: true, value: await callExported(module, message.input, call) }, 'whole');
      }
      const provider = providerOf(module);
      // Loaded before the call begins, as its time is the plug-in's own.
      if (message.function === 'read') await importReader();
      call.say({ type: 'began' });
      call.end({ ok: true, value: await callFunction(provider, message, call) }, 'whole');
    } catch (error) {
      call.end({ ok: false, failure: thrownFailure(error, call.named) }, 'whole');
    }
  }
}

/** The module of what reads pages. Threads of collectors do without it. */
const importReader = () => import('./reader.ts');

/** Loads a plug-in's module. Throws a `PluginFault` for one that cannot be loaded. */
async function load(loader: ModuleLoader, { named }: Call, plugin: PluginFile): Promise<object> {
  try {
    return await loader.load(plugin);
  } catch (error) {
    const line = lineOf(error, named.url);
    const what = shown(error).replaceAll(named.url, plugin.file);
    throw new PluginFault(
      'plugin_bad_module',
      `cannot be loaded: ${what}${line === undefined ? '' : ` (line ${line})`}`,
    );
  }
}

/** Calls a function that a module exports. Throws a `PluginFault` where there is none or its result is invalid, and whatever it throws. */
async function callExported(
  module: object,
  { name, args, of }: PluginFunctions['call']['input'],
  running: RunningCall,
): Promise<PluginFunctions['call']['value']> {
  const exported: unknown = Reflect.get(module, name);
  if (typeof exported !== 'function')
    throw new PluginFault('plugin_bad_module', `is not exported: expected a function of this name`);
  const returned: unknown = await exported(freeze(args), openCallContext(running, freeze(of)));
  return checkReturned(returned);
}

/** The resources that keep the thread busy now and did not before the call. */
function leftovers(before: readonly string[]): string[] {
  const known = [...before];
  return process.getActiveResourcesInfo().filter((name) => {
    const index = known.indexOf(name);
    if (index >= 0) known.splice(index, 1);
    return index < 0;
  });
}

/**
 * Calls a function of a provider and checks its result. Its arguments are frozen. Throws a `PluginFault` for a missing
 * function, refused options or an invalid result, and whatever the function throws.
 */
async function callFunction(
  provider: ProviderPlugin<unknown>,
  call: Exclude<CallMessage, { readonly function: 'call' }>,
  running: RunningCall,
): Promise<unknown> {
  if (call.function === 'describe') return describeProvider(provider, call.options);
  if (provider[call.function] === undefined) {
    throw new PluginFault('plugin_bad_module', 'is not among the functions of this plug-in');
  }
  const options = freeze(openOptions(provider, call.options));
  switch (call.function) {
    case 'resolve':
      return checkResult(
        'resolve',
        await provider.resolve?.(call.input.url, options, Object.freeze(openContext(running, options))),
      );
    case 'request':
      return checkResult('request', await provider.request?.(freeze(call.input), options));
    case 'onFailure':
      return checkResult('onFailure', await provider.onFailure?.(freeze(call.input), options));
    case 'authenticate':
      return checkResult(
        'authenticate',
        await provider.authenticate?.(Object.freeze(openContext(running, options)), options),
      );
    case 'read': {
      const page = openPage(call.input);
      const { openReader } = await importReader();
      const { reader, unparsed } = openReader(page, options);
      const read = checkResult('read', await provider.read?.(page, reader)) as PluginRead;
      // In parts, so that the daemon never has to take in a large one at once.
      for (const draft of read.drafts) await running.batches.addDraft(draft, draftBytes(draft));
      await running.batches.finish();
      return { ...read, drafts: [], unparsed };
    }
    case 'collect':
      return collect(provider, call.input, options, running);
    default:
      return call satisfies never;
  }
}

async function collect(
  provider: ProviderPlugin<unknown>,
  { args, since, address }: PluginFunctions['collect']['input'],
  options: unknown,
  running: RunningCall,
): Promise<PluginFunctions['collect']['value']> {
  const found: unknown = provider.collect?.(openCollectContext(running, options, { since, address }), ...args);
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

/**
 * The drafts of a collector: an iterable, a promise of one, or a promise of nothing. Throws a `PluginFault` for
 * anything else.
 */
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

/** Freezes plain data that was made for this call alone. */
function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (!Array.isArray(value) && prototype !== Object.prototype && prototype !== null) return value;
  for (const each of Object.values(value)) freeze(each);
  return Object.freeze(value);
}
