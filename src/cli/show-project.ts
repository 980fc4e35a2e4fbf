import type { MetricView } from '../control/methods/metric.ts';
import type { ProjectView } from '../control/methods/project.ts';
import type { RuleView } from '../control/methods/rule.ts';
import type { RecordView } from '../view/record.ts';
import { showFiles } from './show-files.ts';
import { showMetrics } from './show-metrics.ts';
import { showRecords } from './show-records.ts';
import { showRules } from './show-rules.ts';
import { showTarget } from './show-target.ts';
import { type Terminal, showStatus } from './terminal.ts';
import { plainText } from '../view/text.ts';

/** What of a project is shown besides its targets. */
interface ProjectParts {
  readonly records: readonly RecordView[];
  readonly metrics: readonly MetricView[];
  readonly rules: readonly RuleView[];
}

/** Formats a project: its heading, its targets, its metrics, its rules and its records. */
export function showProject(
  terminal: Terminal,
  project: ProjectView,
  { records, metrics, rules }: ProjectParts,
): string {
  const labels = project.labels.length > 0 ? `  [${project.labels.map(plainText).join(', ')}]` : '';
  const heading = `${terminal.paint('bold', project.id)}  ${plainText(project.name)}  ${showStatus(terminal, project.status)}${labels}`;
  return [
    heading,
    ...project.targets.map((target) => showTarget(terminal, target, project)),
    metrics.length === 0 ? '' : showMetrics(terminal, metrics),
    rules.length === 0 ? '' : showRules(terminal, rules),
    showRecords(terminal, records),
    showFiles(terminal, records),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}
