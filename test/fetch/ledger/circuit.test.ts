import fc from 'fast-check';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  type Circuit,
  circuitRow,
  circuitRules,
  closedCircuit,
  isSpentCircuit,
  circuitAnswer,
  restoredCircuit,
  shifted,
  withAsked,
  withOutcome,
} from '../../../src/fetch/ledger/circuit.ts';

const second = 1_000;
const minute = 60 * second;

/** A circuit with verdicts on target after target, one a second, up to `at`. */
function heard(verdicts: readonly ('good' | 'bad')[], at = 0, circuit: Circuit = closedCircuit): Circuit {
  return verdicts.reduce<Circuit>(
    (before, each, place) =>
      withOutcome(before, { target: place, verdict: each }, at - (verdicts.length - 1 - place) * second),
    circuit,
  );
}

const open = heard(['bad', 'bad', 'bad', 'bad', 'bad']);

/** A probe that was asked when it was due, and its verdict a second later. */
function probed(circuit: Circuit, verdict: 'good' | 'bad' | 'unused'): { circuit: Circuit; at: number } {
  assert.equal(circuit.state, 'open');
  if (circuit.state !== 'open') return { circuit, at: 0 };
  const at = circuit.probeAt + second;
  return { circuit: withOutcome(withAsked(circuit, 77, circuit.probeAt), { target: 77, verdict }, at), at };
}

describe('a circuit', () => {
  test('opens when five targets and most of all fail within five minutes', () => {
    assert.equal(open.state, 'open');
    assert.equal(heard(['good', 'good', 'good', 'bad', 'bad', 'bad', 'bad', 'bad']).state, 'open');
  });

  test('stays closed while fewer fail, or not most', () => {
    assert.equal(heard(['bad', 'bad', 'bad', 'bad']).state, 'closed');
    assert.equal(heard(['good', 'good', 'good', 'good', 'bad', 'bad', 'bad', 'bad', 'bad']).state, 'closed');
  });

  test('stays closed when one target fails over and over', () => {
    let circuit = closedCircuit;
    for (let at = 0; at < 20; at += 1) circuit = withOutcome(circuit, { target: 1, verdict: 'bad' }, at * second);
    assert.equal(circuit.state, 'closed');
  });

  test('counts no failure for longer than five minutes', () => {
    const four = heard(['bad', 'bad', 'bad', 'bad']);
    assert.equal(withOutcome(four, { target: 9, verdict: 'bad' }, circuitRules.windowMs - 10 * second).state, 'open');
    assert.equal(withOutcome(four, { target: 9, verdict: 'bad' }, circuitRules.windowMs).state, 'closed');
  });

  test('that is open lets nothing through until its probe is due, then one target', () => {
    assert.deepEqual(circuitAnswer(open, 0), { mayAsk: false, nextAt: minute });
    assert.deepEqual(circuitAnswer(open, minute - 1), { mayAsk: false, nextAt: minute });
    assert.deepEqual(circuitAnswer(open, minute), { mayAsk: true });
    const probing = withAsked(open, 3, minute);
    assert.deepEqual(circuitAnswer(probing, minute), { mayAsk: false, nextAt: minute + circuitRules.lostMs });
    assert.deepEqual(circuitAnswer(probing, minute + circuitRules.lostMs), { mayAsk: true });
  });

  test('that is open listens to its probe only', () => {
    assert.equal(withOutcome(open, { target: 4, verdict: 'good' }, second), open);
  });

  test('waits twice as long after each probe that fails, up to a quarter of an hour', () => {
    let circuit = open;
    const pauses: number[] = [];
    for (let probe = 0; probe < 6; probe += 1) {
      const after = probed(circuit, 'bad');
      circuit = after.circuit;
      if (circuit.state === 'open') pauses.push((circuit.probeAt - after.at) / minute);
    }
    assert.deepEqual(pauses, [2, 4, 8, 15, 15, 15]);
  });

  test('lets another probe go when one was not used', () => {
    const { circuit, at } = probed(open, 'unused');
    assert.deepEqual(circuitAnswer(circuit, at), { mayAsk: true });
  });

  test('resumes in a ramp after a good probe: 1 target, then 2, then 4, then 8, up to all', () => {
    let { circuit, at } = probed(open, 'good');
    const since = at;
    const perStep = Array<number>(circuitRules.steps).fill(0);
    for (let target = 100; at < since + circuitRules.steps * circuitRules.stepMs;) {
      const leave = circuitAnswer(circuit, at);
      if (leave.mayAsk) {
        const step = Math.floor((at - since) / circuitRules.stepMs);
        perStep[step] = (perStep[step] ?? 0) + 1;
        circuit = withOutcome(withAsked(circuit, target, at), { target, verdict: 'good' }, at);
        target += 1;
      } else at = leave.nextAt;
    }
    assert.deepEqual(perStep, [1, 2, 4, 8, 16, 32]);
    assert.deepEqual(circuitAnswer(circuit, at), { mayAsk: true });
    assert.equal(withOutcome(circuit, { target: 1, verdict: 'good' }, at).state, 'closed');
  });

  test('that was not used while it resumed does not make up for it in a burst', () => {
    const { circuit, at } = probed(open, 'good');
    const later = at + 3 * circuitRules.stepMs;
    const asked = withAsked(circuit, 1, later);
    assert.deepEqual(circuitAnswer(asked, later), { mayAsk: false, nextAt: later + circuitRules.stepMs / 8 });
  });

  test('opens again when two targets and most fail while it resumes, and then waits longer', () => {
    const { circuit, at } = probed(open, 'good');
    const once = withOutcome(circuit, { target: 1, verdict: 'bad' }, at + second);
    assert.equal(once.state, 'resuming');
    const twice = withOutcome(once, { target: 2, verdict: 'bad' }, at + 2 * second);
    assert.deepEqual(circuitAnswer(twice, at + 2 * second), { mayAsk: false, nextAt: at + 2 * second + 2 * minute });
  });

  test('remembers a hundred targets at most', () => {
    let circuit = closedCircuit;
    for (let target = 0; target < 1_000; target += 1)
      circuit = withOutcome(circuit, { target, verdict: 'good' }, target);
    assert.equal(circuit.state === 'closed' && circuit.heard.length, 100);
  });

  test('that is closed leaves nothing to keep; one that is open survives a restart and a wall clock that was set', () => {
    assert.equal(circuitRow(heard(['bad']), 0), undefined);
    const row = circuitRow(open, second);
    assert.ok(row);
    assert.equal(JSON.stringify(JSON.parse(JSON.stringify(row))), JSON.stringify(row));
    const next = restoredCircuit(shifted(shifted(row, 1e12), -1e12), 2 * second);
    assert.deepEqual(circuitAnswer(next, 2 * second), { mayAsk: false, nextAt: minute });
    const wayOff = restoredCircuit(shifted(row, 1e12), 2 * second);
    assert.deepEqual(circuitAnswer(wayOff, 2 * second), {
      mayAsk: false,
      nextAt: 2 * second + circuitRules.longestProbeMs,
    });
  });

  test('that resumes begins its ramp anew after a restart', () => {
    const { circuit, at } = probed(open, 'good');
    const late = at + 5 * circuitRules.stepMs;
    const row = circuitRow(withAsked(circuit, 1, late), late);
    assert.ok(row);
    const next = restoredCircuit(row, late);
    const asked = withAsked(next, 2, late);
    assert.deepEqual(circuitAnswer(next, late), { mayAsk: true });
    assert.deepEqual(circuitAnswer(asked, late), { mayAsk: false, nextAt: late + circuitRules.stepMs });
  });

  test('is spent when a new one would serve as well', () => {
    assert.equal(isSpentCircuit(heard(['bad']), circuitRules.windowMs - 1), false);
    assert.equal(isSpentCircuit(heard(['bad']), circuitRules.windowMs), true);
    assert.equal(isSpentCircuit(open, 60 * minute), false);
    assert.equal(isSpentCircuit(open, 25 * 60 * minute), true);
  });

  test('whatever comes, says when it is worth asking again, and grants leave then; one probe is out at a time', () => {
    const event = fc.record({
      afterMs: fc.nat(200_000),
      target: fc.nat(12),
      verdict: fc.constantFrom('good', 'bad', 'bad', 'unused'),
    });
    fc.assert(
      fc.property(fc.array(event, { maxLength: 200 }), (events) => {
        let circuit = closedCircuit;
        let now = 0;
        for (const { afterMs, target, verdict } of events) {
          now += afterMs;
          const leave = circuitAnswer(circuit, now);
          if (leave.mayAsk) {
            circuit = withAsked(circuit, target, now);
            if (circuit.state === 'open') assert.equal(circuitAnswer(circuit, now).mayAsk, false);
          } else {
            assert.ok(leave.nextAt > now);
            assert.deepEqual(circuitAnswer(circuit, leave.nextAt), { mayAsk: true });
          }
          circuit = withOutcome(circuit, { target, verdict }, now);
        }
      }),
    );
  });
});
