import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate } from 'node:timers';
import type { MessagePort } from 'node:worker_threads';
import { failureOf, lineOf, type Named, PluginFault, shown, thrownFailure } from './fault.ts';
import { callFunction } from './functions.ts';
import { moduleUrl, type ModuleLoader } from './hooks.ts';
import type { FromThread, PluginFile, PluginOutcome, ToThread } from './protocol.ts';
import { openRunning, type Running } from './running.ts';
import { providerOf } from './shape.ts';
import { replaceGlobals } from './thread-globals.ts';

type CallMessage = ToThread & { readonly type: 'call' };

/** A call that was begun. It ends once: as a whole, or by what strayed from it. */
interface Call extends Running {
  end(outcome: PluginOutcome<unknown>, how: 'whole' | 'stray'): void;
  readonly named: Named;
}

/** Serves calls that come through a thread's port, one at a time. Everything that a call leaves behind is known as its own. */
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

  function openCall({ call, plugin, function: name }: CallMessage): Call {
    const running = openRunning((said) => port.postMessage({ call, ...said } satisfies FromThread));
    const before = process.getActiveResourcesInfo();
    let hasEnded = false;
    return {
      ...running,
      named: { file: plugin.file, function: name, url: moduleUrl(plugin) },
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
      const provider = providerOf(await load(loader, call, message.plugin));
      call.say({ type: 'began' });
      call.end({ ok: true, value: await callFunction(provider, message, call) }, 'whole');
    } catch (error) {
      call.end({ ok: false, failure: thrownFailure(error, call.named) }, 'whole');
    }
  }
}

/** A module that cannot be loaded is no error of the call's. */
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

/** What keeps the thread busy now and did not before. */
function leftovers(before: readonly string[]): string[] {
  const known = [...before];
  return process.getActiveResourcesInfo().filter((name) => {
    const index = known.indexOf(name);
    if (index >= 0) known.splice(index, 1);
    return index < 0;
  });
}
