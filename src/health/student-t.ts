/** The most degrees of freedom that are told apart; with more, a limit is less by 8 % at most. */
const mostFreedom = 60;

/** Chances are rounded to so many steps per factor e, so that few limits are computed. */
const stepsPerE = 8;

const known = new Map<number, number>();

/**
 * Returns how many standard deviations a normal value is off its mean with a chance of `chance` at most, either way, where the deviation was
 * estimated with `freedom` degrees of freedom: the quantile of Student's t distribution.
 *
 * @param chance - from 1e-9 to 0.5; it is rounded by 6 % at most.
 */
export function studentT(chance: number, freedom: number): number {
  const degrees = Math.max(1, Math.min(mostFreedom, Math.floor(freedom)));
  const step = Math.round(Math.log(chance) * stepsPerE);
  const key = step * (mostFreedom + 1) + degrees;
  const found = known.get(key) ?? quantile(Math.exp(step / stepsPerE), degrees);
  known.set(key, found);
  return found;
}

function quantile(chance: number, degrees: number): number {
  let [low, high] = [0, 1];
  while (chanceBeyond(high, degrees) > chance) high *= 2;
  // The interval is halved until it is as small as numbers are exact.
  for (let times = 0; times < 50; times += 1) {
    const middle = (low + high) / 2;
    if (chanceBeyond(middle, degrees) > chance) low = middle;
    else high = middle;
  }
  return high;
}

/** The chance that the absolute value exceeds `limit`. For whole degrees of freedom it is a finite sum (Abramowitz and Stegun, 26.7.3 and 26.7.4). */
function chanceBeyond(limit: number, degrees: number): number {
  const angle = Math.atan(limit / Math.sqrt(degrees));
  const [sine, cosine] = [Math.sin(angle), Math.cos(angle)];
  const isOdd = degrees % 2 === 1;
  let term = isOdd ? cosine : 1;
  let sum = degrees === 1 ? 0 : term;
  for (let k = isOdd ? 3 : 2; k <= degrees - 2; k += 2) {
    term *= (cosine * cosine * (k - 1)) / k;
    sum += term;
  }
  return 1 - (isOdd ? (2 / Math.PI) * (angle + sine * sum) : sine * sum);
}
