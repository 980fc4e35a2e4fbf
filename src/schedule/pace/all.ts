import * as z from 'zod';
import { continuous } from './continuous.ts';
import { cron } from './cron.ts';
import { interval } from './interval.ts';
import { objective } from './objective.ts';
import type { Pace } from './pace.ts';
import { tokens } from './tokens.ts';

/** All paces by kind, in the order in which refusals name them. To add one, write its file and add it to the four lists here. */
const paces = { interval, cron, tokens, continuous, objective } as const;

/** Keys by which a file gives a pace. */
export const paceFileShape = {
  ...interval.fileShape,
  ...cron.fileShape,
  ...tokens.fileShape,
  ...continuous.fileShape,
  ...objective.fileShape,
};

/** Keys by which a control method gives a pace. */
export const paceInputShape = {
  ...interval.inputShape,
  ...cron.inputShape,
  ...tokens.inputShape,
  ...continuous.inputShape,
  ...objective.inputShape,
};

/** A pace with its state, for the control plane. */
export const PaceView = z.discriminatedUnion('kind', [
  interval.view,
  cron.view,
  tokens.view,
  continuous.view,
  objective.view,
]);
export type PaceView = z.infer<typeof PaceView>;

/** The name of a pace. */
export type PaceKind = keyof typeof paces;

/** The pace that a target's files give. */
export type GivenPace = NonNullable<ReturnType<(typeof paces)[PaceKind]['given']>>;

/** The pace of a target with all that its row remembers for it. */
export type PaceRow = ReturnType<(typeof paces)[PaceKind]['begin']>;

type AnyPace = Pace<GivenPace, PaceRow, PaceView>;

/** Each pace is only called with what is of its own kind: `paceOf` and `givenFor` see to that. */
const table: Readonly<Record<PaceKind, AnyPace>> = paces;

/** The names of all paces. */
export const paceKinds = PaceView.options.map(({ shape }) => shape.kind.value);

/** All paces, in the order in which refusals name them. */
export const allPaces: readonly AnyPace[] = Object.values(table);

/** The pace of a row, of what files give, or of a view. */
export function paceOf({ kind }: { readonly kind: PaceKind }): AnyPace {
  return table[kind];
}

/** The pace that files give, if it is of the row's kind; otherwise `undefined`, and the defaults of the row's kind hold. */
export function givenFor({ kind }: PaceRow, given: GivenPace): GivenPace | undefined {
  return given.kind === kind ? given : undefined;
}
