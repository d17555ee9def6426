// Commands that no gateway sends, and rows that Postgres refuses: exactly these commands are quarantined with their
// texts, all others are answered, and the partition continues.
import t from 'tap';
import { parseMerchantId } from '#actors/core/ids.js';
import { waitUntil } from '#ops/dev/launch/wait-until.js';
import { buildCommandsKey } from '#store/redis/keys.js';
import {
  appendEntry,
  encodeCreate,
  generatePaymentIdIn,
  openRawSender,
} from '../support/actors/commands.js';
import { type Stage, underLoad } from '../support/stage.js';

const PARTITION = 5;
const PARTITIONS = 16;
const STAGE = { gateways: 1, payments: 2 } as const;

const paymentId = (partition = PARTITION) => generatePaymentIdIn(partition, PARTITIONS);

async function findMerchantId({ sql }: Stage) {
  const [row] = await sql<{ id: string }[]>`select id from merchants`;
  const id = parseMerchantId(row?.id ?? '');
  if (id === undefined) throw new Error('no merchant');
  return id;
}

t.test('commands that cannot be applied are quarantined', (t) =>
  underLoad(t, { ...STAGE, expectedQuarantined: 4 }, async (stage) => {
    const sender = await openRawSender(t, stage.redisClient);
    const merchantId = await findMerchantId(stage);
    const stranger = encodeCreate(paymentId(PARTITION + 1), merchantId, 'another partition');
    const unknown = JSON.stringify({ type: 'explode', paymentId: paymentId() });
    const texts = ['garbage \u0000 {', unknown, stranger, ''];
    const outcomes = await sender.send(PARTITION, [
      ...texts,
      encodeCreate(paymentId(), merchantId, 'good'),
    ]);
    t.strictSame(outcomes, [...texts.map(() => 'internal_error'), 'created']);
    const rows =
      await stage.sql`select partition, command from quarantined_commands order by index`;
    t.ok(rows.every(({ partition }) => partition === PARTITION));
    t.strictSame(
      rows.map(({ command }) => command as string),
      ['garbage \ufffd {', unknown, stranger, ''],
      'stored as they were, except NUL',
    );
  }),
);

t.test(
  'a command that Postgres refuses is quarantined, and the others of its frame are answered',
  (t) =>
    underLoad(t, { ...STAGE, expectedQuarantined: 2 }, async (stage) => {
      const sender = await openRawSender(t, stage.redisClient);
      const merchantId = await findMerchantId(stage);
      const ids = Array.from({ length: 20 }, () => paymentId());
      const references = ids.map((_, index) =>
        index === 7 || index === 13 ? 'a\u0000b' : `fine ${index}`,
      );
      const texts = ids.map((id, index) => encodeCreate(id, merchantId, references[index] ?? ''));
      const outcomes = await sender.send(PARTITION, texts);
      const expected = references.map((text) =>
        text.startsWith('fine') ? 'created' : 'internal_error',
      );
      t.strictSame(outcomes, expected);
      const repeated = await sender.send(PARTITION, texts.slice(0, 7));
      t.ok(repeated.every((outcome) => outcome === 'replayed'));
    }),
);

t.test('entries that are not frames do not block a partition', (t) =>
  underLoad(t, { ...STAGE, expectedQuarantined: null }, async (stage) => {
    const { redisClient, sql } = stage;
    for (const fields of [
      ['x', 'y'],
      ['f', 'somebody'],
      ['f', ['a', 'b', 'c', 'd', 'e'].join('\u001f')],
    ]) {
      for (let count = 0; count < 70; count += 1) await appendEntry(redisClient, PARTITION, fields);
    }
    const sender = await openRawSender(t, redisClient);
    const text = encodeCreate(paymentId(), await findMerchantId(stage), 'good');
    t.strictSame(await sender.send(PARTITION, [text]), ['created']);
    await waitUntil('the position is behind all entries', async () => {
      const [row] =
        await sql`select position_ms, position_seq from partitions where id = ${PARTITION}`;
      const after = `(${row?.['position_ms']}-${row?.['position_seq']}`;
      return (await redisClient.xrange(buildCommandsKey(PARTITION), after, '+')).length === 0;
    });
  }),
);
