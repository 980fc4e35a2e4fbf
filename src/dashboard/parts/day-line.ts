import { html } from 'hono/html';
import { countText } from '../../view/text.ts';
import type { Html } from './view.ts';

const hourMs = 3_600_000;

/** Hours that are drawn on each side of the present. */
const hours = 24;
const [hourWidth, height] = [10, 24];
const width = 2 * hours * hourWidth;

/** Draws what came in the hours before the present and what is to come in those after it, as a bar for each hour. */
export function dayLine(past: readonly number[], coming: readonly number[], now: number): Html {
  const [before, after] = [perHour(past, now), perHour(coming, now)];
  const most = Math.max(1, ...before.values(), ...after.values());
  return html`<svg
    class="day"
    viewBox="0 0 ${String(width)} ${String(height)}"
    preserveAspectRatio="none"
    role="img"
    aria-label="${told(past, 'scrape', before, now)} behind, ${told(coming, 'turn', after, now)} to come"
  >
    <path class="past" d="${bars(before, most)}" />
    <path class="coming" d="${bars(after, most)}" />
    <path class="now" d="M${String(width / 2)} 0V${String(height)}" />
  </svg>`;
}

/** How many fall into each hour from the present on; below 0 before it. What is overdue counts as coming at once. */
function perHour(instants: readonly number[], now: number): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const at of instants) {
    const hour = Math.floor((at - now) / hourMs);
    if (hour >= -hours && hour < hours) counts.set(hour, (counts.get(hour) ?? 0) + 1);
  }
  return counts;
}

function bars(counts: ReadonlyMap<number, number>, most: number): string {
  return Array.from(counts, ([hour, count]) => {
    const top = Math.round(height * (1 - Math.max(0.12, count / most)) * 10) / 10;
    return `M${(hour + hours) * hourWidth + 1} ${height}V${top}h${hourWidth - 2}V${height}z`;
  }).join('');
}

/** `30 turns, most of them (12) at 14:00 UTC`. */
function told(instants: readonly number[], noun: string, counts: ReadonlyMap<number, number>, now: number): string {
  const [fullest] = [...counts].sort(([, a], [, b]) => b - a);
  const count = countText(instants.length, noun);
  if (fullest === undefined || instants.length < 2) return count;
  return `${count}, most of them (${fullest[1]}) from ${new Date(now + fullest[0] * hourMs).toISOString().slice(11, 16)} UTC`;
}
