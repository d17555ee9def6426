// The search for the commands that Postgres refuses: exactly those, and the last one of commands that are refused only
// together.
import postgres from 'postgres';
import t from 'tap';
import { findPoisonCommands } from '#actors/payments/poison-commands.js';
import type { BatchCommand } from '#actors/payments/batch-input.js';
import { at, buildBatch } from '#test/support/actors/batches.js';

const command = (index: number): BatchCommand => ({
  partition: 0,
  position: at(1, index),
  index: 0,
  appendedAtMs: 1,
  sender: 'g',
  correlation: '',
  source: null,
  text: String(index),
  command: undefined,
  stored: undefined,
  quarantineReason: undefined,
  movedTo: undefined,
  deferred: undefined,
  isSlow: false,
  span: undefined,
});

const REFUSED = Object.assign(new postgres.PostgresError('no'), { code: '22021' });

/** Refuses each batch for whose command texts `isRefused` returns true. */
function openProbe(isRefused: (texts: string[]) => boolean) {
  let probes = 0;
  return {
    deps: {
      fold: (commands: readonly BatchCommand[]) => ({
        ...buildBatch(),
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
  const { deps, probes } = openProbe(isRefused);
  const all = Array.from({ length: count }, (_, index) => command(index));
  const found = await findPoisonCommands(deps, all);
  return { found: found.map((poison) => Number(poison.command.text)), probes: probes() };
};

t.test('one refused command of 1,024 is found, with at most 23 probes', async (t) => {
  for (const bad of [0, 1, 511, 512, 1_023]) {
    const { found, probes } = await search(1_024, (texts) => texts.includes(String(bad)));
    t.strictSame(found, [bad]);
    t.ok(probes <= 2 * 11 + 1, `by halves: ${probes} probes`);
  }
});

t.test('several refused commands are all found', async (t) => {
  const bad = ['3', '4', '200', '999'];
  const { found } = await search(1_000, (texts) => texts.some((text) => bad.includes(text)));
  t.strictSame(found, [3, 4, 200, 999]);
});

t.test('an accepted batch has no poison command', async (t) => {
  t.strictSame((await search(10, () => false)).found, []);
  t.strictSame((await search(0, () => true)).found, []);
});

t.test('of two commands that are refused only together, the last is found', async (t) => {
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
    t.strictSame(one, [last], 'commands behind it are accepted');
    t.ok(probes <= 2 * 10 + 10, `by halves: ${probes} probes`);
  }
  const { found: pair } = await search(2, (texts) => texts.length > 1);
  t.strictSame(pair, [1]);
});

t.test(
  'a command that another process makes refused meanwhile is found, not one behind it',
  async (t) => {
    for (const moment of [3, 4, 5, 6, 7]) {
      let probed = 0;
      // 1 and 6 name one rail transaction, which another process books after some probes.
      const { found } = await search(8, (texts) => {
        probed += 1;
        const named = ['1', '6'].filter((text) => texts.includes(text)).length;
        return named > (probed > moment ? 0 : 1);
      });
      for (const one of found) t.ok([1, 6].includes(one), `${one} after ${moment} probes`);
      t.ok(found.length > 0);
    }
  },
);

t.test('a search without Postgres rejects', async (t) => {
  const { deps } = openProbe(() => false);
  const lost = Object.assign(new Error('cut'), { code: 'CONNECTION_CLOSED' });
  const store = { probe: () => Promise.reject(lost) };
  await t.rejects(findPoisonCommands({ ...deps, store }, [command(1), command(2)]), lost);
});
