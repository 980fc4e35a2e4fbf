import type { Element } from 'domhandler';
import type { Value } from './value.ts';

/** Takes a value from a match: from an element, or from a value. */
export type TakeFunction = (match: Element | Value) => Value;

/** A function for a filter, in plug-ins only. It gets every value as it is, null and lists too. */
export type FilterFunction = (value: Value) => Value;
