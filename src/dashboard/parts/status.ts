import { html } from 'hono/html';
import { plainText } from '../../view/text.ts';
import type { Html } from './view.ts';

/** How a state is to be taken: well, with care, as trouble, or neither. */
const tones: Readonly<Record<string, 'good' | 'warn' | 'bad'>> = {
  active: 'good',
  complete: 'good',
  ready: 'good',
  fresh: 'good',
  healthy: 'good',
  sent: 'good',
  done: 'good',
  running: 'good',
  late: 'warn',
  acknowledged: 'warn',
  waiting: 'warn',
  stale: 'warn',
  held: 'warn',
  snoozed: 'warn',
  gone: 'warn',
  objective_infeasible: 'warn',
  aborted: 'warn',
  revoked: 'warn',
  failed: 'bad',
  lost: 'bad',
  parked: 'bad',
  broken: 'bad',
  missing: 'bad',
  open: 'bad',
  ticket: 'bad',
  circuit_open: 'bad',
  definition_error: 'bad',
  not_initialised: 'bad',
  dead: 'bad',
};

/** How a state is to be taken; empty where it is neither well nor trouble. */
export function toneOf(state: string): 'good' | 'warn' | 'bad' | '' {
  return tones[state] ?? '';
}

/** Shows a state as a mark with its word. */
export function status(state: string, tone: 'good' | 'warn' | 'bad' | '' = toneOf(state)): Html {
  return html`<span class="status ${tone}">${plainText(state.slice(0, 60)).replaceAll('_', ' ')}</span>`;
}
