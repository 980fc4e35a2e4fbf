import type { Context } from './contexts.ts';
import { CallError, describeReason } from './errors.ts';
import type { Life } from './life.ts';
import type { Reply } from './types.ts';
import { Watch } from './watch.ts';

/** Asks a life and waits for its reply; see `Ref.ask`. */
export function ask<T>(life: Life, question: (reply: Reply<T>) => unknown, timeoutMs = 5_000): Promise<T> {
  const { clock, contexts } = life.kernel;
  return new Promise<T>((resolve, reject) => {
    if (life.hasEnded) {
      reject(noProcess(life.id));
      return;
    }
    const context = contexts.current;
    if (context !== undefined && isTurnOf(context, life)) {
      reject(new CallError('calling_self', `${life.id} asked itself`));
      return;
    }
    let timer: number | undefined;
    let askerEnds: Watch | undefined;
    const call = new Watch((reason) => {
      forget();
      reject(new CallError('ended', `${life.id} ended before it replied: ${describeReason(reason)}`, reason));
    });
    const forget = (): void => {
      if (timer !== undefined) clock.cancel(timer);
      askerEnds?.clear();
    };
    if (timeoutMs !== Infinity) {
      timer = clock.at(clock.monotonic() + timeoutMs, () => {
        if (!call.clear()) return;
        forget();
        reject(new CallError('timeout', `${life.id} did not reply within ${timeoutMs} ms`));
      });
    }
    call.set(life);
    if (context !== undefined) askerEnds = watchAsker(context.life, call, forget, reject);
    try {
      life.send(
        question((answer) => {
          if (!call.clear()) return;
          forget();
          resolve(answer);
        }),
      );
    } catch (error) {
      call.clear();
      forget();
      reject(error);
    }
  });
}

/** Takes the question back when the life that asked it ends, so that nothing of it stays with the one it asked. */
function watchAsker(
  asker: Life,
  call: Watch,
  forget: () => void,
  reject: (error: CallError) => void,
): Watch | undefined {
  if (asker.hasEnded) return undefined;
  const watch = new Watch(() => {
    if (!call.clear()) return;
    forget();
    reject(new CallError('asker_ended', `${asker.id} ended before it had a reply`));
  });
  watch.set(asker);
  return watch;
}

/** Whether the running code is a turn of this very life, which would wait for itself. */
export function isOwnTurn(life: Life): boolean {
  const context = life.kernel.contexts.current;
  return context !== undefined && isTurnOf(context, life);
}

function isTurnOf(context: Context, life: Life): boolean {
  return context.life === life && context.isTurn;
}

/** What a question rejects with when there is nobody to ask. */
export function noProcess(id: string): CallError {
  return new CallError('noproc', `${id} is not alive`);
}
