import type { PulseTally } from '../schedule/waste.ts';
import type { StepOps } from '../store/ops.ts';
import { type Asked, wasSent } from './ask.ts';

/** What a step of a scrape cost besides its bytes; nothing where that is nothing. */
export function spentOf(asked: Asked): Pick<StepOps, 'spent'> {
  if (!wasSent(asked)) return { spent: { unasked: 1 } };
  const { outcome } = asked;
  if (outcome.kind !== 'read' && outcome.kind !== 'unmodified') return {};
  const cpuMs = outcome.kind === 'read' ? outcome.cpuMs : undefined;
  const spent = { ...(outcome.validators && { validated: 1 }), ...(cpuMs !== undefined && { cpuMs }) };
  return Object.keys(spent).length === 0 ? {} : { spent };
}

/** What a request of a pulse cost; nothing where none was sent. */
export function pulseTally(asked: Asked): PulseTally | undefined {
  const { outcome } = asked;
  if (!wasSent(asked)) return undefined;
  return {
    requests: 1,
    notModified: outcome.kind === 'unmodified' ? 1 : 0,
    bytes: outcome.bytes,
    cpuMs: (outcome.kind === 'read' ? outcome.cpuMs : undefined) ?? 0,
  };
}
