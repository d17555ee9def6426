// The MACs of command frames: what was signed is taken, and nothing else.
import t from 'tap';
import { decodeFrame, encodeFrame, type FrameKeys } from '#store/redis/commands.js';

const SEPARATOR = '\u001f';
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

t.test('every changed character, another partition and another order lose the signature', (t) => {
  const [mark, value] = encodeFrame(RAILS, 3, COMMANDS);
  for (let at = 0; at < value.length; at += 1) {
    const other = value[at] === 'x' ? 'y' : 'x';
    const changed = value.slice(0, at) + other + value.slice(at + 1);
    t.equal(decode([mark, changed]).source, null, `character ${at}`);
    t.equal(decode([mark, value.slice(0, at)]).source, null, `cut at ${at}`);
  }
  t.equal(decode([mark, value], { partition: 4 }).source, null, 'another partition');
  const [mac = '', name = '', source = '', ...body] = value.split(SEPARATOR);
  const decodeParts = (...parts: readonly string[]) => decode([mark, parts.join(SEPARATOR)]);
  t.equal(decodeParts(mac, name, source, ...body).source, 'rails', 'unchanged');
  t.equal(decodeParts(mac, name, 'gateway', ...body).source, null, 'another process');
  t.equal(decodeParts('', name, source, ...body).source, null, 'no MAC');
  t.equal(decodeParts(`${mac}=`, name, source, ...body).source, null, 'padding');
  t.equal(decodeParts(mac, name, source, ...body.slice(2)).source, null, 'one command less');
  t.equal(decodeParts(mac, name, source, ...body, '', '').source, null, 'one command more');
  t.equal(decodeParts(mac, name, source, ...body.toReversed()).source, null, 'another order');
  t.equal(decode([mark, value, mark, value]).source, null, 'a second field');
  t.end();
});

t.test('a frame is signed with its place: no partition has the start of a text in common', (t) => {
  const [mark, value] = encodeFrame({ ...RAILS, name: '1' }, 2, COMMANDS);
  t.equal(decode([mark, value], { partition: 2 }).source, 'rails');
  t.equal(
    decode([mark, value.replace(`${SEPARATOR}1`, SEPARATOR)], { partition: 21 }).source,
    null,
  );
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

t.test('a text that contains the separator, which no JSON does, is not sent', (t) => {
  const text = `{}${SEPARATOR}${SEPARATOR}{}`;
  t.throws(() => encodeFrame(RAILS, 3, [{ correlation: 'a', text }]), /not JSON/);
  t.end();
});

t.test('an entry that is no frame is one command without a source', (t) => {
  const frames = [
    ['x', 'y'],
    ['f', ['mac', 'rails-1', 'rails'].join(SEPARATOR)],
    ['f', ['mac', 'rails-1', 'rails', 'correlation'].join(SEPARATOR)],
    ['f', 'mac'],
    ['f'],
    [],
  ];
  for (const fields of frames) {
    const { source, commands } = decode(fields);
    t.strictSame([source, commands], [null, [{ correlation: '', text: JSON.stringify(fields) }]]);
  }
  t.end();
});
