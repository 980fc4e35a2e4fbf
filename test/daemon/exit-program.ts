// A program of its own: it exits while its store is in the state that the argument names.
import { exitProcess } from '../../src/daemon/exit-process.ts';
import { openEnvironment } from '../../src/store/lmdb/environment.ts';

const [, , path = '', state = ''] = process.argv;
const environment = openEnvironment({ path });
const numbers = environment.database<number>('numbers');
await put(1);

const states: Readonly<Record<string, () => void>> = {
  closing() {
    void environment.close();
    setImmediate(exitProcess, 7);
  },
  busy() {
    void putForEver();
    void putForEver();
    setTimeout(exitProcess, 50, 7);
  },
};
states[state]?.();

function put(number: number): Promise<void> {
  return environment.commit(() => {
    numbers.putSync(number, number);
    const until = performance.now() + 3;
    while (performance.now() < until);
  });
}

async function putForEver(): Promise<never> {
  for (let number = 0; ; number += 1) await put(number);
}
