// Command frames: what was signed is taken, and nothing else; a frame of a newer version is not read.
import { createHmac } from 'node:crypto';
import t from 'tap';
import {
  decodeFrame,
  encodeFrame,
  type Frame,
  type FrameKeys,
  isNewer,
  NEWEST_VERSION,
} from '#store/redis/frames.js';

const SEPARATOR = '\u001f';
const keyOf = (byte: number) => ({ key: Buffer.alloc(32, byte) });
const KEYS: FrameKeys = { gateway: [keyOf(1)], rails: [keyOf(2)], webhooks: [keyOf(3)] };
const COMMANDS = [
  { correlation: 'a', text: '{"type":"cancel"}' },
  { correlation: '', text: '' },
];
const RAILS = { name: 'rails-1', source: 'rails', keys: KEYS.rails } as const;
const decode = (fields: readonly string[], { partition = 3, keys = KEYS } = {}): Frame => {
  const frame = decodeFrame(partition, '5-6', fields, keys);
  if (isNewer(frame)) throw new Error(`the frame has version ${frame.version}`);
  return frame;
};

t.test('the bytes of version 1 are those of the first release', (t) => {
  const content = ['', 'rails-1', 'rails', 'a', '{}'].join(SEPARATOR);
  const mac = createHmac('sha256', Buffer.alloc(32, 2)).update(`3${content}`).digest('base64url');
  t.strictSame(encodeFrame(RAILS, 3, [{ correlation: 'a', text: '{}' }]), ['f', mac + content]);
  t.end();
});

t.test('a sender writes the version that it may, and none that its build does not know', (t) => {
  for (const version of [1, NEWEST_VERSION, NEWEST_VERSION + 1, 99]) {
    const [mark] = encodeFrame({ ...RAILS, readVersion: () => version }, 3, COMMANDS);
    const written = Math.min(version, NEWEST_VERSION);
    t.equal(mark, written === 1 ? 'f' : `f${written}`);
  }
  t.end();
});

t.test('a frame of a newer version is not read, and no other mark is a version', (t) => {
  for (const version of [NEWEST_VERSION + 1, 10, 9_999]) {
    const frame = decodeFrame(3, '5-6', [`f${version}`, 'any text', 'another', 'field'], KEYS);
    t.strictSame(frame, { partition: 3, version });
  }
  for (const mark of ['f0', 'f1', 'f02', 'f2x', 'f-2', 'f10000', 'F2', 'x', '']) {
    const { source, commands } = decode([mark, 'any text']);
    t.equal(source, null, mark);
    t.strictSame(commands, [{ correlation: '', text: JSON.stringify([mark, 'any text']) }]);
  }
  t.end();
});

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
