import * as z from 'zod';
import { expected } from '../schema/expected.ts';

/** The conditions of one type of records, at most. */
const most = 20;

/** A condition that the runs of a source must meet, or several. */
export const Expect = z.union([
  z.string().transform((text) => [text]),
  z
    .array(z.string())
    .min(1)
    .max(most, expected(`at most ${most} conditions`)),
]);
