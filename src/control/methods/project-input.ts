import * as z from 'zod';
import { maxTargets } from '../../definition/project.ts';
import { Metrics, Rules } from '../../metric/metric.ts';
import { SinkLinksInput } from '../../schema/sink-link.ts';
import { ProjectId } from '../../schema/slug.ts';
import { Serial } from '../../view/fields.ts';
import { checkScheduleInput, scheduleInputShape } from '../../schedule/levels.ts';
import { NewTarget, TargetInput } from './target.ts';

const name = z.string().trim().min(1).max(200).describe('The name of the project, for people.');
const labels = z.array(z.string().trim().min(1).max(64)).max(32).readonly().describe('The labels of the project.');
/** The labels that a change adds. */
export const addLabels = labels.describe('Labels that are added to those that it has.').exactOptional();
/** The labels that a change takes away. */
export const removeLabels = labels
  .describe('Labels that are taken from it; those that it does not have are passed over.')
  .exactOptional();
/** The multiplier of a project's priority. */
export const multiplier = z
  .number()
  .positive()
  .max(100)
  .describe(
    'Multiplies the priority of its targets, by which those with a pace of `tokens` are scraped more or less often.',
  );
const targets = z
  .array(TargetInput)
  .min(1)
  .max(maxTargets)
  .readonly()
  .describe('All targets of the project; a target that is left out is removed from it.');
const newTargets = z
  .array(NewTarget)
  .min(1)
  .max(maxTargets)
  .readonly()
  .describe('The targets: what to scrape, and where.');

/** The sinks of a project. */
export const sinks = SinkLinksInput.describe(
  'The sinks that are told of the project and of all its targets.',
).exactOptional();

/** The metrics and rules of a project. */
export const figures = {
  metrics: Metrics.describe(
    'Figures that are computed from the records of its targets, by name: a calculation with the figures above it as a text, or what is taken from records. Those that are given replace all.',
  ).exactOptional(),
  rules: Rules.describe(
    'Conditions that the records of its targets begin and cease to meet, by name; those that are given replace all.',
  ).exactOptional(),
};

const project = {
  id: ProjectId.describe('The id of the project. Default: one is made.').exactOptional(),
  name: name.exactOptional(),
  labels: labels.default([]),
  multiplier: multiplier.default(1),
  sinks,
  ...figures,
  ...scheduleInputShape,
  targets,
};

/** A new project. Without an id it gets one; without a name, the id is its name. */
export const ProjectInput = z.strictObject({ ...project, targets: newTargets }).superRefine(checkScheduleInput);
export type ProjectInput = z.infer<typeof ProjectInput>;

/** A project in the list of `project.apply`, which matches it to tracked projects by `id`. */
export const ListedProjectInput = z.strictObject({ ...project, id: ProjectId }).superRefine(checkScheduleInput);
export type ListedProjectInput = z.infer<typeof ListedProjectInput>;

/**
 * A change of a project. What is left out stays, but a new pace replaces the one before. `targets` lists all targets: one that
 * is left out is removed.
 */
export const ProjectChange = z
  .strictObject({
    id: ProjectId,
    name: name.exactOptional(),
    labels: labels.exactOptional(),
    addLabels,
    removeLabels,
    multiplier: multiplier.exactOptional(),
    sinks,
    ...figures,
    ...scheduleInputShape,
    targets: targets.exactOptional(),
    addTargets: newTargets.describe('Targets that are added to those that it has.').exactOptional(),
    removeTargets: z
      .array(Serial)
      .max(maxTargets)
      .readonly()
      .describe('The numbers of targets that are removed from the project.')
      .exactOptional(),
    targetSchedule: z
      .strictObject({
        target: Serial.describe(
          'The number of a target. Default: each target of the project, as it is after the change.',
        ).exactOptional(),
        ...scheduleInputShape,
      })
      .superRefine(checkScheduleInput)
      .describe('The schedule of each target of the project, or of `target` alone; it goes before that of the project.')
      .exactOptional(),
    dryRun: z.boolean().default(false).describe('Only tells the differences, and makes none.'),
  })
  .superRefine(checkScheduleInput);
