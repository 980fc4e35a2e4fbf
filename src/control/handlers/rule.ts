import { defined } from '../../defined.ts';
import type { RuleView } from '../methods/rule.ts';
import type { Handlers } from '../methods.ts';
import { findProject } from './find.ts';
import type { Ports } from './ports.ts';

/** The most rows of records that meet rules which are counted, and the most records that are shown of a rule. */
const [mostCounted, mostShown] = [100_000, 20];

/** Creates the handler that lists rules. */
export function ruleHandlers({ store }: Pick<Ports, 'store'>): Pick<Handlers, 'rule.list'> {
  return {
    'rule.list': ({ project }) => {
      const { rules = {} } = findProject(store(), project);
      const counts = new Map<string, number>();
      const met = new Map<string, RuleView['met'][number][]>();
      const ofMetrics = new Map<string, number>();
      let left = mostCounted;
      for (const { record, rule, since } of store().metRules.ofProject(project)) {
        if ((left -= 1) < 0) break;
        if (record === 0) {
          ofMetrics.set(rule, since);
          continue;
        }
        counts.set(rule, (counts.get(rule) ?? 0) + 1);
        const shown = met.get(rule) ?? [];
        met.set(rule, shown);
        const name = shown.length < mostShown ? store().records.nameOf(record) : undefined;
        if (name !== undefined) shown.push({ source: name.source, type: name.type, key: name.key, since });
      }
      return {
        rules: Object.entries(rules).map(([name, { when }]) => ({
          name,
          when,
          records: counts.get(name) ?? 0,
          met: met.get(name) ?? [],
          ...defined({ metricsSince: ofMetrics.get(name) }),
        })),
      };
    },
  };
}
