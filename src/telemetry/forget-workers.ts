import type { Counter, Gauge, Histogram } from 'prom-client';
import type { Meters } from './meters.ts';
import { localWorker, noWorker } from './meters.ts';

/** Drops what is counted of worker processes that are gone: each has an id of its own, so that all that ever were have no bound. */
export async function forgetWorkers({ steps, workers }: Meters, known: ReadonlySet<string>): Promise<void> {
  for (const meter of [...Object.values(steps), ...Object.values(workers)]) await forgetIn(meter, known);
}

async function forgetIn(meter: Counter | Gauge | Histogram, known: ReadonlySet<string>): Promise<void> {
  const { values } = await meter.get();
  for (const { labels } of values) {
    const { worker, le: _, ...others } = labels as Readonly<Record<string, string | number>>;
    if (worker === undefined || worker === localWorker || worker === noWorker || known.has(String(worker))) continue;
    meter.remove({ worker, ...others });
  }
}
