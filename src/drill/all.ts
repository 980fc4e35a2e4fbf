import { losses } from './losses.ts';
import type { Mutation } from './mutation.ts';
import { renames } from './renames.ts';
import { values } from './values.ts';
import { walls } from './walls.ts';

/** All ways in which a drill changes a page. */
export const mutations: readonly Mutation[] = [...renames, ...losses, ...values, ...walls];
