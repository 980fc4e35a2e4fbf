import type { Policy } from './policy.ts';
import { RankedQueue } from './ranked-queue.ts';

/** A wish for a turn of a host, as data. */
export interface Offer {
  /** The politeness key to ask; several sources may share one. */
  readonly key: string;
  readonly policy: Policy;
  /** When the request was due. Of two offers for one key without deadlines, the one due earlier comes first. */
  readonly dueAt: number;
  /** When the request was made, wall time, where `dueAt` is a rank alone and no instant. */
  readonly askedAt?: number | undefined;
  /**
   * The deadline of an objective that a re-check is for; missing for any other request. Re-checks are ordered by their deadlines and
   * have a share of the key's turns.
   */
  readonly deadlineAt?: number | undefined;
  /** Whether a person asked for it. Such an offer comes before all others, though not for two turns in a row while others wait. */
  readonly isManual?: boolean | undefined;
  /**
   * How long the turn may last after its request was sent, in milliseconds, as `turnLimitMs` computes it. Default: that
   * of the book.
   */
  readonly sentMs?: number | undefined;
  /** The source of the request, for people and for its circuit. */
  readonly source?: string | undefined;
  /** The target of the request. No turn is granted while the circuit of the source holds the target back. */
  readonly target?: number | undefined;
  /** The line of the host in which the offer waits. Default: that of its source. */
  readonly line?: string | undefined;
}

/** Identifies an offer while it waits: a symbol for one request, the number of a target that is due. */
export type OfferId = symbol | number;

/** An offer in a line of its host. */
export interface LedgerOffer extends Offer {
  readonly id: OfferId;
}

/** The part of an offer by which lines are ordered. */
type Waiting = Pick<Offer, 'dueAt' | 'askedAt' | 'deadlineAt' | 'isManual' | 'source' | 'line'>;

const kinds = ['manual', 'recheck', 'other'] as const;
type Kind = (typeof kinds)[number];

/** The offers of one source for one host. Each queue is made when its first offer comes: most lines have one offer. */
interface SourceLine<W> {
  readonly name: string;
  readonly queues: { [K in Kind]?: RankedQueue<W> };
}

/**
 * The offers that wait for one host, in one line for each source. Manual offers come first, but get at most every second turn while others
 * wait; of these, re-checks get their share, counted without randomness, so that equal offers always come in the same order. Among the
 * lines that are not shut, the re-check with the earliest deadline comes first, or the other offer that was due first.
 */
export class HostLine<W extends Waiting> {
  readonly #lines: SourceLine<W>[] = [];
  readonly #recheckShare: number;
  readonly #isShut: (name: string) => boolean;
  /** The part of a turn that re-checks have saved up, in `[0, 1)`. At the beginning the first turn is for a re-check. */
  #credit: number;
  #wasManual = false;

  /**
   * @param recheckShare - the share of the turns that re-checks get while other offers wait, in `(0, 1)`.
   * @param isShut - whether no offer of a line gets a turn now; its neighbours do. Default: no line is shut.
   */
  constructor(recheckShare: number, isShut: (name: string) => boolean = () => false) {
    this.#recheckShare = recheckShare;
    this.#isShut = isShut;
    this.#credit = 1 - recheckShare;
  }

  /** The number of all offers, those in shut lines included. */
  get size(): number {
    return this.#lines.reduce((sum, line) => sum + sizeOf(line), 0);
  }

  /** The offer that gets the next turn; `undefined` while all lines are empty or shut. */
  get first(): W | undefined {
    const shares = { credit: this.#credit, wasManual: this.#wasManual };
    return this.#firstOf(this.#head('manual'), this.#head('recheck'), this.#head('other'), shares);
  }

  add(offer: W): void {
    const line = this.#lineOf(offer) ?? this.#newLine(offer);
    const kind = kindOf(offer);
    (line.queues[kind] ??= new RankedQueue<W>(kind === 'recheck' ? deadlineOf : dueAtOf)).add(offer);
  }

  /** Removes and returns the first offer, which gets its turn. */
  serve(): W | undefined {
    const { first } = this;
    if (first === undefined) return undefined;
    this.#wasManual = kindOf(first) === 'manual';
    // Shares count only while both kinds wait.
    if (!this.#wasManual && this.#head('recheck') && this.#head('other'))
      this.#credit = creditAfter(this.#credit + this.#recheckShare);
    this.delete(first);
    return first;
  }

  /** Removes an offer that gets no turn. */
  delete(offer: W): void {
    const line = this.#lineOf(offer);
    line?.queues[kindOf(offer)]?.delete(offer);
    if (line && sizeOf(line) === 0) this.#lines.splice(this.#lines.indexOf(line), 1);
  }

  /** The first `count` offers in the order in which they will get turns if no other offer comes and no line is shut or opened. */
  front(count: number): W[] {
    const waiting = {
      manual: this.#front('manual', count),
      recheck: this.#front('recheck', count),
      other: this.#front('other', count),
    };
    const next = { manual: 0, recheck: 0, other: 0 };
    const all: W[] = [];
    let shares = { credit: this.#credit, wasManual: this.#wasManual };
    while (all.length < count) {
      const [manual, recheck, other] = [
        waiting.manual[next.manual],
        waiting.recheck[next.recheck],
        waiting.other[next.other],
      ];
      const first = this.#firstOf(manual, recheck, other, shares);
      if (first === undefined) break;
      const kind = kindOf(first);
      const isShared = kind !== 'manual' && recheck !== undefined && other !== undefined;
      const credit = isShared ? creditAfter(shares.credit + this.#recheckShare) : shares.credit;
      shares = { credit, wasManual: kind === 'manual' };
      next[kind] += 1;
      all.push(first);
    }
    return all;
  }

  /** The lines, with the number of their offers and since when the one has waited that waited longest of those in front. */
  *lines(): Generator<{ readonly name: string; readonly size: number; readonly oldestAt: number }> {
    for (const line of this.#lines) {
      const { name, queues } = line;
      const oldestAt = Math.min(...kinds.map((kind) => sinceOf(queues[kind]?.first)));
      yield { name, size: sizeOf(line), oldestAt };
    }
  }

  /** Puts what `change` makes of each offer of a line into its place. The rank must stay. */
  renew(name: string, change: (offer: W) => W): void {
    const line = this.#lines.find((each) => each.name === name);
    for (const kind of kinds) line?.queues[kind]?.renew(change);
  }

  /** The number of offers of the same kind that come before an offer, whatever lines are shut. */
  before(offer: W): number {
    const kind = kindOf(offer);
    return this.#lines.reduce((sum, { queues }) => sum + (queues[kind]?.before(offer) ?? 0), 0);
  }

  #firstOf(
    manual: W | undefined,
    recheck: W | undefined,
    other: W | undefined,
    { credit, wasManual }: { readonly credit: number; readonly wasManual: boolean },
  ): W | undefined {
    const isRecheck = recheck !== undefined && (other === undefined || isRecheckTurn(credit + this.#recheckShare));
    const usual = isRecheck ? recheck : other;
    return manual !== undefined && (usual === undefined || !wasManual) ? manual : usual;
  }

  /** The first offer of a kind in the lines that are not shut. */
  #head(kind: Kind): W | undefined {
    let first: W | undefined;
    for (const { name, queues } of this.#lines) {
      const head = queues[kind]?.first;
      if (head === undefined || (first !== undefined && rankOf(kind)(head) >= rankOf(kind)(first))) continue;
      if (!this.#isShut(name)) first = head;
    }
    return first;
  }

  #front(kind: Kind, count: number): W[] {
    const all = this.#lines.flatMap(({ name, queues }) =>
      this.#isShut(name) ? [] : (queues[kind]?.front(count) ?? []),
    );
    return all.sort((a, b) => rankOf(kind)(a) - rankOf(kind)(b)).slice(0, count);
  }

  #lineOf(offer: W): SourceLine<W> | undefined {
    const name = lineOf(offer);
    return this.#lines.find((line) => line.name === name);
  }

  #newLine(offer: W): SourceLine<W> {
    const line: SourceLine<W> = { name: lineOf(offer), queues: {} };
    this.#lines.push(line);
    return line;
  }
}

function sizeOf({ queues }: { readonly queues: { readonly [K in Kind]?: { readonly size: number } } }): number {
  return kinds.reduce((sum, kind) => sum + (queues[kind]?.size ?? 0), 0);
}

/** The name of the line in which an offer waits. */
export function lineOf({ line, source = '' }: Waiting): string {
  return line ?? source;
}

function kindOf({ isManual, deadlineAt }: Waiting): Kind {
  if (isManual === true) return 'manual';
  return deadlineAt === undefined ? 'other' : 'recheck';
}

function rankOf(kind: Kind): (offer: Waiting) => number {
  return kind === 'recheck' ? deadlineOf : dueAtOf;
}

function deadlineOf({ deadlineAt = Infinity }: Waiting): number {
  return deadlineAt;
}

function dueAtOf({ dueAt }: Waiting): number {
  return dueAt;
}

/** Whether the credit amounts to a whole turn. Sums of fractions are off by a rounding. */
function isRecheckTurn(credit: number): boolean {
  return credit > 1 - 1e-9;
}

function creditAfter(credit: number): number {
  return isRecheckTurn(credit) ? credit - 1 : credit;
}

/** Since when an offer has waited. */
function sinceOf(offer: Waiting | undefined): number {
  return offer?.askedAt ?? offer?.dueAt ?? Infinity;
}
