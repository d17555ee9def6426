// The search for what Postgres refuses: exactly the culprits, and of those that are refused only together
// the last one; never a good command beside a bad one.
import postgres from 'postgres';
import t from 'tap';
import { findPoisonCommands } from '#actors/payments/poison-commands.js';
import type { FoldCommand } from '#actors/payments/fold-command.js';
import { at, emptyBatch } from '#test/support/actors/batches.js';

const command = (index: number): FoldCommand => ({
  partition: 0,
  position: at(1, index),
  index: 0,
  sender: 'g',
  correlation: '',
  text: String(index),
  command: undefined,
  quarantineReason: undefined,
});

const REFUSED = Object.assign(new postgres.PostgresError('no'), { code: '22021' });

/** A database that refuses every batch for which `isRefused`; the batch carries its commands' texts. */
function database(isRefused: (texts: string[]) => boolean) {
  let probes = 0;
  return {
    parts: {
      fold: (commands: readonly FoldCommand[]) => ({
        ...emptyBatch(),
        quarantined: commands.map(({ text }) => ({
          partition: 0,
          position: at(0),
          index: 0,
          command: text,
          error: '',
        })),
      }),
      store: {
        probe: (batch: { quarantined: { command: string }[] }) => {
          probes += 1;
          const texts = batch.quarantined.map(({ command: text }) => text);
          return isRefused(texts) ? Promise.reject(REFUSED) : Promise.resolve();
        },
      },
    },
    probes: () => probes,
  };
}

const search = async (count: number, isRefused: (texts: string[]) => boolean) => {
  const { parts, probes } = database(isRefused);
  const all = Array.from({ length: count }, (_, index) => command(index));
  const found = await findPoisonCommands(parts, all);
  return { found: found.map((culprit) => Number(culprit.command.text)), probes: probes() };
};

t.test('one bad command among many is found, and only it', async (t) => {
  for (const bad of [0, 1, 511, 512, 1_023]) {
    const { found, probes } = await search(1_024, (texts) => texts.includes(String(bad)));
    t.strictSame(found, [bad]);
    t.ok(probes <= 2 * 11 + 1, `by halves: ${probes} probes`);
  }
});

t.test('several bad commands are all found', async (t) => {
  const bad = ['3', '4', '200', '999'];
  const { found } = await search(1_000, (texts) => texts.some((text) => bad.includes(text)));
  t.strictSame(found, [3, 4, 200, 999]);
});

t.test('a batch that passes has none', async (t) => {
  t.strictSame((await search(10, () => false)).found, []);
  t.strictSame((await search(0, () => true)).found, []);
});

t.test('of commands that are refused only together one is parked', async (t) => {
  const { found } = await search(8, (texts) => texts.includes('1') && texts.includes('6'));
  t.strictSame(found, [6]);
  for (const [first, last] of [
    [0, 7],
    [2, 5],
    [300, 901],
  ] as const) {
    const both = (texts: string[]): boolean =>
      texts.includes(String(first)) && texts.includes(String(last));
    const { found: one, probes } = await search(1_000, both);
    t.strictSame(one, [last], 'what stands behind it is good');
    t.ok(probes <= 2 * 10 + 10, `by halves: ${probes} probes`);
  }
  const { found: pair } = await search(2, (texts) => texts.length > 1);
  t.strictSame(pair, [1]);
});

t.test('a database that cannot be asked convicts nobody', async (t) => {
  const { parts } = database(() => false);
  const lost = Object.assign(new Error('cut'), { code: 'CONNECTION_CLOSED' });
  const store = { probe: () => Promise.reject(lost) };
  await t.rejects(findPoisonCommands({ ...parts, store }, [command(1), command(2)]), lost);
});
