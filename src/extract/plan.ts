import type { DocumentName } from './document/all.ts';
import type { DocumentOptions } from './document/kind.ts';
import type { FormPlan } from './form.ts';
import type { RecordPlan, RulePlan } from './rule/plan.ts';

/** Which links of a page an extraction has: `href` of `a` and `area`, and of `link` where it is `next` or `canonical`. */
export interface LinkPlan {
  /** Selectors, in place of these: `href` of the elements that match one, and of those within them. */
  readonly within?: readonly string[];
}

/** How a page is read, as plain data that can be sent to a thread. */
export interface ExtractPlan extends DocumentOptions {
  /** Names the plan: plans with one id are equal, so that what was compiled for one serves the others. */
  readonly id: string;
  readonly document: DocumentName;
  readonly tree: 'fast' | 'browser';
  readonly records: readonly RecordPlan[];
  /** The rule for the cursor, number or address that leads to the next page of a list. */
  readonly next?: RulePlan;
  /** Set for pages whose links are followed, and for sitemaps. */
  readonly links?: LinkPlan | 'sitemap';
  /** Set for a page whose form is submitted. */
  readonly form?: FormPlan;
  /** Whether a page without any record is no failure. */
  readonly mayBeEmpty?: boolean;
}
