import * as fs from 'node:fs';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import { isRefused, refusal } from './hooks.ts';

/** What the globals of a thread report to. */
export interface GlobalsWatch {
  /** Something was written to where a process has its output. */
  onOutput(level: 'info' | 'warn', text: string): void;
  /** The plug-in wants the process to end. */
  onExit(code: unknown): void;
}

/** Functions of `fs` whose first argument may be one of the daemon's own three files. */
const fileFunctions = [
  'appendFile',
  'appendFileSync',
  'close',
  'closeSync',
  'write',
  'writeFile',
  'writeFileSync',
  'writeSync',
  'writev',
  'writevSync',
] as const;

/** Replaces what would reach past the thread: the network, the process and its output. Everything written goes to `onOutput`. */
export function replaceGlobals(watch: GlobalsWatch): void {
  for (const name of ['fetch', 'WebSocket', 'EventSource'] as const) {
    define(globalThis, name, function refusedGlobal() {
      throw new Error(`${name} is refused: a plug-in has no network of its own, use context.fetch`);
    });
  }
  for (const name of ['kill', 'abort', 'chdir', 'dlopen', '_kill', '_debugProcess'] as const) {
    define(process, name, () => {
      throw new Error(`process.${name} is refused: a plug-in is a part of the daemon's process`);
    });
  }
  for (const name of ['exit', 'reallyExit'] as const) {
    define(process, name, (code?: unknown) => {
      watch.onExit(code ?? process.exitCode ?? 0);
      throw new Error('process.exit ends the call');
    });
  }
  define(process, 'getBuiltinModule', builtinOrRefuse(process.getBuiltinModule));
  redirectOutput(watch);
  syncBuiltinESMExports();
}

function redirectOutput(watch: GlobalsWatch): void {
  define(process.stdout, 'write', writer('info'));
  define(process.stderr, 'write', writer('warn'));
  define(process, '_rawDebug', (...parts: readonly unknown[]) => watch.onOutput('warn', parts.join(' ')));
  process.removeAllListeners('warning');
  process.on('warning', (warning) => watch.onOutput('warn', `${warning.name}: ${warning.message}`));
  const mutable = createRequire(import.meta.url)('node:fs') as typeof fs;
  for (const name of fileFunctions) define(mutable, name, exceptOwnFiles(name, fs[name]));

  function writer(level: 'info' | 'warn') {
    return (chunk: unknown, encoding?: unknown, done?: unknown): boolean => {
      watch.onOutput(level, chunk instanceof Uint8Array ? Buffer.from(chunk).toString('utf8') : String(chunk));
      const callback = typeof encoding === 'function' ? encoding : done;
      if (typeof callback === 'function') process.nextTick(() => Reflect.apply(callback, undefined, []));
      return true;
    };
  }
}

/** Standard input, output and error are the daemon's. */
function exceptOwnFiles<F extends (typeof fs)[(typeof fileFunctions)[number]]>(name: string, original: F): F {
  return new Proxy(original, {
    apply(target, self, args: readonly unknown[]): unknown {
      const [file] = args;
      if (file !== 0 && file !== 1 && file !== 2) return Reflect.apply(target, self, args);
      throw new Error(`fs.${name} of file ${file} is refused: it is the daemon's, use context.log`);
    },
  });
}

function builtinOrRefuse(original: typeof process.getBuiltinModule) {
  return (name: string): unknown => {
    if (isRefused(name)) throw new Error(refusal(name));
    return original(name);
  };
}

function define(owner: object, name: string, value: unknown): void {
  Object.defineProperty(owner, name, { value, configurable: true, writable: true, enumerable: true });
}
