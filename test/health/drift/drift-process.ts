/** Runs the worlds of some seeds in a process of its own, and sends what became of them. */
import { runWorld, type WorldResult } from './run-world.ts';
import { worldOf } from './worlds.ts';

const [from = 0, step = 1, worlds = 0, changes = 0, sites = 0] = process.argv.slice(2).map(Number);
const results: WorldResult[] = [];
for (let seed = from; seed <= worlds; seed += step) results.push(await runWorld(worldOf(seed, false), seed, changes));
for (let seed = from; seed <= sites; seed += step) results.push(await runWorld(worldOf(seed, true), seed, changes));
process.send?.(results, () => process.disconnect());
