import { createHash } from 'node:crypto';
import { serialize } from 'node:v8';
import type { Step } from '../step.ts';

/** The key of what a step asks for and how it is read, whatever its turn: of two steps with one key, the outcome of one serves the other. */
export function stepKey({ request, reading, render, keepBytes }: Step): string {
  const bytes = serialize([request, reading, render, keepBytes]);
  return createHash('sha256').update(bytes).digest('base64url');
}
