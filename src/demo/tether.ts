import { isMainThread } from 'node:worker_threads';

/*
 * Loaded before a program (`node --import`), ends it in order when its standard input closes: whoever holds the other end
 * may be killed in any way, and leaves no orphan. Its threads load this too, and have a standard input that is closed.
 */

const { stdin } = process;
if (isMainThread) stdin.once('close', () => process.kill(process.pid, 'SIGTERM')).resume();
// A program that has nothing more to do must not stay for this.
if (isMainThread && 'unref' in stdin) stdin.unref();
