import { adviceOf, adviceText, noTally, type Tally, together } from '../../schedule/waste.ts';
import { projectsOf } from '../../schedule/watchers.ts';
import type { TargetRow } from '../../store/tables/rows.ts';
import type { Handlers } from '../methods.ts';
import type { TallyView, WasteView } from '../methods/waste.ts';
import { checkNames } from './find.ts';
import type { Ports } from './ports.ts';
import { scheduleOfRow } from './tracked-objectives.ts';
import { LowestItems } from './lowest-items.ts';
import { targetsInSlices } from './slices.ts';

type Deps = Pick<Ports, 'store' | 'catalogue' | 'schedule' | 'clock'>;

const dayMs = 86_400_000;
/** The most targets that are reported. */
const shown = 20;

/** The sum of a source's costs. */
interface Sum {
  tally: Tally;
  /** The interval of all targets of the source; 0 where they differ. */
  everyMs: number | undefined;
}

/** Creates the handler that reports what scraping cost and how much of it found nothing new. */
export function wasteHandlers(deps: Deps): Pick<Handlers, 'waste.report'> {
  return {
    'waste.report': async ({ source, days }) => {
      checkNames({ source }, deps);
      const from = (Math.floor(deps.clock.now() / dayMs) - days + 1) * dayMs;
      const sums = new Map<string, Sum>();
      const wasteful = new LowestItems<WasteView>(shown);
      for await (const rows of targetsInSlices(deps.store(), { source })) rows.forEach(count);
      for (const id of source === undefined ? deps.catalogue().sources.keys() : [source]) countBatches(id);
      const sources = [...sums].sort(([a], [b]) => (a < b ? -1 : 1));
      return {
        from,
        all: tallyView([...sums.values()].reduce((all, { tally }) => together(all, tally), noTally)),
        sources: sources.map(([id, { tally, everyMs }]) => wasteView(id, tally, everyMs === 0 ? undefined : everyMs)),
        targets: source === undefined ? [] : [...wasteful.items],
        ...(source !== undefined && wasteful.seen > shown && { more: wasteful.seen - shown }),
      };

      function countBatches(id: string): void {
        const { pulses } = deps.schedule.tally(id, from);
        if (pulses === undefined) return;
        const sum = sums.get(id) ?? { tally: noTally, everyMs: undefined };
        sums.set(id, { ...sum, tally: together(sum.tally, { ...noTally, pulses }) });
      }

      function count(row: TargetRow): void {
        const tally = deps.schedule.tally(row.target, from);
        if (tally.scrapes === 0 && tally.pulses === undefined) return;
        const pace = scheduleOfRow(row, deps)?.pace;
        const everyMs = pace?.kind === 'interval' ? pace.everyMs : 0;
        const sum = sums.get(row.source) ?? { tally: noTally, everyMs: undefined };
        sum.tally = together(sum.tally, tally);
        sum.everyMs = sum.everyMs === undefined || sum.everyMs === everyMs ? everyMs : 0;
        sums.set(row.source, sum);
        const { target } = row;
        const view = wasteView(row.source, tally, everyMs === 0 ? undefined : everyMs);
        wasteful.add(-tally.unchangedBytes - tally.unchanged / 1_000_000, {
          ...view,
          target,
          projects: projectsOf(row),
        });
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

/** Adds the costs of pulses to those of scrapes. */
function tallyView(tally: Tally): TallyView {
  const { unanswered: _unanswered, pulses, ...own } = tally;
  return {
    ...own,
    requests: own.requests + (pulses?.requests ?? 0),
    pulses: pulses?.requests ?? 0,
    notModified: own.notModified + (pulses?.notModified ?? 0),
    bytes: own.bytes + (pulses?.bytes ?? 0),
    // To the microsecond: what small pages take comes to less than a millisecond.
    cpuMs: Math.round((own.cpuMs + (pulses?.cpuMs ?? 0)) * 1_000) / 1_000,
  };
}
