import * as z from 'zod';
import { Origin } from './auth.ts';
import { Rule } from './rule.ts';
import { Selector } from './selector.ts';
import { UrlPattern } from './url-pattern.ts';
import { expected } from '../schema/expected.ts';
import { strict } from '../schema/strict.ts';

/** The largest number of forms that are submitted one after the other. */
const mostForms = 5;

/** The name of a control of a form. */
export const ControlName = z.string().min(1).max(200);

/** The value of a control: a text in which `{name}` stands for a parameter of the source's address, or a rule that is read on the form's page. */
const ControlValue = z.union([z.string().max(10_000), Rule]);

/** A form of a page, which is submitted as a browser does. */
const Form = strict({
  /** The address of the page that has the form; only for the first form of a list. Default: the address of the target. */
  page: UrlPattern.exactOptional(),
  /** The form. Default: the only one of its page. */
  css: Selector.exactOptional(),
  /** The values of controls, by their names. All others are sent as the page has them. */
  fields: z
    .record(ControlName, ControlValue)
    .refine((fields) => Object.keys(fields).length <= 100, expected('at most 100 fields'))
    .default({}),
  /** The button by which it is submitted; `false` for none, as scripts do. Default: its first. */
  button: z.union([Selector, z.literal(false)]).exactOptional(),
  /** Where it may lead, besides the origins of its page and of the target. */
  origins: z.array(Origin).min(1).max(20).exactOptional(),
});
export type Form = z.infer<typeof Form>;

/** One form, or several: each but the first is on the page to which the one before leads. */
export const Forms = z.union([
  Form.transform((form) => [form]),
  z
    .array(Form)
    .min(1)
    .max(mostForms, expected(`at most ${mostForms} forms`))
    .superRefine((forms, context) => {
      for (const [index, { page }] of forms.entries())
        if (index > 0 && page !== undefined)
          context.addIssue({
            code: 'custom',
            path: [index, 'page'],
            message:
              'expected a page for the first form only, as this one is on the page to which the one before leads',
          });
    }),
]);
export type Forms = readonly Form[];
