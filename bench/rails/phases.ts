// Compares the phases of a run. Each phase is compared with its two neighbours, in which the rail answers: a phase in
// which it hangs and, as the control, one in which it answers too. Three phases count only if the machine was equally
// fast in each and no other process used it.
import { formatRows, type Row } from '../figures/row.js';
import { formatMs, median, percentile } from '../figures/statistics.js';

const ALLOWED = 1.1;
/** By so much the machine's speed may differ among three phases. */
const STEADY = 1.05;
const MAX_FOREIGN_CPUS = 0.15;

export interface Measured {
  readonly sortedMs: number[];
  errors: number;
}

export interface Window {
  readonly test: Measured;
  readonly other: Measured;
  /** The time of one fixed piece of work. */
  readonly yardstickUs: number;
  /** CPUs that others on the machine took. */
  readonly foreignCpus: number;
}

export interface Phase {
  readonly isHanging: boolean;
  readonly windows: readonly Window[];
}

type Part = 'test' | 'other';
type Triple = readonly [Phase, Phase, Phase];

interface Question {
  readonly phases: readonly Phase[];
  readonly part: Part;
}

export function formatPhases(phases: readonly Phase[], more: readonly Row[]): string {
  const rows = [
    rowOf('TEST creates beside a rail that hangs', { phases, part: 'test' }),
    rowOf('LIVE creates of the other rail', { phases, part: 'other' }),
  ];
  return `${formatRows([...rows, ...more])}\n\n${describeTriples(phases)}`;
}

function rowOf(name: string, question: Question): Row {
  return {
    bench: name,
    control: `${tell(question, false)}; ${tellRatios(question, false)}`,
    service: tell(question, true),
    result: tellRatios(question, true),
    target: 'p50 + ≤ 10 %',
    isMet: ratioOf(question, true, 0.5) <= ALLOWED,
  };
}

/** The phases of a kind with their neighbours. */
function listTriples(phases: readonly Phase[], isHanging: boolean): Triple[] {
  return phases.flatMap((phase, index): Triple[] => {
    const [before, after] = [phases[index - 1], phases[index + 1]];
    if (before?.isHanging !== false || after?.isHanging !== false) return [];
    return phase.isHanging === isHanging ? [[before, phase, after]] : [];
  });
}

function isSteady(triple: Triple): boolean {
  const speeds = triple.map((phase) => medianOf(phase, ({ yardstickUs }) => yardstickUs));
  const foreign = triple.map((phase) => medianOf(phase, ({ foreignCpus }) => foreignCpus));
  return (
    Math.max(...speeds) <= Math.min(...speeds) * STEADY && Math.max(...foreign) <= MAX_FOREIGN_CPUS
  );
}

const medianOf = ({ windows }: Phase, read: (window: Window) => number): number =>
  median(windows.map(read));

const latencyOf = (phase: Phase, part: Part, share: number): number =>
  medianOf(phase, (window) => percentile(window[part].sortedMs, share));

/** The ratio of the middle phase to the mean of its neighbours. */
function compare([before, phase, after]: Triple, read: (phase: Phase) => number): number {
  return (2 * read(phase)) / (read(before) + read(after));
}

/** In the middle, of the steady ones; NaN of none. */
function ratioOf({ phases, part }: Question, isHanging: boolean, share: number): number {
  const steady = listTriples(phases, isHanging).filter(isSteady);
  return median(steady.map((triple) => compare(triple, (of) => latencyOf(of, part, share))));
}

function tell({ phases, part }: Question, isHanging: boolean): string {
  const windows = phases.filter((phase) => phase.isHanging === isHanging).flatMap((p) => p.windows);
  if (windows.length === 0) return '–';
  const errors = windows.reduce((sum, window) => sum + window[part].errors, 0);
  const of = (share: number): string => formatMs(latencyOf({ isHanging, windows }, part, share));
  return `p50 ${of(0.5)}, p99 ${of(0.99)}, ${errors} errors`;
}

function tellRatios(question: Question, isHanging: boolean): string {
  const ratios = [0.5, 0.99].map((share) => ratioOf(question, isHanging, share));
  if (ratios.some(Number.isNaN)) return '–';
  const [p50, p99] = ratios.map((ratio) => ratio.toFixed(2));
  return `p50 × ${p50}, p99 × ${p99}`;
}

/** Also those that do not count, and why. */
function describeTriples(phases: readonly Phase[]): string {
  return [false, true]
    .flatMap((isHanging) =>
      listTriples(phases, isHanging).map((triple) => {
        const p50 = compare(triple, (phase) => latencyOf(phase, 'test', 0.5));
        const speeds = triple.map((phase) => medianOf(phase, ({ yardstickUs }) => yardstickUs));
        const foreign = triple.map((phase) => medianOf(phase, ({ foreignCpus }) => foreignCpus));
        return (
          `${isHanging ? 'hangs' : 'control'}: TEST p50 × ${p50.toFixed(2)}, ` +
          `the same work took ${speeds.map((us) => us.toFixed(0)).join(', ')} µs, ` +
          `others took ${Math.max(...foreign).toFixed(2)} CPUs: ${isSteady(triple) ? 'counts' : 'does not count'}.`
        );
      }),
    )
    .join(' ');
}
