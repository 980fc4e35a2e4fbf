import { decidingRule, type RobotsRules } from '../../../src/fetch/robots/parse.ts';

/** Whether the rules allow `url`, which must be of their origin. */
export function isAllowed(rules: RobotsRules, url: URL): boolean {
  return decidingRule(rules, url)?.allow ?? true;
}
