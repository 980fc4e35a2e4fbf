import { parentPort, workerData } from 'node:worker_threads';
import { slownessOf, workMs } from '../support/slowness.ts';
import { passDays } from './simulated-plan.ts';

/** Lets a daemon's days pass beside others; what is asserted comes back as an error of the thread. */
const { days, hosts, seed } = workerData as { readonly days: number; readonly hosts: number; readonly seed: number };
const times: number[] = [];
const counts = await passDays({ days, hosts, seed, onDay: () => void times.push(workMs()) });
parentPort?.postMessage({ counts, slower: slownessOf(times) }, []);
