import { parentPort, workerData } from 'node:worker_threads';
import { passDays } from './simulated-plan.ts';

/** Lets a daemon's days pass beside others; what is asserted comes back as an error of the thread. */
const { days, hosts, seed } = workerData as { readonly days: number; readonly hosts: number; readonly seed: number };
const counts = await passDays(days, hosts, seed);
parentPort?.postMessage(counts, []);
