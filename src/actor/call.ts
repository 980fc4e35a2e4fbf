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
    if (life.isBusy && contexts.current === life) {
      reject(new CallError('calling_self', `${life.id} asked itself`));
      return;
    }
    let timer: number | undefined;
    const call = new Watch((reason) => {
      if (timer !== undefined) clock.cancel(timer);
      reject(new CallError('ended', `${life.id} ended before it replied: ${describeReason(reason)}`, reason));
    });
    call.set(life);
    if (timeoutMs !== Infinity) {
      timer = clock.at(clock.monotonic() + timeoutMs, () => {
        if (call.clear()) reject(new CallError('timeout', `${life.id} did not reply within ${timeoutMs} ms`));
      });
    }
    life.send(
      question((answer) => {
        if (!call.clear()) return;
        if (timer !== undefined) clock.cancel(timer);
        resolve(answer);
      }),
    );
  });
}

/** What a question rejects with when there is nobody to ask. */
export function noProcess(id: string): CallError {
  return new CallError('noproc', `${id} is not alive`);
}
