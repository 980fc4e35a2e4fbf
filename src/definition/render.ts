import * as z from 'zod';
import { selectorFault } from '../extract/tree/selector.ts';
import { faultCheck, textFault } from '../schema/checked-text.ts';
import { durationUpTo, Duration } from '../schema/duration.ts';
import { expected, type Issue } from '../schema/expected.ts';
import { strict } from '../schema/strict.ts';
import { Selector } from './selector.ts';

/** The longest time that an action waits. */
const Within = durationUpTo('60s');

/** An element to wait for, or a time. */
const Wait = z.string().min(1).max(1_000).superRefine(faultCheck(waitFault));

/** A selector of the element that is scrolled, or `end` for the page. */
const ScrollTo = z
  .string()
  .min(1)
  .max(1_000)
  .superRefine(
    faultCheck((text) => (text === 'end' ? undefined : textFault('end, or a CSS selector', text, selectorFault))),
  );

/** One thing that is done with a page in the browser: the key says what. */
const Action = strict({
  wait: Wait.exactOptional(),
  scroll: ScrollTo.exactOptional(),
  click: Selector.exactOptional(),
  /** The text that is typed, in which `{name}` stands for a parameter of the target's address; a line break presses Enter. */
  type: z
    .string(expected('a text; a secret is never typed here, as a log-in belongs under auth'))
    .max(1_000)
    .exactOptional(),
  /** The field that `type` types into. */
  into: Selector.exactOptional(),
  /** How often it is done at most: 20 for `scroll`, which ends sooner where nothing more comes; 1 for `click`, which ends sooner where its element is gone. */
  times: z.int().min(1).max(200).exactOptional(),
  /** How long its element is waited for, and what comes of it each time. */
  within: Within.prefault('10s'),
  /** Whether an element that is not there is passed over; else the page fails. */
  optional: z.boolean().default(false),
}).superRefine((action, context) => {
  for (const { path, message } of actionFaults(action)) context.addIssue({ code: 'custom', path: [...path], message });
});
type Action = z.infer<typeof Action>;

/** How pages are rendered by a Chromium that is installed on the machine, scripts and all. `browser` is the short form of one without actions. */
export const Render = z.union([
  z.enum(['http', 'browser']).transform((given) => (given === 'http' ? given : { in: given, do: [] })),
  strict({
    in: z.literal('browser'),
    /** What is done with each page before it is read, in this order. */
    do: z.array(Action).min(1).max(20),
  }),
]);
export type Render = z.infer<typeof Render>;

const verbs = ['wait', 'scroll', 'click', 'type'] as const;

/** Whether the `wait` of an action is a time. */
export function isTime(wait: string): boolean {
  return /^\d/.test(wait);
}

/** The time of a `wait`, in milliseconds. Throws for a text that is none. */
export function waitMs(wait: string): number {
  return Duration.parse(wait);
}

function waitFault(text: string): string | undefined {
  if (!isTime(text)) return textFault('a CSS selector, or a time like "2s"', text, selectorFault);
  const parsed = Within.safeParse(text);
  return parsed.success ? undefined : parsed.error.issues[0]?.message;
}

function* actionFaults(action: Action): Generator<Issue> {
  const given = verbs.filter((verb) => action[verb] !== undefined);
  const [verb] = given;
  if (verb === undefined || given.length > 1)
    yield { path: [], message: `expected one of ${verbs.join(', ')}, got ${given.join(' and ') || 'none'}` };
  if (given.length !== 1) return;
  if (verb === 'type' && action.into === undefined)
    yield { path: ['into'], message: 'missing, expected a selector of the field that the text is typed into' };
  if (verb !== 'type' && action.into !== undefined) yield { path: ['into'], message: 'expected it beside "type" only' };
  if (verb !== 'scroll' && verb !== 'click' && action.times !== undefined)
    yield { path: ['times'], message: 'expected it beside "scroll" or "click" only' };
}
