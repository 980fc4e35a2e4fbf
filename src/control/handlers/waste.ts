import { adviceOf, adviceText, noTally, type Tally, together } from '../../schedule/waste.ts';
import type { TargetRow } from '../../store/rows.ts';
import { ControlError } from '../error.ts';
import type { Handlers } from '../methods.ts';
import type { WasteView } from '../methods/waste.ts';
import type { HandlerDeps } from './deps.ts';
import { scheduleOfRow } from './promises.ts';
import { Soonest } from './soonest.ts';
import { targetsInSlices } from './walk.ts';

const dayMs = 86_400_000;
/** The targets that are told. */
const shown = 20;

/** What was found of a source. */
interface Sum {
  tally: Tally;
  /** The interval that all its targets have; 0 where they differ. */
  everyMs: number | undefined;
}

export function wasteHandlers(deps: HandlerDeps): Pick<Handlers, 'waste.report'> {
  return {
    'waste.report': async ({ source, days }) => {
      if (source !== undefined && !deps.catalogue().sources.has(source))
        throw new ControlError('not_found', `no source "${source}"`);
      const from = (Math.floor(deps.clock.now() / dayMs) - days + 1) * dayMs;
      const sums = new Map<string, Sum>();
      const wasteful = new Soonest<WasteView>(shown);
      for await (const rows of targetsInSlices(deps.store(), { source })) rows.forEach(count);
      const sources = [...sums].sort(([a], [b]) => (a < b ? -1 : 1));
      return {
        from,
        all: [...sums.values()].reduce((all, { tally }) => together(all, tally), noTally),
        sources: sources.map(([id, { tally, everyMs }]) => wasteView(id, tally, everyMs === 0 ? undefined : everyMs)),
        targets: source === undefined ? [] : [...wasteful.items],
      };

      function count(row: TargetRow): void {
        const tally = deps.tally(row.target, from);
        if (tally.requests === 0 && tally.scrapes === 0) return;
        const pace = scheduleOfRow(row, deps)?.pace;
        const everyMs = pace?.kind === 'interval' ? pace.everyMs : 0;
        const sum = sums.get(row.source) ?? { tally: noTally, everyMs: undefined };
        sum.tally = together(sum.tally, tally);
        sum.everyMs = sum.everyMs === undefined || sum.everyMs === everyMs ? everyMs : 0;
        sums.set(row.source, sum);
        const { target, project } = row;
        const view = wasteView(row.source, tally, everyMs === 0 ? undefined : everyMs);
        wasteful.add(-tally.unchangedBytes - tally.unchanged / 1_000_000, { ...view, target, project });
      }
    },
  };
}

function wasteView(source: string, tally: Tally, everyMs: number | undefined): WasteView {
  const advice = adviceOf(tally, everyMs).map((each) => ({
    code: each.code,
    text: adviceText(each),
    ...(each.code === 'ask_less' && { betterMs: each.betterMs }),
  }));
  return { source, ...tally, cpuMs: Math.round(tally.cpuMs), advice };
}
