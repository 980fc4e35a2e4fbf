import { WaitingLine } from './waiting-line.ts';
import type { Wish } from './wish.ts';

/** What a line needs to know of a wish. */
type Waiting = Pick<Wish, 'dueAt' | 'deadlineAt'>;

/**
 * Those who wait for one host. Re-checks come by their deadlines and everything else by when it was due; while both wait,
 * re-checks have their share of the turns, counted so that the same wishes always come in the same order.
 */
export class HostLine<W extends Waiting> {
  /** Each is missing until somebody joins it: most hosts have one waiting. */
  #rechecks: WaitingLine<W> | undefined;
  #others: WaitingLine<W> | undefined;
  readonly #recheckShare: number;
  /** What part of a turn re-checks have saved up; a new line owes them the first one. */
  #saved: number;

  /** @param recheckShare - the part of the turns that re-checks have while others wait, in `(0, 1)`. */
  constructor(recheckShare: number) {
    this.#recheckShare = recheckShare;
    this.#saved = 1 - recheckShare;
  }

  get size(): number {
    return (this.#rechecks?.size ?? 0) + (this.#others?.size ?? 0);
  }

  get first(): W | undefined {
    const recheck = this.#rechecks?.first;
    const other = this.#others?.first;
    return recheck && (other === undefined || isTheirs(this.#saved + this.#recheckShare)) ? recheck : other;
  }

  add(wish: W): void {
    if (wish.deadlineAt === undefined) (this.#others ??= new WaitingLine<W>(dueAtOf)).add(wish);
    else (this.#rechecks ??= new WaitingLine<W>(deadlineOf)).add(wish);
  }

  /** The first has its turn, and leaves. */
  serve(): W | undefined {
    const { first } = this;
    if (first === undefined) return undefined;
    // Who has the turns to himself saves and spends nothing.
    if (this.#rechecks?.first && this.#others?.first) this.#saved = after(this.#saved + this.#recheckShare);
    this.delete(first);
    return first;
  }

  /** Leaves without a turn. */
  delete(wish: W): void {
    (wish.deadlineAt === undefined ? this.#others : this.#rechecks)?.delete(wish);
  }

  /** The first `count`, in the order of their turns if nobody else comes. */
  front(count: number): W[] {
    const [rechecks, others] = [this.#rechecks?.front(count) ?? [], this.#others?.front(count) ?? []];
    const all: W[] = [];
    let saved = this.#saved;
    for (let [recheck, other] = [0, 0]; all.length < count;) {
      const [first, second] = [rechecks[recheck], others[other]];
      if (first === undefined) return [...all, ...others.slice(other, other + count - all.length)];
      if (second === undefined) return [...all, ...rechecks.slice(recheck, recheck + count - all.length)];
      const isRecheck = isTheirs(saved + this.#recheckShare);
      saved = after(saved + this.#recheckShare);
      all.push(isRecheck ? first : second);
      if (isRecheck) recheck += 1;
      else other += 1;
    }
    return all;
  }
}

function deadlineOf({ deadlineAt = Infinity }: Waiting): number {
  return deadlineAt;
}

function dueAtOf({ dueAt }: Waiting): number {
  return dueAt;
}

/** Whether so much saved up is a turn; sums of fractions are off by a rounding. */
function isTheirs(saved: number): boolean {
  return saved > 1 - 1e-9;
}

function after(saved: number): number {
  return isTheirs(saved) ? saved - 1 : saved;
}
