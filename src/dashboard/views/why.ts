import { html } from 'hono/html';
import type { ObjectiveView, WhyView } from '../../control/methods/why.ts';
import { agesText, durationText } from '../../time-text.ts';
import { plainText } from '../../view/text.ts';
import { projectLink, sourceLink, targetLabel } from '../parts/links.ts';
import { status } from '../parts/status.ts';
import { facts, section, table } from '../parts/table.ts';
import { foreign, link, short } from '../parts/text.ts';
import { age, clock, due } from '../parts/time.ts';
import { ticketMarks } from '../parts/tickets.ts';
import type { Html, View } from '../parts/view.ts';

/** Why each target of a project is due when it is. */
export const why: View = {
  path: 'projects/:id/why',
  async show({ call, place, now, projectName }) {
    const { id, paused, targets } = await call('project.why', { id: place('id') });
    const name = await projectName(id);
    return {
      title: `Why: ${name}`,
      heading: html`Why ${projectLink(id, name)} is due when it is`,
      live: { project: id },
      body: html`${paused === undefined ? '' : html`<p class="outcome error">Nothing is scraped at present: ${foreign(paused)}</p>`}
      ${targets.length === 0 ? html`<p class="empty">This project has no target.</p>` : ''}
      ${targets.map((target) => section(`target-${target.target}`, `Target ${target.target}`, targetPart(target, now)))}`,
    };
  },
};

function targetPart(target: WhyView, now: number): Html {
  const { source, url, status: state, conditions, dueAt, running, host, line, robots, because, objectives } = target;
  return html`${facts([
      ['Source', html`${sourceLink(source)} ${targetLabel(target.target)}`],
      ['State', html`${status(state)} ${conditions.map((condition) => html`${status(condition)} `)}`],
      ['Address', link(url)],
      [
        'Next',
        running === undefined
          ? dueAt === undefined
            ? 'nothing is planned'
            : due(dueAt, now)
          : `scrape ${running} runs`,
      ],
      ['Pace', paceOf(target)],
      [
        'Host',
        host &&
          html`${short(host.key, 60)}, at least ${durationText(host.delayMs)} apart; next turn
          ${host.nextAt === undefined ? 'when what holds it is over' : due(host.nextAt, now)}`,
      ],
      [
        'In line',
        line && `${line.before} before it${line.shut === undefined ? '' : `, waits for ${line.shut.waitFor}`}`,
      ],
      ['Asked as', foreign(target.userAgent)],
      [
        'robots.txt',
        `${robots.verdict}${robots.rule === undefined ? '' : ` by ${plainText(robots.rule.slice(0, 200))}`}`,
      ],
      [
        'Parked',
        target.parked && html`${foreign(target.parked.reason)}, tried again ${age(target.parked.retryAt, now)}`,
      ],
      ['Tickets', ticketMarks(target.tickets, now)],
    ])}
    <h3>Reasons</h3>
    ${table(
      'Reasons',
      because,
      [
        ['Reason', ({ text, decides }) => html`${decides ? html`<strong>${foreign(text)}</strong>` : foreign(text)}`],
        ['Effect', ({ effect, decides }) => html`${effect}${decides ? html` ${status('decides', 'good')}` : ''}`],
        ['At', ({ at }) => (at === undefined ? 'never' : clock(at))],
      ],
      'Nothing asks for it.',
    )}
    ${
      objectives.length === 0
        ? ''
        : html`<h3>Freshness</h3>
            ${objectiveTable(objectives, now)}`
    }`;
}

/** The pace in words, with its instant as all others of the page. */
function paceOf({ pace, paceText }: WhyView): Html | undefined {
  if (pace?.kind !== 'interval') return paceText === undefined ? undefined : foreign(paceText);
  const { everyMs, originAt, phaseMs } = pace;
  return html`every ${durationText(everyMs)}, on a grid ${phaseMs === 0 ? 'from' : `${durationText(phaseMs)} behind`}
  ${clock(originAt)}`;
}

const levels = { fresh: 'good', warn: 'warn', error: 'bad' } as const;

function objectiveTable(objectives: readonly ObjectiveView[], now: number): Html {
  return table(
    'Objectives',
    objectives,
    [
      [
        'Of',
        ({ field, records }) =>
          field === undefined ? (records === undefined ? 'the target' : 'each record') : short(field, 40),
      ],
      ['Level', ({ level }) => status(level, levels[level])],
      ['Verified', ({ lastVerifiedAt, isVerified }) => (isVerified ? age(lastVerifiedAt, now) : 'never')],
      ['Objective', (objective) => agesText(objective)],
      ['Deadline', ({ deadlineAt }) => due(deadlineAt, now)],
    ],
    '',
  );
}
