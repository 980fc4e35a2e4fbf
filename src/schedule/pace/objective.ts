import * as z from 'zod';
import { defined } from '../../defined.ts';
import { agesText } from '../../time-text.ts';
import { type Ages, Ages as FileAges, agesFromInput, AgesInput, objectiveOf } from '../time/ages.ts';
import { type Objective, paceOfObjective } from '../time/objective.ts';
import type { Pace } from './pace.ts';

const dayMs = 86_400_000;

export interface Given extends Objective {
  readonly kind: 'objective';
}

export interface Row {
  readonly kind: 'objective';
}

const View = z.strictObject({
  kind: z.literal('objective'),
  warnAfterMs: z.number().optional(),
  errorAfterMs: z.number().optional(),
});

/** No turns of its own: the target is scraped as often as its objective needs. */
export const objective = {
  key: 'objective',
  durations: ['warnAfter', 'errorAfter'],
  fileShape: {
    /** Scrapes as often as this freshness needs. */
    objective: FileAges.exactOptional(),
  },
  inputShape: { objective: AgesInput.describe('Scrapes as often as this freshness needs.').exactOptional() },
  fromInput: ({ objective: given }: { readonly objective?: Objective }) =>
    defined({ objective: given === undefined ? undefined : agesFromInput(given) }),
  given: ({ objective: given }: { readonly objective?: Ages }): Given | undefined =>
    given === undefined ? undefined : { kind: 'objective', ...objectiveOf(given) },

  turnsADay: (given) => dayMs / paceOfObjective(given),

  begin: (): Row => ({ kind: 'objective' }),
  isSame: () => true,
  next: () => undefined,

  view: View,
  show: (_row, { given: { warnAfterMs, errorAfterMs } = { kind: 'objective' } }) => ({
    kind: 'objective',
    ...defined({ warnAfterMs, errorAfterMs }),
  }),
  sentence: (view) => `as often as its objective needs: ${agesText(view)}`,
  reason: () => 'its objective, to be verified again in time',
} satisfies Pace<Given, Row, z.infer<typeof View>>;
