import { parentPort } from 'node:worker_threads';
import { guardImports } from '../src/plugin/thread-guard.ts';

// Imports are watched before anything else of ours is loaded, so that what is ours is known.
const loader = guardImports(import.meta.url);
// Plug-ins see nothing of the environment.
delete process.env['NODE_COMPILE_CACHE'];
const { serve } = await import('../src/plugin/serve.ts');
if (parentPort === null) throw new TypeError('expected to be on a thread');
serve(parentPort, loader);
