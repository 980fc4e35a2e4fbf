import type { RecordDraft } from '../extract/draft.ts';
import type { RecordView } from '../view/record.ts';
import type { Store } from './store.ts';

/** The records that the drafts of a page are compared with. Each is read once, though it is looked at before the page is stored. Serves one page within one transaction. */
export class KnownRecords {
  readonly #store: Pick<Store, 'records'>;
  readonly #source: string;
  readonly #known = new Map<string, RecordView | undefined>();

  constructor(store: Pick<Store, 'records'>, source: string) {
    this.#store = store;
    this.#source = source;
  }

  /** Returns the known record of a draft. */
  read(draft: RecordDraft): RecordView | undefined {
    const name = nameOf(draft);
    if (this.#known.has(name)) return this.#known.get(name);
    const known = this.#store.records.get(this.#source, draft.type, draft.key);
    this.#known.set(name, known);
    return known;
  }

  /** Returns the known record of a draft that is stored now. Another draft with the same key may change it then, so what was read is returned once. */
  take(draft: RecordDraft): RecordView | undefined {
    const name = nameOf(draft);
    if (!this.#known.has(name)) return this.#store.records.get(this.#source, draft.type, draft.key);
    const known = this.#known.get(name);
    this.#known.delete(name);
    return known;
  }
}

function nameOf({ type, key }: RecordDraft): string {
  return `${type}\0${key}`;
}
