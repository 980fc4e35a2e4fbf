import * as z from 'zod';
import { RepairPlace } from './repair.ts';

/** What is wanted of a page that is drawn. */
export interface DrawQuestion {
  /** The place that a person has chosen, by its number; rules are searched that lead to it. */
  readonly pick?: number;
  /** Set where a definition is to be drafted from the page, under this id. */
  readonly draft?: string;
}

/** A rule that leads to a place of a page. */
export const PickedRule = z.strictObject({
  /** The record whose field it may be. */
  record: z.string(),
  to: RepairPlace,
  /** What it gives in the record, or on the page, that the place is in; cut where it is long. */
  value: z.string(),
  /** The number of elements or values that it matches there. */
  matches: z.int(),
  /** The number of records of the page in which it finds something, and that of all of them. */
  found: z.int(),
  of: z.int(),
});
export type PickedRule = Readonly<z.infer<typeof PickedRule>>;

/** A place that a person has chosen on a page. */
export const PickedPlace = z.strictObject({
  /** The element, such as `span.price`, or the path of a value. */
  name: z.string(),
  /** Its text, cut where it is long. */
  text: z.string(),
  /** Rules that lead to it, those that are likely to last first. */
  rules: z.array(PickedRule).readonly(),
  /** Set where no record of the definition holds the place. */
  isOutside: z.boolean(),
});
export type PickedPlace = Readonly<z.infer<typeof PickedPlace>>;

/** A page as it is shown to choose places in: of its own it has texts and the order of its elements, and nothing that runs or loads. */
export interface DrawnPage {
  /** The inside of a body. Each place that can be chosen is a link to `#N`, by its number. */
  readonly html: string;
  /** Whether it is more than is drawn. */
  readonly isCut: boolean;
  /** Missing where no place was chosen, or there is none of that number. */
  readonly picked?: PickedPlace;
  /** The text of the definition that was drafted. */
  readonly draft?: string;
}
