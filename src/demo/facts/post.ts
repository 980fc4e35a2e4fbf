import { pick, rising, tickAt, ticksAt, unit, whole, type World } from './world.ts';

/** One post of an account, with the likes it has at one instant. */
export interface Post {
  readonly id: string;
  /** Counts up within its account, from 0. */
  readonly number: number;
  readonly account: string;
  readonly text: string;
  readonly postedAt: number;
  readonly likes: number;
  /** Whether its account shows it above all others. */
  readonly pinned: boolean;
}

/** An account at one instant. */
export interface Account {
  readonly name: string;
  readonly followers: number;
  readonly posts: number;
  /** Shown only to members who have logged in. */
  readonly membersOnly: boolean;
  readonly modifiedAt: number;
}

/** The accounts of the site; `backstage` is for members. */
export const accounts = ['heron', 'lighthouse', 'night-train', 'backstage'] as const;

/** How many posts an account had when the world opened. */
function historyOf(account: string): number {
  return account === 'night-train' ? 30 : 130;
}

const likesMs = 5_000;
const verbs = ['saw', 'mended', 'painted', 'lost & found', 'waited for', 'baked'];
const things = ['a heron', 'the old bridge', 'two <small> boats', 'the 6:15 train', 'a paper moon', 'somebody’s hat'];

/** The account at an instant; nothing for a name that no account has. */
export function accountAt(world: World, name: string, at: number): Account | undefined {
  if (!accounts.some((account) => account === name)) return undefined;
  const tick = ticksAt(world, at, likesMs);
  const posts = historyOf(name) + ticksAt(world, at, periodMs(world, name));
  return {
    name,
    followers: whole(world, 300, 90_000, name, 'followers') + rising(world, tick, 0.4, name, 'following'),
    posts,
    membersOnly: name === 'backstage',
    modifiedAt: Math.max(tickAt(world, tick, likesMs), postAt(world, name, posts - 1, at).postedAt),
  };
}

/** A slice of an account's timeline, newest first: the posts with a number below `before`, `size` at most. */
export function postsBefore(world: World, account: string, at: number, before: number, size: number): Post[] {
  const newest = Math.min(before, accountAt(world, account, at)?.posts ?? 0);
  return Array.from({ length: Math.min(size, newest) }, (_, index) => postAt(world, account, newest - 1 - index, at));
}

function postAt(world: World, account: string, number: number, at: number): Post {
  return {
    id: `${account}-${number}`,
    number,
    account,
    text: `${pick(world, verbs, account, number, 'verb')} ${pick(world, things, account, number, 'thing')}`,
    postedAt: tickAt(world, number - historyOf(account) + 1, periodMs(world, account)),
    likes:
      whole(world, 0, 400, account, number, 'first likes') +
      rising(world, ticksAt(world, at, likesMs), 0.3 * unit(world, account, number, 'love'), account, number, 'likes'),
    pinned: account === 'heron' && number === pinnedNumber(world, account),
  };
}

function pinnedNumber(world: World, account: string): number {
  return whole(world, 5, 60, account, 'pinned');
}

/** How often an account posts. */
function periodMs(world: World, account: string): number {
  return whole(world, 4_000, 15_000, account, 'post period');
}
