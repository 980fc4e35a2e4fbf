import { adviceOf, adviceText, noTally, type Tally, together } from '../../schedule/waste.ts';
import type { TargetRow } from '../../store/rows.ts';
import { ControlError } from '../error.ts';
import type { Handlers } from '../methods.ts';
import type { TallyView, WasteView } from '../methods/waste.ts';
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
      for (const id of source === undefined ? deps.catalogue().sources.keys() : [source]) countBatches(id);
      const sources = [...sums].sort(([a], [b]) => (a < b ? -1 : 1));
      return {
        from,
        all: tallyView([...sums.values()].reduce((all, { tally }) => together(all, tally), noTally)),
        sources: sources.map(([id, { tally, everyMs }]) => wasteView(id, tally, everyMs === 0 ? undefined : everyMs)),
        targets: source === undefined ? [] : [...wasteful.items],
      };

      function countBatches(id: string): void {
        const { pulses } = deps.tally(id, from);
        if (pulses === undefined) return;
        const sum = sums.get(id) ?? { tally: noTally, everyMs: undefined };
        sums.set(id, { ...sum, tally: together(sum.tally, { ...noTally, pulses }) });
      }

      function count(row: TargetRow): void {
        const tally = deps.tally(row.target, from);
        if (tally.scrapes === 0 && tally.pulses === undefined) return;
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
  return { source, ...tallyView(tally), advice };
}

/** With what pulses cost, and how many of the requests were theirs. */
function tallyView(tally: Tally): TallyView {
  const { pulses, scrapes, unchanged, requests, notModified, validated, bytes, unchangedBytes, cpuMs } = tally;
  return {
    scrapes,
    unchanged,
    validated,
    unchangedBytes,
    requests: requests + (pulses?.requests ?? 0),
    pulses: pulses?.requests ?? 0,
    notModified: notModified + (pulses?.notModified ?? 0),
    bytes: bytes + (pulses?.bytes ?? 0),
    cpuMs: Math.round(cpuMs + (pulses?.cpuMs ?? 0)),
  };
}
