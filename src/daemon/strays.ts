import type { System } from '../actor/system.ts';

/**
 * Ends the life that an error which nobody caught belongs to, for its supervisor to act on.
 *
 * @param fatal - told of one that belongs to no life.
 */
export function catchStrays(system: Pick<System, 'blame'>, fatal: (error: unknown) => void): void {
  const stray = (error: unknown): void => {
    if (!system.blame(error)) fatal(error);
  };
  process.on('unhandledRejection', stray).on('uncaughtException', stray);
}
