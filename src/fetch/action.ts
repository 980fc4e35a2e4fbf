/** One thing that is done with a page in the browser before it is read. Times are milliseconds of real time. */
export type RenderAction = {
  /** Its place among the actions of the definition, from 1. */
  readonly number: number;
  /** How the definition says it, without the text that is typed: `click .more`. */
  readonly name: string;
  /** How long its element is waited for, and what comes of it each time. */
  readonly withinMs: number;
  /** Whether an element that is not there is passed over; else the page fails. */
  readonly optional: boolean;
} & (
  | { readonly kind: 'wait'; readonly css: string }
  | { readonly kind: 'pause'; readonly ms: number }
  /** Scrolls the page, or the first element that matches, to its end: at most `times` times, and until nothing more comes. */
  | { readonly kind: 'scroll'; readonly css?: string; readonly times: number }
  /** Clicks the first visible element that matches: at most `times` times, and until there is none. */
  | { readonly kind: 'click'; readonly css: string; readonly times: number }
  /** Replaces what is in the first visible field that matches; a line break presses Enter. */
  | { readonly kind: 'type'; readonly css: string; readonly text: string }
);

/** The result of an action. */
export interface ActionReport {
  /** The name of the action. */
  readonly action: string;
  /** `absent`: its element was not there, and is optional. `limited`: it was done as often as it may be, and more would have come. `moved`: it led to another page. */
  readonly outcome: 'done' | 'absent' | 'limited' | 'moved' | 'failed';
  readonly elapsedMs: number;
  /** How often it was done; missing where it is done once only. */
  readonly times?: number;
  /** The number of elements that match at its end; of a page that is scrolled, of all its elements. Missing for a time that was waited. */
  readonly elements?: number;
}
