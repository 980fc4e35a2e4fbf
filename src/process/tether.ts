import { isMainThread } from 'node:worker_threads';

/*
 * Loaded before a program (`node --import`), this ends the program in order when its standard input closes. So a parent
 * that holds the other end leaves no orphan, however it is killed. The program's threads load this too; there it does nothing.
 */

const { stdin } = process;
if (isMainThread) stdin.once('close', () => process.kill(process.pid, 'SIGTERM')).resume();
// A program that has nothing more to do must not stay for this.
if (isMainThread && 'unref' in stdin) stdin.unref();
