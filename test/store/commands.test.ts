// The MACs of command frames: what was signed is taken, and nothing else.
import t from 'tap';
import { decodeFrame, encodeFrame, type FrameKeys } from '#store/redis/commands.js';

const keyOf = (byte: number) => ({ key: Buffer.alloc(32, byte) });
const KEYS: FrameKeys = { gateway: [keyOf(1)], rails: [keyOf(2)], webhooks: [keyOf(3)] };
const COMMANDS = [
  { correlation: 'a', text: '{"type":"cancel"}' },
  { correlation: '', text: '' },
];
const RAILS = { name: 'rails-1', source: 'rails', keys: KEYS.rails } as const;
const decode = (fields: readonly string[], { partition = 3, keys = KEYS } = {}) =>
  decodeFrame(partition, '5-6', fields, keys);

t.test('a signed frame is read with its source and its commands', (t) => {
  const frame = decode(encodeFrame(RAILS, 3, COMMANDS));
  t.strictSame(frame, {
    partition: 3,
    position: { ms: 5n, seq: 6n },
    sender: 'rails-1',
    source: 'rails',
    commands: COMMANDS,
  });
  t.end();
});

t.test('every changed field, another partition and another order lose the signature', (t) => {
  const fields = encodeFrame(RAILS, 3, COMMANDS);
  for (let index = 1; index < fields.length; index += 1) {
    const changed = fields.with(index, `${fields[index]}x`);
    t.equal(decode(changed).source, null, `field ${index}`);
  }
  t.equal(decode(fields, { partition: 4 }).source, null, 'another partition');
  const [mark, name, source, mac, ...body] = fields as [string, string, string, string];
  t.equal(decode([mark, name, 'gateway', mac, ...body]).source, null, 'another process');
  t.equal(decode([mark, name, source, '', ...body]).source, null, 'no MAC');
  t.equal(decode([mark, name, source, mac, ...body.slice(2)]).source, null, 'one command less');
  t.equal(decode([mark, name, source, mac, ...body.toReversed()]).source, null, 'another order');
  const joined = [body.slice(0, 2).join(':'), ...body.slice(2), ''];
  t.equal(decode([mark, name, source, mac, ...joined]).source, null, 'fields joined');
  t.end();
});

t.test('a process cannot sign as another one', (t) => {
  const forged = encodeFrame({ ...RAILS, keys: KEYS.gateway }, 3, COMMANDS);
  t.equal(decode(forged).source, null);
  t.end();
});

t.test('during a rotation the first key signs and all keys verify', (t) => {
  const fields = encodeFrame({ ...RAILS, keys: [keyOf(9), keyOf(2)] }, 3, COMMANDS);
  t.equal(decode(fields).source, null, 'the new key is not known yet');
  const keys = { ...KEYS, rails: [keyOf(2), keyOf(9)] };
  t.equal(decode(fields, { keys }).source, 'rails');
  t.equal(decode(encodeFrame(RAILS, 3, COMMANDS), { keys }).source, 'rails');
  t.end();
});

t.test('a process without a key sends nothing', (t) => {
  t.throws(() => encodeFrame({ ...RAILS, keys: [] }, 3, COMMANDS), /no key to sign/);
  t.end();
});

t.test('an entry that is no frame is one command without a source', (t) => {
  for (const fields of [['x', 'y'], ['g', 'rails-1', 'rails', 'mac'], []]) {
    const { source, commands } = decode(fields);
    t.strictSame([source, commands], [null, [{ correlation: '', text: JSON.stringify(fields) }]]);
  }
  t.end();
});
