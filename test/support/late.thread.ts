export { default } from '../../workers/extract.thread.ts';

// An extraction thread that takes half a second to start.
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
