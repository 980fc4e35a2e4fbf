import { type Symptom, SymptomKind } from '../view/symptom.ts';
import type { Change, Store } from './store.ts';
import { endTrouble, ofWorkers, reportTrouble } from './tickets.ts';

/** The kinds of symptoms that worker processes show, each of which has a ticket of its own. */
const kinds = SymptomKind.extract(['workers_offline', 'workers_failing', 'workers_waiting']).options;

/** Opens tickets for the symptoms that worker processes show, and ends those of kinds that none shows any more. To be called within a transaction. */
export function saveWorkerTrouble(store: Store, change: Change, symptoms: readonly Symptom[]): void {
  for (const kind of kinds) {
    const shown = symptoms.filter((symptom) => symptom.kind === kind);
    if (shown.length > 0) reportTrouble(store, change, ofWorkers, { at: change.at, symptoms: shown, projects: [] });
    else endTrouble(store, change, ofWorkers, (symptom) => symptom.kind === kind);
  }
}
