import * as z from 'zod';
import { got } from '../schema/expected.ts';
import { didYouMean } from '../schema/near-name.ts';
import { eventTypes } from './catalogue.ts';
import { isOfType } from './of-type.ts';

/** The name of an event type, or the begin of several with a `*` after it. */
export const WantedType = z.string().refine((wanted) => eventTypes.some((type) => isOfType(type, wanted)), {
  error: ({ input }) =>
    `${got(input, 'an event type such as record.changed or scrape.*')}${didYouMean(String(input), eventTypes)}`,
});
