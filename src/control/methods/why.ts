import * as z from 'zod';
import { causeEffects, causeKinds } from '../../schedule/next-due.ts';
import { PaceView } from '../../schedule/pace/all.ts';
import { Instant, Serial } from '../../view/fields.ts';
import { HostView } from './host.ts';
import { RestingView } from '../../view/resting.ts';
import { RecordName } from './objective.ts';
import { RobotsVerdictView, SourceView } from './source.ts';
import { TargetView } from './target.ts';

/** A reason why a target is due when it is. */
export const ReasonView = z.strictObject({
  /**
   * `first`: the initial delay. `definition`: none of its source is loaded.
   */
  by: z.enum(causeKinds),
  /** The instant that the reason asks for, or until which it holds the target back; missing for never. */
  at: Instant.optional(),
  effect: z.enum(causeEffects),
  /** True if this reason decides when the target is due. */
  decides: z.boolean(),
  /** The reason as part of a sentence for people. */
  text: z.string(),
});
export type ReasonView = z.infer<typeof ReasonView>;

/** The time at which a requested scrape can begin, missing for never, and the reasons. */
export const RequestedHold = z.strictObject({ dueAt: Instant.optional(), because: z.array(ReasonView).readonly() });
export type RequestedHold = z.infer<typeof RequestedHold>;

/** A freshness objective of a target or of one of its fields, and its present state. */
export const ObjectiveView = z.strictObject({
  /** Missing for the target as a whole. */
  field: z.string().optional(),
  warnAfterMs: z.number().optional(),
  errorAfterMs: z.number().optional(),
  /** The last verification; the creation of the target if there was none. */
  lastVerifiedAt: Instant,
  isVerified: z.boolean(),
  ageMs: z.number(),
  /** The instant by which the target or field must be verified again. */
  deadlineAt: Instant,
  level: z.enum(['fresh', 'warn', 'error']),
  /** The instant from which the target or field is not fresh. */
  sinceAt: Instant.optional(),
  /** At level `error`: when it came to be older than `errorAfterMs`. */
  brokenAt: Instant.optional(),
  /** Set where the objective holds for each record; the ages are those of the oldest. */
  records: z
    .strictObject({
      count: z.int(),
      /** Records that are older than the objective allows. */
      overdue: z.int(),
      /** Records that their last re-checks did not find, up to 20. */
      missed: z
        .array(
          RecordName.extend({
            /** Re-checks in a row, when the next one is, and why the last one did not find it. */
            times: z.int(),
            retryAt: Instant,
            message: z.string(),
          }),
        )
        .readonly(),
    })
    .optional(),
});
export type ObjectiveView = z.infer<typeof ObjectiveView>;

/** The time at which a target is next due, and the reasons. */
export const WhyView = TargetView.pick({
  target: true,
  source: true,
  url: true,
  status: true,
  conditions: true,
  parked: true,
}).extend({
  /** Set while a scrape of it runs. */
  running: Serial.optional(),
  /** Missing while nothing asks for a turn. */
  dueAt: Instant.optional(),
  gone: TargetView.shape.gone,
  tickets: TargetView.shape.tickets,
  gaps: TargetView.shape.gaps,
  pagesLeft: TargetView.shape.pagesLeft,
  because: z.array(ReasonView).readonly(),
  /** The project whose pace it is, where several watch the target. */
  paceFrom: z.string().optional(),
  /** Missing while its source is not loaded. */
  pace: PaceView.optional(),
  /** The pace with its state, as a sentence for people. */
  paceText: z.string().optional(),
  objectives: z.array(ObjectiveView).readonly(),
  /** Objectives that do not hold now, as it is not their season; missing where there are none. */
  resting: z.array(RestingView).readonly().optional(),
  /** The ledger that its requests take their turns from; missing while its source is not loaded. */
  host: HostView.pick({ key: true, nextAt: true, hold: true, waiting: true })
    .extend({ delayMs: z.number() })
    .optional(),
  /** Set while the target is due and waits for its turn. */
  line: z
    .strictObject({
      /** Offers of the same kind that come before it at its host. */
      before: z.int(),
      /** Set while its line is shut: what it waits for, and until when where that is known. */
      shut: z
        .strictObject({ waitFor: z.enum(['circuit', 'preparation', 'pause']), until: Instant.optional() })
        .optional(),
    })
    .optional(),
  circuit: SourceView.shape.circuit,
  session: SourceView.shape.session,
  userAgent: z.string(),
  robots: RobotsVerdictView,
});
export type WhyView = z.infer<typeof WhyView>;
