// A program of its own: one life has code that goes astray in the way that the argument names, another must not notice.
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '../../src/clock.ts';
import { createSystem } from '../../src/actor/system.ts';
import type { Actor, Self } from '../../src/actor/types.ts';

const ways: Readonly<Record<string, (self: Self<string>) => void>> = {
  'a rejection in a task': (self) => self.task(async () => strayRejection(), String),
  'a late rejection in a task': (self) => self.task(async () => void delay(2).then(strayRejection), String),
  'an exception in a timer of a task': (self) => self.task(async () => void setTimeout(strayException, 2), String),
  'a rejection in receive': () => void strayRejection(),
  'an exception in a microtask of receive': () => queueMicrotask(strayException),
};

function strayException(): never {
  throw new Error('astray');
}

async function strayRejection(): Promise<string> {
  void Promise.reject(new Error('astray'));
  return 'fine';
}

const system = createSystem({ clock: systemClock() });
for (const event of ['unhandledRejection', 'uncaughtException']) {
  process.on(event, (error) => {
    if (!system.blame(error)) process.exit(1);
  });
}

const way = ways[process.argv[2] ?? ''];
if (way === undefined) {
  strayException();
} else {
  const culprit: Actor<string> = (self) => ({ receive: () => way(self) });
  const bystander: Actor<string> = () => ({ receive() {} });
  const [one, other] = [await system.spawn(culprit), await system.spawn(bystander)];
  if (one.ok === true && other.ok === true) {
    one.ref.send('go');
    other.ref.send('go');
    const reason = await system.ended(one.ref);
    const others = system.inspect().length;
    process.stdout.write(`${reason[0]} ${String(reason[1])}, ${others} left`);
  }
}
